"""vectors/metric-names.json: business metrics that no metric reads."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from conftest import vectors
from core_fixture import MakeCore

VECTORS = vectors("metric-names")


@pytest.mark.parametrize("case", VECTORS["cases"], ids=[case["name"] for case in VECTORS["cases"]])
def test_name(case: Dict[str, Any], make_core: MakeCore) -> None:
    core = make_core(bootstrap=VECTORS["config"])
    experiment, name = case["experiment_id"], case["business_metric"]
    payload = {"experiment_id": experiment, "user_id": "u"}
    for _ in range(2):
        if name is None:
            core.client.track("exposure", payload)
        else:
            core.client.track("business_event", {**payload, "business_metric": name})
    assert len(core.rows) == 2
    line = f"warning [assay] {experiment}: no metric reads the business_metric {name}"
    assert core.lines == ([line] if case["warns"] else [])


def test_100_names_at_most_and_long_ones_shortened(make_core: MakeCore) -> None:
    core = make_core(bootstrap=VECTORS["config"])
    for index in range(200):
        name = f"{index} {'x' * 1_000}"
        core.client.track(
            "business_event", {"experiment_id": "greeting", "user_id": "u", "business_metric": name}
        )
    assert len(core.lines) == 100
    assert max(map(len, core.lines)) < 600
    assert len(core.rows) == 200
