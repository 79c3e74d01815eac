"""vectors/overrides.json: forced variants."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from conftest import vectors
from core_fixture import MakeCore

VECTORS = vectors("overrides")
CASES = VECTORS["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_override(case: Dict[str, Any], make_core: MakeCore) -> None:
    bootstrap = VECTORS["config"] if case["loaded"] else None
    core = make_core(overrides=case["overrides"], bootstrap=bootstrap)
    experiment, user = case["experiment"], case["user_id"]
    for _ in range(2):
        assert core.client.assign(experiment, user) == case["variant"]
    assert core.client.get_prompt(experiment, user, "").variant == case["variant"]
    assert core.client.assign(experiment, 5) is None  # type: ignore[arg-type]
    outcome = {"experiment_id": experiment, "user_id": user, "business_metric": "m", "value": 1}
    for metadata in (None, {"mine": 1}, "text"):
        core.client.track("business_event", {**outcome, "metadata": metadata})
    *exposures, bare, with_object, with_text = core.rows
    has_exposure = case["variant"] is not None and experiment != "shipped"
    assert [row["type"] for row in exposures] == (["exposure"] if has_exposure else [])
    if case["marked"]:
        mark = {"assay_test": True}
        assert [row["metadata"] for row in (*exposures, bare, with_text)] == [mark] * (len(exposures) + 2)
        assert with_object["metadata"] == {**mark, "mine": 1}
    else:
        assert [row.get("metadata") for row in exposures] == [None] * len(exposures)
        assert [row["metadata"] for row in (bare, with_object, with_text)] == [None, {"mine": 1}, "text"]
    for key in case["ignored"]:
        assert [f"no variant {key}" in line for line in core.lines].count(True) == 1
    if not case["ignored"]:
        assert not any("overrides" in line for line in core.lines)


def test_content_is_that_of_the_forced_variant(make_core: MakeCore) -> None:
    core = make_core(overrides={"greeting": "short"}, bootstrap=VECTORS["config"])
    assert core.client.get_prompt("greeting", "u", "") == ("short", "S", False)
    assert core.client.get_variables("greeting", "u", {"t": 0}) == {"t": 1}


@pytest.mark.parametrize("value", ["greeting", {"greeting": 5}, {5: "short"}, 5], ids=str)
def test_what_forces_no_variants_is_a_warning(make_core: MakeCore, value: Any) -> None:
    core = make_core(overrides=value)
    assert core.lines == ["warning [assay] invalid option ignored: overrides"]
    assert core.client.assign("greeting", "u") == "short"
