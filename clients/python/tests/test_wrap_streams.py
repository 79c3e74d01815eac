"""Streams through wrapped clients: read, left, closed, dropped, canceled, broken."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from typing import Any, Callable, Dict, List

import openai
import pytest
from model_call_fixture import (
    ABORTED,
    ASK,
    CHAT,
    HELLO,
    USAGE_CHUNK,
    Observed,
    chunk,
    event_stream,
)

# The connection stays open, so the stream ends only when it is closed.
OPEN = event_stream(HELLO, end="hang", done=False)


def _closed(stream: Any) -> None:
    next(stream)
    stream.close()
    stream.close()


def _with_exit(stream: Any) -> None:
    with stream as entered:
        assert entered is stream
        next(stream)


def _failing_body(stream: Any) -> None:
    with pytest.raises(KeyError), stream:
        next(stream)
        raise KeyError("mine")


def _response_closed(stream: Any) -> None:
    next(stream)
    stream.response.close()


def _dropped(stream: Any) -> None:
    for _ in stream:
        break


@pytest.mark.parametrize("leave", [_closed, _with_exit, _failing_body, _response_closed, _dropped])
def test_a_stream_that_is_left_is_aborted_and_no_error(observe: Any, leave: Callable[[Any], None]) -> None:
    observed = observe({CHAT: [OPEN]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    leave(client.chat.completions.create(stream=True, **ASK))
    (call,) = observed.calls()
    assert call["metadata"] == ABORTED
    assert call["response"] == "Hello"
    assert call["error"] is False
    assert (call["input_tokens"], call["output_tokens"], call["usage_estimated"]) == (1, 2, True)


def test_a_stream_that_is_read_on_after_a_break_is_one_whole_call(observe: Any) -> None:
    observed = observe({CHAT: [event_stream([*HELLO, USAGE_CHUNK])]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    stream = client.chat.completions.create(stream=True, **ASK)
    for _ in stream:
        break
    assert [each.choices[0].delta.content for each in stream] == [" you", ""]
    (call,) = observed.calls()
    assert call["response"] == "Hello you"
    assert call["output_tokens"] == 3
    assert "metadata" not in call


def _read(*clients: Any) -> List[str]:
    def read(client: Any) -> str:
        stream = client.chat.completions.create(stream=True, **ASK)
        return "".join(part.choices[0].delta.content or "" for part in stream)

    return [read(client) for client in clients]


def _read_async(*clients: Any) -> List[str]:
    async def read(client: Any) -> str:
        stream = await client.chat.completions.create(stream=True, **ASK)
        return "".join([part.choices[0].delta.content or "" async for part in stream])

    async def read_all() -> List[str]:
        return [await read(client) for client in clients]

    return asyncio.run(read_all())


READERS = [("openai", _read), ("async_openai", _read_async)]


@pytest.mark.parametrize("kind, read", READERS, ids=["sync", "async"])
def test_a_stream_is_asked_for_no_usage_where_the_application_says_so(
    observe: Any, kind: str, read: Callable[..., List[str]]
) -> None:
    observed = observe({CHAT: [event_stream(HELLO)]})
    client = observed.assay.wrap(getattr(observed, kind)(), "greeting", user="ada", stream_usage=False)
    assert read(client) == ["Hello you"]
    assert options_sent(observed) == [None]


@pytest.mark.parametrize("kind, read", READERS, ids=["sync", "async"])
@pytest.mark.parametrize(
    "status, error",
    [
        (400, {"message": "Unrecognized request argument supplied: stream_options"}),
        (422, {"message": "Extra inputs are not permitted", "param": "stream_options"}),
    ],
)
def test_what_a_backend_refuses_for_our_option_is_made_again_without_it_and_asked_no_more(
    observe: Any, kind: str, read: Callable[..., List[str]], status: int, error: Dict[str, str]
) -> None:
    refusal = {"status": status, "body": {"error": error}}
    observed = observe({CHAT: [refusal, event_stream(HELLO)]})
    client = observed.assay.wrap(getattr(observed, kind)(), "greeting", user="ada")
    again = observed.assay.wrap(client, "greeting", user="ada")
    assert read(client, again) == ["Hello you", "Hello you"]
    assert options_sent(observed) == [{"include_usage": True}, None, None]
    assert [(call["error"], call["response"]) for call in observed.calls()] == [(False, "Hello you")] * 2


@pytest.mark.parametrize("kind, read", READERS, ids=["sync", "async"])
def test_any_other_refusal_is_the_providers_error(
    observe: Any, kind: str, read: Callable[..., List[str]]
) -> None:
    ours = {"status": 400, "body": {"error": {"message": "stream_options is unknown"}}}
    other = {"status": 400, "body": {"error": {"message": "max_tokens is too large"}}}
    observed = observe({CHAT: [other, ours, other]})
    for _ in range(2):
        client = observed.assay.wrap(getattr(observed, kind)(), "greeting", user="ada")
        with pytest.raises(openai.BadRequestError, match="max_tokens is too large") as raised:
            read(client)
        assert not isinstance(raised.value.__context__, openai.BadRequestError)
    assert [call["error"] for call in observed.calls()] == [True, True]


def options_sent(observed: Observed) -> List[Any]:
    posts = [request for request in observed.server.requests() if request["path"] == CHAT]
    return [json.loads(request["body"]).get("stream_options") for request in posts]


def test_a_stream_keeps_its_class_and_all_it_can_do(observe: Any) -> None:
    observed = observe({CHAT: [event_stream([*HELLO, USAGE_CHUNK])]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    stream = client.chat.completions.create(stream=True, **ASK)
    assert isinstance(stream, openai.Stream)
    assert stream.response.status_code == 200
    assert iter(stream) is stream
    assert hash(stream) == hash(stream) and stream == stream
    stream.mine = 1
    assert stream.mine == 1
    assert len(list(stream)) == 3
    assert "close" not in vars(stream.response)


def test_errors_in_a_stream_are_the_librarys_own(observe: Any) -> None:
    broken = event_stream(HELLO[:1], end="reset", done=False)
    observed = observe({CHAT: [broken]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    with pytest.raises(Exception) as caught:
        list(client.chat.completions.create(stream=True, **ASK))
    (call,) = observed.calls()
    assert call["error"] is True
    assert call["error_type"] == type(caught.value).__name__
    assert "metadata" not in call


def test_async_streams_are_left_by_break_close_exit_and_cancellation(observe: Any) -> None:
    observed = observe({CHAT: [OPEN]})

    async def main() -> None:
        client = observed.assay.wrap(observed.async_openai(), "greeting", user="ada")
        async for _ in await client.chat.completions.create(stream=True, **ASK):
            break
        stream = await client.chat.completions.create(stream=True, **ASK)
        assert isinstance(stream, openai.AsyncStream)
        await stream.__anext__()
        await stream.close()
        async with await client.chat.completions.create(stream=True, **ASK) as entered:
            await entered.__anext__()
        # After its chunks the connection is silent.
        stream = await client.chat.completions.create(stream=True, **ASK)

        async def read() -> None:
            async for each in stream:
                if each.choices[0].finish_reason:
                    at_end.set()

        at_end = asyncio.Event()
        task = asyncio.ensure_future(read())
        await at_end.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    gc.collect()
    calls = observed.calls()
    assert [call["response"] for call in calls] == ["Hello", "Hello", "Hello", "Hello you"]
    assert all(call["metadata"] == ABORTED and call["error"] is False for call in calls)


def test_a_cancelled_call_is_aborted(observe: Any) -> None:
    observed = observe({CHAT: ["hang"]})

    async def main() -> None:
        client = observed.assay.wrap(observed.async_openai(), "greeting", user="ada")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(client.chat.completions.create(**ASK), 0.2)

    asyncio.run(main())
    (call,) = observed.calls()
    assert call["metadata"] == ABORTED
    assert call["error"] is False


def test_a_stream_is_read_in_another_thread_and_for_its_own_user(observe: Any) -> None:
    observed = observe({CHAT: [event_stream([*HELLO, USAGE_CHUNK])]})
    client = observed.assay.wrap(observed.openai(), "greeting")
    with observed.assay.as_user("ada"):
        stream = client.chat.completions.create(stream=True, **ASK)
    with observed.assay.as_user("bob"):
        thread = threading.Thread(target=lambda: list(stream))
        thread.start()
        thread.join()
    (call,) = observed.calls()
    assert (call["user_id"], call["response"]) == ("ada", "Hello you")


def test_chunks_are_not_kept(observe: Any) -> None:
    many = [chunk("x" * 50) for _ in range(3_000)]
    observed = observe({CHAT: [event_stream(many)]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    stream = client.chat.completions.create(stream=True, **ASK)
    kinds = []
    for index, each in enumerate(stream):
        if index in (100, 2_900):
            kinds.append(sum(1 for one in gc.get_objects() if type(one) is type(each)))
    assert kinds[1] <= kinds[0] + 5
    (call,) = observed.calls()
    assert len(call["response"].encode()) == 65_536
    assert call["response"].endswith("…[cut]")


def test_the_first_token_is_the_first_text(observe: Any) -> None:
    role = {**chunk(""), "choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]}
    observed = observe({CHAT: [event_stream([role, *HELLO]), event_stream([role])]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    list(client.chat.completions.create(stream=True, **ASK))
    list(client.chat.completions.create(stream=True, **ASK))
    told, silent = observed.calls()
    assert 0 <= told["time_to_first_token_ms"] <= told["latency_ms"]
    assert "time_to_first_token_ms" not in silent
