"""Tool calls: what the vectors, which are about plain functions, do not say."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any, AsyncIterator, Dict, Iterator, List

import pytest

from assay import Agent, TestClient, create_test_client


@pytest.fixture
def assay() -> TestClient:
    return create_test_client({"greeting": "short"})


@pytest.fixture
def agent(assay: TestClient) -> Agent:
    return assay.agent("greeting", user="ann")


def told(assay: TestClient) -> List[Dict[str, Any]]:
    """Returns the tool calls, by what they say besides the user and the times."""
    assert all(event["latency_ms"] >= 0 for event in assay.events if event["type"] == "tool_call")
    left_out = ("event_id", "timestamp", "latency_ms", "experiment_id", "user_id", "variant", "tool_name")
    return [{name: value for name, value in event.items() if name not in left_out} for event in assay.events]


CALL = {"type": "tool_call", "error": False}
ABORTED = {**CALL, "metadata": {"outcome": "aborted"}}


def test_a_coroutine_is_recorded_when_it_ends_in_the_run_where_it_began(
    assay: TestClient, agent: Agent
) -> None:
    async def search() -> str:
        await asyncio.sleep(0.03)
        return "x"

    async def main() -> None:
        with assay.with_run("r-1"):
            call = agent.call_tool("search", search, {"q": 1})
        assert assay.events == []
        with assay.with_run("r-2"):
            assert await call == "x"

    asyncio.run(main())
    assert told(assay) == [{**CALL, "run_id": "r-1", "tool_arguments": '{"q":1}', "tool_result": "x"}]
    assert assay.events[0]["latency_ms"] > 25


def test_a_coroutine_raises_its_own_error(assay: TestClient, agent: Agent) -> None:
    failure = KeyError("no")

    async def search() -> None:
        raise failure

    with pytest.raises(KeyError) as raised:
        asyncio.run(agent.call_tool("search", search))
    assert raised.value is failure
    assert told(assay) == [{**CALL, "error": True, "error_type": "KeyError"}]


def test_a_canceled_coroutine_has_not_failed(assay: TestClient, agent: Agent) -> None:
    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(agent.call_tool("search", lambda: asyncio.sleep(60)), 0.01)

    asyncio.run(main())
    assert told(assay) == [ABORTED]


def test_a_task_stays_a_task(assay: TestClient, agent: Agent) -> None:
    async def main() -> None:
        task = agent.call_tool("search", lambda: asyncio.ensure_future(asyncio.sleep(0, "x")))
        assert isinstance(task, asyncio.Task)
        assert await task == "x"
        await asyncio.sleep(0)

    asyncio.run(main())
    assert told(assay) == [{**CALL, "tool_result": "x"}]


def test_a_generator_is_recorded_at_its_end(assay: TestClient, agent: Agent) -> None:
    def parts() -> Iterator[str]:
        yield "a"
        yield "b"

    async def later() -> AsyncIterator[str]:
        for part in parts():
            yield part

    async def read() -> List[str]:
        return [part async for part in agent.call_tool("search", later)]

    assert list(agent.call_tool("search", parts)) == ["a", "b"]
    assert asyncio.run(read()) == ["a", "b"]
    next(agent.call_tool("search", parts))
    assert told(assay) == [CALL, CALL, ABORTED]


def test_an_exit_is_passed_on(assay: TestClient, agent: Agent) -> None:
    def leave() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        agent.call_tool("search", leave)
    assert told(assay) == [ABORTED]


def test_arguments_are_those_at_the_start(assay: TestClient, agent: Agent) -> None:
    arguments = {"q": 1}
    agent.call_tool("search", arguments.clear, arguments)
    assert told(assay) == [{**CALL, "tool_arguments": '{"q":1}'}]


def test_a_model_call_in_a_tool_is_recorded_too(assay: TestClient, agent: Agent) -> None:
    agent.call_tool("search", lambda: assay.intercept_model_call("greeting", "ann", lambda: "Hi"))
    assert [event["type"] for event in assay.events] == ["exposure", "model_call", "tool_call"]


def test_a_model_call_may_name_its_agent(assay: TestClient) -> None:
    assay.intercept_model_call("greeting", "ann", lambda: "Hi", lambda _: {"agent_name": "support"})
    assert assay.events[1]["agent_name"] == "support"


def test_a_thread_needs_its_own_context(assay: TestClient) -> None:
    agent = assay.agent("greeting")

    def work() -> None:
        with assay.as_user("ben"), assay.with_run("r-1"):
            agent.call_tool("search", lambda: 1)
            agent.end_run(completed=False)

    with assay.as_user("ann"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert [(event["user_id"], event["run_id"]) for event in assay.events] == [("ben", "r-1")] * 2


def test_nothing_is_recorded_after_close(assay: TestClient, agent: Agent) -> None:
    assay.close()
    assert agent.call_tool("search", lambda: 1) == 1
    agent.end_run(run="r-1")
    assert assay.events == []


cycle: List[Any] = []
cycle.append(cycle)


class Hostile:
    def __getattr__(self, name: str) -> Any:
        raise ValueError(name)

    def __eq__(self, other: object) -> bool:
        raise ValueError

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value",
    [cycle, b"x", float("nan"), {1, 2}, SimpleNamespace(a=1), Hostile(), {1: 2}],
    ids=lambda value: type(value).__name__,
)
def test_odd_arguments_and_results_do_not_disturb_the_application(
    value: Any, assay: TestClient, agent: Agent
) -> None:
    assert agent.call_tool("search", lambda: value, value) is value
    (event,) = assay.events
    assert event["type"] == "tool_call"


@pytest.mark.parametrize("odd", [None, 5, {}, [], "", Hostile()], ids=lambda odd: type(odd).__name__)
def test_odd_options_raise_nothing(odd: Any, assay: TestClient, agent: Agent) -> None:
    assert assay.agent(odd, user=odd, unit=odd, agent_name=odd).call_tool(odd, lambda: 1, odd) == 1
    agent.call_tool(odd, lambda: 1)
    agent.track_tool_call(odd, odd)
    agent.track_tool_call("search", {"error_type": odd, "metadata": odd, "tool_result": odd})
    agent.end_run(completed=odd, run=odd)
