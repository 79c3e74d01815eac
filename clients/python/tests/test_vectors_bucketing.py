"""utf8.json, murmur3.json, bucket.json, assign.json and sticky.json."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pytest
from conftest import vectors
from marked import text_of, user_of

from assay._bucketing import Bucketing, encode_utf8, murmur3
from assay._config_snapshot import ConfigSnapshot, parse_config

UTF8 = vectors("utf8")["cases"]
MURMUR3 = vectors("murmur3")
BUCKET = vectors("bucket")["cases"]
ASSIGN = vectors("assign")
STICKY = vectors("sticky")["cases"]


def name_of(case: Any) -> str:
    return str(case["name"])


@pytest.mark.parametrize("case", UTF8, ids=name_of)
def test_utf8(case: Dict[str, Any]) -> None:
    text = text_of(case["utf16"])
    assert encode_utf8(text).hex() == case["hex"]
    assert case.get("text", text) == text


@pytest.mark.parametrize("case", MURMUR3["cases"], ids=lambda case: f"{case['hex'][:40]} seed {case['seed']}")
def test_murmur3(case: Dict[str, Any]) -> None:
    assert murmur3(bytes.fromhex(case["hex"]), case["seed"]) == case["hash"]
    text = text_of(case["utf16"]) if "utf16" in case else case.get("text")
    if text is not None:
        assert murmur3(encode_utf8(text), case["seed"]) == case["hash"]


def test_murmur3_passes_the_verification_of_smhasher() -> None:
    hashes = [murmur3(bytes(range(length)), 256 - length) for length in range(256)]
    packed = b"".join(value.to_bytes(4, "little") for value in hashes)
    assert murmur3(packed, 0) == int(MURMUR3["smhasher_verification"], 16)


@pytest.mark.parametrize("case", BUCKET, ids=name_of)
def test_bucket(case: Dict[str, Any]) -> None:
    bucketing = Bucketing(case["salt"], case["experiment_id"], case["bucket_count"])
    assert bucketing.bucket_of(user_of(case)) == case["bucket"]
    text = f"{case['salt']}:{case['experiment_id']}:{user_of(case)}"
    assert murmur3(encode_utf8(text), 0) == case["hash"]


def find_key(snapshot: Optional[ConfigSnapshot], experiment: str, user: str) -> Optional[str]:
    found = snapshot.experiments.get(experiment) if snapshot else None
    variant = found.find_variant(user) if found else None
    return variant.key if variant else None


@pytest.mark.parametrize("case", ASSIGN["cases"], ids=name_of)
def test_assign(case: Dict[str, Any]) -> None:
    snapshot = parse_config(ASSIGN["config"]) if case["loaded"] else None
    assert find_key(snapshot, case["experiment"], user_of(case)) == case["variant"]


@pytest.mark.parametrize("count", ASSIGN["counts"], ids=lambda count: str(count["experiment"]))
def test_assign_counts_of_1000_users(count: Dict[str, Any]) -> None:
    snapshot = parse_config(ASSIGN["config"])
    answers = [find_key(snapshot, count["experiment"], f"user-{i}") for i in range(1000)]
    assert {key: answers.count(key) for key in count["expected"]} == count["expected"]
    assert answers.count(None) == count["expected_null"]


@pytest.mark.parametrize("case", STICKY, ids=name_of)
def test_sticky(case: Dict[str, Any]) -> None:
    snapshots = [sticky_snapshot(case, version) for version in case["versions"]]
    bucketing = Bucketing(
        case["experiment"]["salt"], case["experiment"]["id"], case["experiment"]["bucket_count"]
    )
    for user in case["users"]:
        assert bucketing.bucket_of(user["user_id"]) == user["bucket"]
        answers: List[Optional[str]] = [
            find_key(snapshot, "sticky", user["user_id"]) for snapshot in snapshots
        ]
        assert answers == user["variants"]


def sticky_snapshot(case: Dict[str, Any], version: Dict[str, Any]) -> ConfigSnapshot:
    served = {key: version[key] for key in ("variants", "buckets")}
    experiment = {**case["experiment"], **served, "name": "sticky", "status": "running"}
    snapshot = parse_config({"config_version": 1, "experiments": [experiment]})
    assert snapshot is not None and snapshot.unreadable == 0
    return snapshot
