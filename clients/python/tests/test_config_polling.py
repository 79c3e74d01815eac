"""When the config is polled, beyond the vectors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sample_config import sample_config

from assay._config_polling import ConfigPolling
from assay._config_snapshot import parse_config
from assay._retry_policy import no_answer, read_answer


def loaded(version: int = 1) -> Any:
    return read_answer(200, {"etag": f'"{version}"'}, json.dumps(sample_config(version)).encode())


def make(bootstrap: object = None) -> ConfigPolling:
    return ConfigPolling(60_000.0, lambda: 0.5, parse_config(bootstrap), 0.0, long_poll=False)


def test_a_bootstrap_is_in_force_at_once_and_a_load_still_due() -> None:
    polling = make(sample_config(7))
    assert polling.snapshot is not None
    assert (polling.snapshot.version, polling.next_at, polling.begin(0.0)) == (7, 0.0, (None, 0))
    assert polling.answered(no_answer("no answer"), 10_000.0) is False
    # There is a config, so there is no hurry.
    assert polling.next_at == 70_000.0


def test_a_version_acknowledged_during_a_load_changes_nothing() -> None:
    polling = make(sample_config(1))
    polling.begin(0.0)
    assert not polling.note_version(2, 5_000.0)
    polling.answered(loaded(2), 6_000.0)
    assert polling.next_at == 66_000.0


@pytest.mark.parametrize(
    "version, is_news", [(0, False), (1, False), (1.5, True), (2, True), (float("nan"), False)]
)
def test_only_a_newer_version_brings_the_next_load_forward(version: float, is_news: bool) -> None:
    polling = make()
    polling.begin(0.0)
    polling.answered(loaded(1), 0.0)
    assert polling.note_version(version, 100.0) == is_news
    assert polling.next_at == (1_100.0 if is_news else 60_000.0)


def test_a_forked_child_loads_what_its_parent_was_loading() -> None:
    polling = make()
    polling.begin(0.0)
    polling.answered(loaded(1), 0.0)
    polling.reset_after_fork(10_000.0)
    assert polling.next_at == 60_000.0
    polling.begin(0.0)
    polling.reset_after_fork(60_500.0)
    assert polling.next_at == 60_500.0
    assert polling.snapshot is not None


def test_a_year_of_failures_is_borne() -> None:
    polling = make()
    for _ in range(2_000):
        polling.begin(0.0)
        polling.answered(no_answer("no answer"), 0.0)
    assert polling.next_at == 15_000.0
