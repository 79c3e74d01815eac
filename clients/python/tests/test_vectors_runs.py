"""vectors/runs.json: tool calls of agents, and the ends of their runs."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, List

import pytest
from conftest import vectors
from core_fixture import Core, MakeCore

VECTORS = vectors("runs")
CASES = VECTORS["cases"]


def _broken(text: str, part: str) -> str:
    raise ValueError("broken")


MASKS: Dict[str, Callable[[str, str], Any]] = {
    "names": lambda text, part: f"{part}:{text}",
    "withholds": lambda text, part: None,
    "throws": _broken,
}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_runs(case: Dict[str, Any], make_core: MakeCore) -> None:
    more = {"mask": MASKS[case["mask"]]} if "mask" in case else {}
    core = make_core(bootstrap=VECTORS["config"], overrides=case.get("overrides", {}), **more)
    for step in _unmark(case["steps"]):
        _take(core, step)
    expected: List[Dict[str, Any]] = _unmark(case["events"])
    rows = [_told(row, wanted) for row, wanted in zip(core.rows, expected)]
    assert rows == expected
    assert len(core.rows) == len(expected)
    assert len(core.lines) == len(case["warned"])
    for line, part in zip(core.lines, case["warned"]):
        assert part in line


def _told(row: Dict[str, Any], wanted: Dict[str, Any]) -> Dict[str, Any]:
    told = {name: value for name, value in row.items() if name not in ("event_id", "timestamp")}
    if wanted.get("latency_ms") == "measured" and told.get("latency_ms", -1) >= 0:
        told["latency_ms"] = "measured"
    return told


def _unmark(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmark(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "$" in value:
        return value["text"] * value["times"] + value.get("then", "")
    return {key: _unmark(entry) for key, entry in value.items()}


def _take(core: Core, step: Dict[str, Any]) -> None:
    client = core.client
    enter = {"user": client.as_user, "conversation": client.with_conversation, "run": client.with_run}
    agent = client.agent(
        step["experiment"],
        user=step.get("user_id"),
        unit=step.get("unit_id"),
        agent_name=step.get("agent_name"),
    )
    with contextlib.ExitStack() as stack:
        for kind, id_ in step["within"]:
            stack.enter_context(enter[kind](id_))
        if step["do"] == "record":
            agent.track_tool_call(step["tool"], step["told"])
        elif step["do"] == "end":
            completed = {"completed": step["completed"]} if "completed" in step else {}
            agent.end_run(run=step.get("run_id"), **completed)
        else:
            _call(agent, step)


def _call(agent: Any, step: Dict[str, Any]) -> None:
    failure = type(step["throws"], (Exception,), {})() if "throws" in step else None

    def call() -> Any:
        if "inside" in step:
            agent.call_tool(step["inside"]["tool"], lambda: step["inside"]["returns"])
        if failure is not None:
            raise failure
        return step.get("returns")

    if failure is None:
        assert agent.call_tool(step["tool"], call, step.get("arguments")) is step.get("returns")
    else:
        with pytest.raises(type(failure)) as raised:
            agent.call_tool(step["tool"], call, step.get("arguments"))
        assert raised.value is failure
