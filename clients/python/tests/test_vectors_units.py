"""vectors/units.json: experiments that assign conversations or runs."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any, Dict, Optional

import pytest
from conftest import vectors
from core_fixture import Core, MakeCore

from assay import PromptChoice, create_test_client
from assay._bucketing import Bucketing

VECTORS = vectors("units")
CASES = VECTORS["cases"]
FIELDS = ("type", "user_id", "unit_id", "run_id", "variant")


@pytest.mark.parametrize("case", VECTORS["buckets"], ids=[case["name"] for case in VECTORS["buckets"]])
def test_bucket(case: Dict[str, Any]) -> None:
    bucketing = Bucketing(case["salt"], case["experiment_id"], case["bucket_count"])
    assert bucketing.bucket_of(case["unit_id"]) == case["bucket"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_units(case: Dict[str, Any], make_core: MakeCore) -> None:
    core = make_core(bootstrap=VECTORS["config"], overrides=case.get("overrides", {}))
    assert [_take(core, step) for step in case["steps"]] == case["answers"]
    assert [_told(row) for row in core.rows] == case["events"]
    advice = [line for line in core.lines if "pass unit=" in line]
    assert [line.split()[2] for line in advice] == case["warned"]
    for line in advice:
        assert line.startswith("warning [assay] ") and " assigns by " in line


def _take(core: Core, step: Dict[str, Any]) -> Optional[str]:
    client, experiment, user = core.client, step["experiment"], step.get("user_id")
    unit = {"unit": step["unit_id"]} if "unit_id" in step else {}
    enter = {"user": client.as_user, "conversation": client.with_conversation, "run": client.with_run}
    with contextlib.ExitStack() as stack:
        for kind, id_ in step["within"]:
            stack.enter_context(enter[kind](id_))
        if step["do"] == "assign":
            return client.assign(experiment, user, **unit)
        if step["do"] == "track":
            told = {name: step[name] for name in ("user_id", "unit_id") if name in step}
            client.track("business_event", {"experiment_id": experiment, "business_metric": "m", **told})
        elif user is None:
            completions = SimpleNamespace(create=lambda: "Hi")
            provider = SimpleNamespace(chat=SimpleNamespace(completions=completions))
            client.wrap(provider, experiment).chat.completions.create()
        else:
            client.intercept_model_call(experiment, user, lambda: "Hi", **unit)
    return None


def _told(row: Dict[str, Any]) -> Dict[str, Any]:
    conversation = (row.get("metadata") or {}).get("conversation_id")
    told = {name: row[name] for name in FIELDS if name in row}
    return told if conversation is None else {**told, "conversation_id": conversation}


def test_content_takes_a_unit_and_is_the_default_without_one(make_core: MakeCore) -> None:
    client = make_core(bootstrap=VECTORS["config"]).client
    name = "by-conversation"
    assert client.get_prompt(name, "ann", "D", unit="c-1") == PromptChoice("treatment", "T", False)
    assert client.get_variables(name, "ann", {"t": 0}, unit="c-1") == {"t": 1}
    assert client.get_prompt(name, "ann", "D") == PromptChoice(None, "D", True)
    assert client.get_variables(name, "ann", {"t": 0}) == {"t": 0}
    found = client.find_assignment(name, "ann", unit="c-1")
    assert found is not None and found.unit == "c-1"
    assert asyncio.run(client.aassign(name, "ann", unit="c-1")) == "treatment"


@pytest.mark.parametrize("id_", [5, b"c-1", {}, ""], ids=str)
def test_what_is_no_id_is_ignored_with_a_warning(make_core: MakeCore, id_: Any) -> None:
    core = make_core(bootstrap=VECTORS["config"])
    assert core.client.assign("by-run", "ann", unit=id_) is None
    with core.client.with_run("r-1"), core.client.with_conversation("c-1"):
        with core.client.with_run(id_), core.client.with_conversation(id_):
            assert core.client.assign("by-conversation", "ann") is None
            core.client.intercept_model_call("by-user", "ann", lambda: "Hi")
    assert [_told(row).keys() & {"run_id", "conversation_id"} for row in core.rows] == [set(), set()]
    for name in ("run", "conversation"):
        assert f"warning [assay] the id of a {name} is not a non-empty str and was ignored" in core.lines


def test_the_unit_of_wrap_counts_and_the_second_replaces_it(make_core: MakeCore) -> None:
    core = make_core(bootstrap=VECTORS["config"])
    provider = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=lambda: "Hi")))
    first = core.client.wrap(provider, "by-conversation", user="ann", unit="c-1")
    first.chat.completions.create()
    core.client.wrap(first, "by-conversation", unit="c-2").chat.completions.create()
    calls = [_told(row) for row in core.rows if row["type"] == "model_call"]
    assert [(call["user_id"], call["unit_id"]) for call in calls] == [("ann", "c-1"), ("ann", "c-2")]


def test_a_stream_that_ends_elsewhere_names_its_own_run(make_core: MakeCore) -> None:
    core = make_core(bootstrap=VECTORS["config"])
    with core.client.with_run("r-1"):
        stream = core.client.intercept_model_call("by-run", "ann", lambda: iter(["Hi"]))
    with core.client.with_run("r-3"):
        assert list(stream) == ["Hi"]
    assert [row["run_id"] for row in core.rows] == ["r-1", "r-1"]


def test_conversation_and_run_go_through_awaits_and_tasks(make_core: MakeCore) -> None:
    client = make_core(bootstrap=VECTORS["config"]).client

    async def assigned() -> Any:
        await asyncio.sleep(0)
        return [client.assign("by-conversation", "ann"), client.assign("by-run", "ann")]

    async def main() -> Any:
        async with client.with_conversation("c-1"), client.with_run("r-1"):
            return [await assigned(), await asyncio.ensure_future(assigned())]

    assert asyncio.run(main()) == [["treatment", "treatment"]] * 2
    assert client.assign("by-run", "ann") is None


def test_a_test_client_needs_no_unit() -> None:
    client = create_test_client({"greeting": "short"})
    with client.with_run("r-1"):
        assert client.assign("greeting", "ann", unit="c-1") == "short"
    assert [event["run_id"] for event in client.events] == ["r-1"]
