"""variables.json: what `get_prompt` and `get_variables` return."""

from __future__ import annotations

import copy
import json
import re
from typing import Any, Dict, List

import pytest
from conftest import vectors
from core_fixture import MakeCore

VECTORS = vectors("variables")


def cases_of(call: str) -> List[Any]:
    return [pytest.param(case, id=case["name"]) for case in VECTORS["cases"] if case["call"] == call]


def test_every_case_is_run() -> None:
    calls = ("get_prompt", "get_variables", "get_variables_detail")
    assert sum(len(cases_of(call)) for call in calls) == len(VECTORS["cases"])


def core_for(make_core: MakeCore, case: Dict[str, Any]) -> Any:
    return make_core(bootstrap=copy.deepcopy(VECTORS["config"]) if case["loaded"] else None)


def client_for(make_core: MakeCore, case: Dict[str, Any]) -> Any:
    return core_for(make_core, case).client


@pytest.mark.parametrize("case", cases_of("get_prompt"))
def test_get_prompt(make_core: MakeCore, case: Dict[str, Any]) -> None:
    answer = client_for(make_core, case).get_prompt(case["experiment"], "u", case["default"])
    assert answer._asdict() == case["expected"]


@pytest.mark.parametrize("case", cases_of("get_variables"))
def test_get_variables(make_core: MakeCore, case: Dict[str, Any]) -> None:
    client = client_for(make_core, case)
    defaults = copy.deepcopy(case["default"])
    answer = client.get_variables(case["experiment"], "u", defaults)
    assert canonical(answer) == canonical(case["expected"])
    assert canonical(defaults) == canonical(case["default"])
    assert answer is not defaults
    spoil(answer)
    again = client.get_variables(case["experiment"], "u", copy.deepcopy(case["default"]))
    assert canonical(again) == canonical(case["expected"])


@pytest.mark.parametrize("case", cases_of("get_variables_detail"))
def test_get_variables_detail(make_core: MakeCore, case: Dict[str, Any]) -> None:
    core = core_for(make_core, case)
    for _ in range(2):
        answer = core.client.get_variables_detail(case["experiment"], "u", copy.deepcopy(case["default"]))
        assert canonical(answer._asdict()) == canonical(case["expected"])
    warned = [line for line in core.lines if "the variable " in line]
    assert [re.findall(r"\[assay\] (.*): the variable (\w+) is", line)[0] for line in warned] == [
        (case["experiment"], name) for name in case["warned"]
    ]


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def spoil(value: Any) -> None:
    """Changes every nested object and list."""
    if isinstance(value, list):
        for entry in value:
            spoil(entry)
        value.append("spoilt")
    elif isinstance(value, dict):
        for entry in value.values():
            spoil(entry)
        value["spoilt"] = True
