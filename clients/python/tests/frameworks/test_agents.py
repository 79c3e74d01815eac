"""An agent has the same facts in every framework."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List

import pytest
from billing_provider import BillingProvider
from conftest import vectors
from scripted_agents import RUNS, Run, client_of, handing_over

from assay import TestClient, create_test_client


@pytest.fixture
def provider() -> Iterator[BillingProvider]:
    made = BillingProvider()
    made.reset(one_by_one=True)
    yield made
    made.stop()


@pytest.fixture
def assay() -> TestClient:
    return create_test_client({"greeting": "short", "nobody": None})


def of_type(event_type: str, assay: TestClient) -> List[Dict[str, Any]]:
    return [event for event in assay.events if event["type"] == event_type]


def facts(assay: TestClient) -> Dict[str, Any]:
    """What the runs of all events come to."""
    calls, tools, ends = (of_type(kind, assay) for kind in ("model_call", "tool_call", "run_end"))
    return {
        "model_calls": len(calls),
        "input_tokens": sum(call.get("input_tokens", 0) for call in calls),
        "output_tokens": sum(call.get("output_tokens", 0) for call in calls),
        "model_errors": sum(call["error"] for call in calls),
        "tools": [[tool["tool_name"], tool["error"]] for tool in tools],
        "run_ends": [end["completed"] for end in ends],
        "runs": len({event.get("run_id") for event in (*calls, *tools, *ends)}),
        "agents": sorted({str(event.get("agent_name")) for event in (*calls, *tools)}),
    }


ONE_RUN = vectors("runs")["framework_run"]
every_run = pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)


@every_run
def test_a_run_has_the_same_facts(run: Run, assay: TestClient, provider: BillingProvider) -> None:
    with assay.as_user("ann"):
        run(assay, provider.url, None)
    assert facts(assay) == ONE_RUN
    assert all(event["user_id"] == "ann" for event in assay.events)
    assert all(event["run_id"] for event in assay.events if event["type"] != "exposure")
    works, fails = of_type("tool_call", assay)
    assert (json.loads(works["tool_arguments"]), works["tool_result"]) == ({"city": "yes"}, "sunny")
    assert works["latency_ms"] >= 0 and fails["latency_ms"] >= 0


@every_run
def test_inside_with_run_it_is_a_part_of_that_run(
    run: Run, assay: TestClient, provider: BillingProvider
) -> None:
    with assay.as_user("ann"), assay.with_run("r-1"):
        run(assay, provider.url, None)
        assay.agent("greeting").end_run(completed=False)
    assert facts(assay) == {**ONE_RUN, "run_ends": [False]}
    assert {event["run_id"] for event in assay.events} == {"r-1"}


@every_run
def test_two_runs_are_two(run: Run, assay: TestClient, provider: BillingProvider) -> None:
    with assay.as_user("ann"):
        run(assay, provider.url, None)
        run(assay, provider.url, None)
        assay.track("business_event", {"experiment_id": "greeting", "user_id": "ann"})
    assert [facts(assay)[name] for name in ("model_calls", "run_ends", "runs")] == [6, [True, True], 2]
    # Nothing of a run is left behind.
    assert "run_id" not in assay.events[-1]


@every_run
def test_a_run_whose_model_fails_is_not_completed(
    run: Run, assay: TestClient, provider: BillingProvider
) -> None:
    provider.reset(failures=1, status=400, one_by_one=True)
    with assay.as_user("ann"), pytest.raises(Exception, match="out of order"):
        run(assay, provider.url, None)
    told = facts(assay)
    assert (told["model_calls"], told["model_errors"], told["run_ends"]) == (1, 1, [False])


@every_run
def test_without_a_user_nothing_is_recorded(run: Run, assay: TestClient, provider: BillingProvider) -> None:
    run(assay, provider.url, None)
    assert assay.events == []


with_a_client = pytest.mark.parametrize(
    "run", [run for name, run in RUNS.items() if "LangGraph" not in name], ids=lambda run: run.__name__
)


@with_a_client
def test_a_wrapped_client_counts_once(run: Run, assay: TestClient, provider: BillingProvider) -> None:
    with assay.as_user("ann"):
        run(assay, provider.url, assay.wrap(client_of(provider.url), "greeting"))
    assert facts(assay) == ONE_RUN
    assert len(of_type("exposure", assay)) == 3


def test_a_handoff_names_the_other_agent(assay: TestClient, provider: BillingProvider) -> None:
    with assay.as_user("ann"):
        handing_over(assay, provider.url)
    told = facts(assay)
    assert told == {
        **ONE_RUN,
        **{"model_calls": 4, "input_tokens": 4070, "output_tokens": 410, "agents": ["support", "writer"]},
    }
    assert [call["agent_name"] for call in of_type("model_call", assay)] == ["support"] * 3 + ["writer"]
