"""Calls of any provider: results, coroutines, iterators, and the facts that the caller adds."""

from __future__ import annotations

import asyncio
import gc
import inspect
import warnings
from types import GeneratorType, SimpleNamespace
from typing import Any, AsyncIterator, Callable, Coroutine, Dict, Iterator, List

import pytest
from core_fixture import Core, MakeCore
from model_call_fixture import CONFIG, IDENTITY, chunk

from assay._model_call import _call_record
from assay._model_call._call_record import CallHost
from assay._user_context import current_context


@pytest.fixture
def core(make_core: MakeCore) -> Core:
    return make_core(bootstrap=CONFIG)


def calls_of(core: Core) -> List[Dict[str, Any]]:
    """Lists the `model_call`s sent, without id and time; each has its exposure."""
    own = ("event_id", "timestamp", "type")
    rows = core.rows
    calls = [row for row in rows if row["type"] == "model_call"]
    assert len(rows) == 2 * len(calls)
    return [{name: value for name, value in call.items() if name not in own} for call in calls]


ANSWER = {"choices": [{"message": {"content": "Hi"}}], "model": "m", "usage": {"prompt_tokens": 2}}


def _extract(result: Any) -> Dict[str, Any]:
    return {
        "provider": "own",
        "response": result["text"],
        "output_tokens": result["tokens"],
        "cost_usd": 0.01,
    }


def test_takes_what_the_caller_tells_of_the_result(core: Core) -> None:
    result = {"text": "Hi", "tokens": 5}

    async def ask() -> Dict[str, Any]:
        return result

    assert core.client.intercept_model_call("greeting", "ada", lambda: result, _extract) is result
    assert asyncio.run(core.client.intercept_model_call("greeting", "ada", ask, _extract)) is result
    for call in calls_of(core):
        assert (call["provider"], call["response"], call["output_tokens"]) == ("own", "Hi", 5)
        assert (call["cost_usd"], call["error"]) == (0.01, False)


HI = [{"content": [{"text": "Hi"}]}]


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (ANSWER, {"input_tokens": 2}),
        ({"object": "response", "model": "m", "output": HI}, {}),
        ({"type": "message", "model": "m", "content": [{"type": "text", "text": "Hi"}]}, {}),
        ({"modelVersion": "m", "candidates": [{"content": {"parts": [{"text": "Hi"}]}}]}, {}),
        (SimpleNamespace(type="message", model="m", content=[SimpleNamespace(type="text", text="Hi")]), {}),
    ],
)
def test_recognises_results_of_the_providers(core: Core, result: Any, told: Dict[str, Any]) -> None:
    assert core.client.intercept_model_call("greeting", "ada", lambda: result) is result
    (call,) = calls_of(core)
    latency = call.pop("latency_ms")
    assert latency >= 0
    assert call == {**IDENTITY, "error": False, "model": "m", "response": "Hi", **told}


@pytest.mark.parametrize("result", [None, 7, "text", [1], {"content": "Hi", "model": "m"}, object(), int])
def test_learns_nothing_from_other_results(core: Core, result: Any) -> None:
    assert core.client.intercept_model_call("greeting", "ada", lambda: result) is result
    (call,) = calls_of(core)
    assert set(call) == {*IDENTITY, "error", "latency_ms"}


def _generate() -> Iterator[Dict[str, Any]]:
    got = yield chunk("a")
    yield chunk(got or "b")


def test_watches_a_generator_that_stays_one(core: Core) -> None:
    stream: Any = core.client.intercept_model_call("greeting", "ada", _generate)
    assert isinstance(stream, GeneratorType) and inspect.isgenerator(stream)
    assert next(stream) == chunk("a")
    assert stream.send("c") == chunk("c")
    assert list(stream) == []
    (call,) = calls_of(core)
    assert call["response"] == "ac" and "metadata" not in call


