from __future__ import annotations

from typing import Any, Dict, Optional

import pytest
from sample_config import EXPERIMENT_ID, sample_config

from assay._config_snapshot import ConfigVariant, parse_config


class Odd(dict):  # type: ignore[type-arg]
    def get(self, *_: object) -> Any:
        raise RuntimeError("get")


CYCLE: Dict[str, Any] = {}
CYCLE["self"] = CYCLE


def variant_of(config: Any, experiment: str = "greeting", user: str = "u") -> Optional[ConfigVariant]:
    snapshot = parse_config(config)
    assert snapshot is not None and snapshot.unreadable == 0
    return snapshot.experiments[experiment].find_variant(user)


@pytest.mark.parametrize(
    "body",
    [
        None,
        5,
        "text",
        [],
        {},
        {"experiments": []},
        {"experiments": {}, "config_version": 1},
        {"experiments": None, "config_version": 1},
        {"experiments": [], "config_version": "1"},
        {"experiments": [], "config_version": True},
        {"experiments": [], "config_version": 1.5},
        {"experiments": [], "config_version": float("nan")},
        Odd(sample_config()),
        sample_config(variants=[{"key": "control"}, {"key": "short", "variables": CYCLE}]),
    ],
    ids=lambda body: repr(body)[:60],
)
def test_what_is_no_config_is_none(body: Any) -> None:
    assert parse_config(body) is None


def test_a_config_keeps_its_version_and_its_body() -> None:
    body = sample_config(7)
    snapshot = parse_config(body)
    assert snapshot is not None
    assert (snapshot.version, snapshot.unreadable) == (7, 0)
    assert snapshot.body is body
    assert snapshot.experiments["greeting"] is snapshot.experiments[EXPERIMENT_ID]


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"name": 5},
        {"salt": None},
        {"status": True},
        {"bucket_count": 0},
        {"bucket_count": -1},
        {"bucket_count": 1.5},
        {"bucket_count": True},
        {"bucket_count": "1000"},
        {"buckets": None},
        {"buckets": {}},
        {"buckets": [[1000]]},
        {"buckets": [[1000, 1, 2]]},
        {"buckets": [[1000, "1"]]},
        {"buckets": [[500.5, 1]]},
        {"buckets": [None]},
        {"variants": None},
        {"variants": [{}]},
        {"variants": [{"key": 5}]},
        {"variants": [None, {"key": "short"}]},
    ],
    ids=str,
)
def test_an_experiment_that_cannot_be_read_is_left_out_alone(changes: Dict[str, Any]) -> None:
    body = sample_config()
    body["experiments"] = [{**body["experiments"][0], **changes}, {**body["experiments"][0], "name": "other"}]
    snapshot = parse_config(body)
    assert snapshot is not None
    assert snapshot.unreadable == 1
    assert set(snapshot.experiments) == {"other", EXPERIMENT_ID}


@pytest.mark.parametrize("entry", [None, 5, "text", [], [[]]], ids=repr)
def test_an_entry_that_is_no_object_is_left_out(entry: Any) -> None:
    snapshot = parse_config({"config_version": 1, "experiments": [entry]})
    assert snapshot is not None
    assert (dict(snapshot.experiments), snapshot.unreadable) == ({}, 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "stopped"},
        {"status": ""},
        {"buckets": []},
        {"buckets": [[1000, -1]]},
        {"buckets": [[1000, 2]]},
        {"variants": []},
        {"variants": [{"key": "control"}, {"key": "short", "enabled": False}]},
    ],
    ids=str,
)
def test_nobody_has_a_variant(changes: Dict[str, Any]) -> None:
    assert variant_of(sample_config(**changes)) is None


@pytest.mark.parametrize("status", ["stopped", "archived", "shipped", ""])
def test_what_does_not_run_needs_only_its_id_and_name(status: str) -> None:
    entry = {"id": EXPERIMENT_ID, "name": "greeting", "status": status}
    config = {"config_version": 1, "experiments": [entry]}
    assert variant_of(config) is None
    assert variant_of(config, EXPERIMENT_ID) is None


@pytest.mark.parametrize("missing", ["id", "name", "status"])
def test_what_does_not_run_is_left_out_without_its(missing: str) -> None:
    entry = {"id": EXPERIMENT_ID, "name": "greeting", "status": "stopped"}
    del entry[missing]
    snapshot = parse_config({"config_version": 1, "experiments": [entry]})
    assert snapshot is not None
    assert (dict(snapshot.experiments), snapshot.unreadable) == ({}, 1)


def test_a_renamed_experiment_is_found_by_its_former_name_too() -> None:
    config = sample_config()
    config["experiments"].append({**config["experiments"][0], "name": "hello"})
    found = {name: variant_of(config, name) for name in ("greeting", "hello", EXPERIMENT_ID)}
    assert len(set(map(str, found.values()))) == 1
    assert found["hello"] is not None


@pytest.mark.parametrize("enabled", [True, None, 0, "no"], ids=repr)
def test_only_false_switches_a_variant_off(enabled: Any) -> None:
    variants = [{"key": "control"}, {"key": "short", "enabled": enabled}]
    variant = variant_of(sample_config(variants=variants))
    assert variant is not None and variant.key == "short"


def test_prompt_and_variables_of_another_type_count_as_none() -> None:
    variants = [{"key": "control"}, {"key": "short", "prompt": 5, "variables": [1]}]
    assert variant_of(sample_config(variants=variants)) == ConfigVariant(EXPERIMENT_ID, "short", None, {})


def test_whole_numbers_may_be_written_with_a_fraction_of_zero() -> None:
    config = {**sample_config(bucket_count=1000.0, buckets=[[1000.0, 1.0]]), "config_version": 2.0}
    variant = variant_of(config)
    assert variant is not None and variant.key == "short"


def test_an_id_wins_over_a_name() -> None:
    first = sample_config()["experiments"][0]
    second = {**first, "id": "other-id", "name": EXPERIMENT_ID, "buckets": [[1000, 0]]}
    body = {"config_version": 1, "experiments": [first, second]}
    variant = variant_of(body, EXPERIMENT_ID)
    assert variant is not None and variant.key == "short"


def test_a_body_that_is_changed_later_changes_no_variant() -> None:
    variables: Dict[str, Any] = {"nested": [1]}
    snapshot = parse_config(
        sample_config(variants=[{"key": "control"}, {"key": "short", "variables": variables}])
    )
    variables["nested"].append(2)
    assert snapshot is not None
    variant = snapshot.experiments["greeting"].find_variant("u")
    assert variant is not None and variant.variables == {"nested": [1]}
