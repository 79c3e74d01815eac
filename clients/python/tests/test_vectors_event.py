"""event.json: from the arguments of `track` to a row, or to nothing and one warning."""

from __future__ import annotations

import json
import re
from typing import Any, Dict

import pytest
from conftest import vectors
from core_fixture import MakeCore
from marked import unmark

VECTORS = vectors("event")


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: str(case["name"]))
def test_event(make_core: MakeCore, case: Dict[str, Any]) -> None:
    core = make_core(now=lambda: VECTORS["now"] / 1000, new_id=lambda: VECTORS["new_id"])
    core.client.track(case["type"], unmark(case["payload"]))
    if case["row"] is None:
        assert core.rows == []
        assert len(core.lines) == 1
        assert re.match(r"^warning \[assay\] event dropped, [^{}]*: 1$", core.lines[0])
        return
    assert core.lines == []
    (row,) = core.rows
    # Compared as texts, because 1, True and 1.0 are equal in Python.
    assert canonical(row) == canonical(unmark(case["row"]))


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