def _throw(stream: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        stream.throw(ZeroDivisionError())


@pytest.mark.parametrize(
    ("leave", "error_type"),
    [(lambda stream: stream.close(), None), (_throw, "ZeroDivisionError"), (id, None)],
)
def test_watches_a_generator_that_is_left(core: Core, leave: Callable[[Any], Any], error_type: Any) -> None:
    stream: Any = core.client.intercept_model_call("greeting", "ada", _generate)
    next(stream)
    leave(stream)
    del stream
    (call,) = calls_of(core)
    assert call["response"] == "a"
    assert call.get("error_type") == error_type
    assert call.get("metadata") == (None if error_type else {"outcome": "aborted"})


async def _agenerate() -> AsyncIterator[Dict[str, Any]]:
    yield chunk("a")
    await asyncio.sleep(0)
    yield chunk("b")


class OnlyIterable:
    def __aiter__(self) -> AsyncIterator[Dict[str, Any]]:
        return _agenerate()


@pytest.mark.parametrize("make", [_agenerate, OnlyIterable])
def test_watches_async_iterators(core: Core, make: Any) -> None:
    async def main() -> None:
        stream = core.client.intercept_model_call("greeting", "ada", make)
        assert [each async for each in stream] == [chunk("a"), chunk("b")]

        async def ask() -> Any:
            return make()

        async for _ in await core.client.intercept_model_call("greeting", "ada", ask):
            break

    asyncio.run(main())
    whole, left = calls_of(core)
    assert (whole["response"], "metadata" in whole) == ("ab", False)
    assert (left["response"], left["metadata"]) == ("a", {"outcome": "aborted"})


def test_async_generators_are_closed_as_such(core: Core) -> None:
    async def main() -> None:
        stream: Any = core.client.intercept_model_call("greeting", "ada", _agenerate)
        assert inspect.isasyncgen(stream)
        assert await stream.asend(None) == chunk("a")
        await stream.aclose()
        with pytest.raises(StopAsyncIteration):
            await stream.__anext__()

    asyncio.run(main())
    assert calls_of(core)[0]["metadata"] == {"outcome": "aborted"}


def test_a_task_stays_the_task(core: Core) -> None:
    async def main() -> None:
        async def ask() -> Any:
            return ANSWER

        task = asyncio.ensure_future(ask())
        assert core.client.intercept_model_call("greeting", "ada", lambda: task) is task
        assert await task is ANSWER

    asyncio.run(main())
    assert calls_of(core)[0]["response"] == "Hi"


class Overloaded(Exception):
    pass


@pytest.mark.parametrize("error", [ValueError("mine"), Overloaded(), KeyboardInterrupt(), StopIteration()])
def test_raises_what_the_call_raises(core: Core, error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        core.client.intercept_model_call("greeting", "ada", fail)
    assert caught.value is error and error.__context__ is None and error.__cause__ is None
    (call,) = calls_of(core)
    if isinstance(error, KeyboardInterrupt):
        assert (call["error"], call["metadata"]) == (False, {"outcome": "aborted"})
    else:
        assert (call["error"], call["error_type"]) == (True, type(error).__name__)


def test_raises_what_a_coroutine_raises(core: Core) -> None:
    error = Overloaded()

    async def fail() -> None:
        await asyncio.sleep(0)
        raise error

    with pytest.raises(Overloaded) as caught:
        asyncio.run(core.client.intercept_model_call("greeting", "ada", fail))
    assert caught.value is error
    assert calls_of(core)[0]["error_type"] == "Overloaded"


def test_a_coroutine_begins_when_it_is_awaited(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.0]
    monkeypatch.setattr(_call_record, "perf_counter", lambda: seconds[0])

    async def ask() -> Any:
        seconds[0] += 0.25
        return ANSWER

    async def main() -> None:
        call = core.client.intercept_model_call("greeting", "ada", ask)
        assert asyncio.iscoroutine(call)
        seconds[0] += 60
        await call

    asyncio.run(main())
    assert calls_of(core)[0]["latency_ms"] == 250


def test_a_coroutine_that_is_cancelled_before_it_begins_is_no_warning(core: Core) -> None:
    async def ask() -> Any:
        return ANSWER

    async def main() -> None:
        call = core.client.intercept_model_call("greeting", "ada", ask)
        assert inspect.iscoroutine(call) and isinstance(call, Coroutine)
        task = asyncio.ensure_future(call)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        core.client.intercept_model_call("greeting", "ada", ask).close()

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        asyncio.run(main())
        gc.collect()
    assert [each for each in said if "never awaited" in str(each.message)] == []
    assert [call["metadata"] for call in calls_of(core)] == [{"outcome": "aborted"}] * 2


def test_awaitables_that_are_no_coroutines_are_followed(core: Core) -> None:
    class Awaitable:
        def __await__(self) -> Any:
            yield from asyncio.sleep(0).__await__()
            return ANSWER

    async def main() -> None:
        assert await core.client.intercept_model_call("greeting", "ada", Awaitable) is ANSWER

    asyncio.run(main())
    assert calls_of(core)[0]["response"] == "Hi"


def test_users_set_inside_a_call_hold_there(core: Core) -> None:
    seen: List[Any] = []

    async def ask() -> None:
        with core.client.as_user("bob"):
            await asyncio.sleep(0)
            seen.append(current_context().user)
        await asyncio.sleep(0)
        seen.append(current_context().user)

    def generate() -> Iterator[int]:
        with core.client.as_user("eve"):
            yield 1
            seen.append(current_context().user)

    asyncio.run(core.client.intercept_model_call("greeting", "ada", ask))
    assert list(core.client.intercept_model_call("greeting", "ada", generate)) == [1]
    assert seen == ["bob", "ada", "eve"]
    assert current_context().user is None and current_context().observed == ()


def test_an_extract_that_raises_tells_nothing(core: Core) -> None:
    assert core.client.intercept_model_call("greeting", "ada", lambda: 7, _extract) == 7
    assert calls_of(core)[0]["error"] is False
    assert core.lines == ["warning [assay] mask or extract raised"]


@pytest.mark.parametrize("told", [None, {}, {"model": None}, {"response": None, "prompt": ""}])
def test_an_extract_may_tell_nothing(core: Core, told: Any) -> None:
    core.client.intercept_model_call("greeting", "ada", lambda: 7, lambda _: told)
    assert set(calls_of(core)[0]) == {*IDENTITY, "error", "latency_ms"}
    assert core.lines == []


def test_trouble_of_our_own_stays_here(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("ours")

    for method in ("find_assignment", "track"):
        with monkeypatch.context() as patch:
            patch.setattr(core.client, method, fail)
            assert core.client.intercept_model_call("greeting", "ada", lambda: 7) == 7
    assert core.lines == ["warning [assay] a model call could not be recorded"]
    assert calls_of(core) == []


def test_the_outermost_observer_records(core: Core) -> None:
    def inner() -> Any:
        return core.client.intercept_model_call("greeting", "ada", lambda: ANSWER)

    async def ainner() -> Any:
        await asyncio.sleep(0)
        return inner()

    def stream() -> Iterator[Any]:
        yield inner()
        yield inner()

    core.client.intercept_model_call("greeting", "ada", inner)
    assert len(calls_of(core)) == 1
    asyncio.run(core.client.intercept_model_call("greeting", "ada", ainner))
    assert len(calls_of(core)) == 2
    for _ in core.client.intercept_model_call("greeting", "ada", stream):
        # Between the chunks the caller's code runs: its calls are its own.
        inner()
    assert len(calls_of(core)) == 5
    assert current_context().observed == ()


def test_the_host_says_a_warning_once_through_the_log(core: Core) -> None:
    host = CallHost(core.client, None, core.client._log)
    for _ in range(2):
        host.warn("message")
    assert core.lines == ["warning [assay] message"]
