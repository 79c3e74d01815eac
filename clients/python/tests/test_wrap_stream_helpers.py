"""The helpers with which the providers' libraries read streams."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, List

import anthropic
import pytest
from model_call_fixture import (
    ABORTED,
    ASK,
    ASK_CLAUDE,
    CHAT,
    HELLO,
    MESSAGES,
    RESPONSES,
    USAGE_CHUNK,
    claude_stream,
    event_stream,
)

#: The sampling settings of `ASK_CLAUDE`.
SETTINGS = {"max_tokens": 9}


def test_chat_stream_helper(observe: Any) -> None:
    observed = observe({CHAT: [event_stream([*HELLO, USAGE_CHUNK])]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    with client.chat.completions.stream(**ASK) as stream:
        assert stream.get_final_completion().choices[0].message.content == "Hello you"
    with client.chat.completions.stream(**ASK) as stream:
        next(stream)
    whole, left = observed.calls()
    assert (whole["response"], whole["output_tokens"], "metadata" in whole) == ("Hello you", 3, False)
    assert (left["response"], left["metadata"]) == ("Hello", ABORTED)


def test_async_chat_stream_helper(observe: Any) -> None:
    observed = observe({CHAT: [event_stream([*HELLO, USAGE_CHUNK])]})

    async def main() -> None:
        client = observed.assay.wrap(observed.async_openai(), "greeting", user="ada")
        async with client.chat.completions.stream(**ASK) as stream:
            final = await stream.get_final_completion()
            assert final.choices[0].message.content == "Hello you"
        async with client.chat.completions.stream(**ASK) as stream:
            await stream.__anext__()

    asyncio.run(main())
    whole, left = observed.calls()
    assert (whole["response"], whole["output_tokens"], "metadata" in whole) == ("Hello you", 3, False)
    assert (left["response"], left["metadata"]) == ("Hello", ABORTED)


def _response_stream() -> Dict[str, Any]:
    body = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "status": "in_progress",
        "model": "m",
        "output": [],
    }
    body.update({"tools": [], "parallel_tool_calls": True, "tool_choice": "auto"})
    usage = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}
    item = {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": []}
    part = {"type": "output_text", "text": "", "annotations": []}
    place = {"item_id": "i", "output_index": 0, "content_index": 0}
    done = {**item, "content": [{**part, "text": "Hello you"}]}
    events: List[Dict[str, Any]] = [
        {"type": "response.created", "response": body},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", "part": part, **place},
        {"type": "response.output_text.delta", "delta": "Hello", "logprobs": [], **place},
        {"type": "response.output_text.delta", "delta": " you", "logprobs": [], **place},
        {
            "type": "response.completed",
            "response": {**body, "status": "completed", "output": [done], "usage": usage},
        },
    ]
    chunks = [
        f"event: {each['type']}\ndata: {json.dumps({**each, 'sequence_number': 1})}\n\n" for each in events
    ]
    return {"status": 200, "headers": {"content-type": "text/event-stream"}, "chunks": chunks}


def test_responses_stream_helper(observe: Any) -> None:
    observed = observe({RESPONSES: [_response_stream()]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    with client.responses.stream(model="m", input="Hi") as stream:
        assert stream.get_final_response().output_text == "Hello you"
    with client.responses.stream(model="m", input="Hi") as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                break

    async def main() -> None:
        aclient = observed.assay.wrap(observed.async_openai(), "greeting", user="ada")
        async with aclient.responses.stream(model="m", input="Hi") as astream:
            assert (await astream.get_final_response()).output_text == "Hello you"

    asyncio.run(main())
    whole, left, asynchronous = observed.calls()
    for call in (whole, asynchronous):
        assert (call["response"], call["output_tokens"], call["finish_reason"]) == (
            "Hello you",
            3,
            "completed",
        )
    assert (left["response"], left["metadata"]) == ("Hello", ABORTED)


def _resource(client: Any, beta: bool) -> Any:
    return client.beta.messages if beta else client.messages


def _claude_scenario(reply: Any) -> Dict[str, List[Any]]:
    return {MESSAGES: [reply], f"{MESSAGES}?beta=true": [reply]}


@pytest.mark.parametrize("beta", [False, True])
def test_message_stream_helper(observe: Any, beta: bool) -> None:
    observed = observe(_claude_scenario(claude_stream(["Hello", " you"])))
    raw = observed.anthropic()
    client = observed.assay.wrap(raw, "greeting", user="ada")
    messages = _resource(client, beta)
    with messages.stream(**ASK_CLAUDE) as stream:
        if not beta:
            assert isinstance(stream, anthropic.MessageStream)
        assert list(stream.text_stream) == ["Hello", " you"]
        assert stream.get_final_message().usage.output_tokens == 3
        assert stream.response.status_code == 200
    with messages.stream(**ASK_CLAUDE) as stream:
        assert stream.get_final_text() == "Hello you"
    with messages.stream(**ASK_CLAUDE) as stream:
        for _ in stream.text_stream:
            break
    first, second, left = observed.calls()
    for call in (first, second):
        assert (call["response"], call["input_tokens"], call["output_tokens"]) == ("Hello you", 9, 3)
        assert (call["requested_model"], call["model"], call["prompt"]) == ("claude-1", "claude-1", "Hi")
        assert call["metadata"] == SETTINGS
    assert (left["response"], left["metadata"]) == ("Hello", {**ABORTED, **SETTINGS})


@pytest.mark.parametrize("beta", [False, True])
def test_async_message_stream_helper(observe: Any, beta: bool) -> None:
    observed = observe(_claude_scenario(claude_stream(["Hello", " you"])))

    async def main() -> None:
        client = observed.assay.wrap(observed.async_anthropic(), "greeting", user="ada")
        messages = _resource(client, beta)
        async with messages.stream(**ASK_CLAUDE) as stream:
            assert [text async for text in stream.text_stream] == ["Hello", " you"]
        async with messages.stream(**ASK_CLAUDE) as stream:
            await stream.until_done()
        async with messages.stream(**ASK_CLAUDE) as stream:
            async for _ in stream:
                break

    asyncio.run(main())
    first, second, left = observed.calls()
    for call in (first, second):
        assert (call["response"], call["output_tokens"], call["metadata"]) == ("Hello you", 3, SETTINGS)
    assert left["metadata"] == {**ABORTED, **SETTINGS}


def test_a_helper_keeps_the_user_that_it_was_made_for(observe: Any) -> None:
    observed = observe(_claude_scenario(claude_stream(["Hello"])))
    client = observed.assay.wrap(observed.anthropic(), "greeting")
    with observed.assay.as_user("ada"):
        manager = client.messages.stream(**ASK_CLAUDE)
    with manager as stream:
        stream.until_done()
    (call,) = observed.calls()
    assert call["user_id"] == "ada"
