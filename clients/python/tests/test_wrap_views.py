"""To its user, a wrapped client is the client itself, except that calls are recorded."""

from __future__ import annotations

import asyncio
import copy
import inspect
import logging
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, Dict, List

import anthropic
import openai
import pydantic
import pytest
from model_call_fixture import (
    ASK,
    ASK_CLAUDE,
    CHAT,
    HELLO,
    MESSAGES,
    claude_message,
    claude_stream,
    completion,
    event_stream,
)

PLAIN = {CHAT: [completion()]}


def test_a_wrapped_client_is_of_its_class_and_equal_to_itself(observe: Any) -> None:
    observed = observe(PLAIN)
    raw = observed.openai()
    client = observed.assay.wrap(raw, "greeting", user="ada")
    assert isinstance(client, openai.OpenAI)
    assert isinstance(client.chat.completions, type(raw.chat.completions))
    assert client.chat is client.chat
    assert client.chat.completions is client.chat.completions
    assert client == raw and raw == client and hash(client) == hash(raw)
    assert repr(client) == repr(raw) and dir(client) == dir(raw) and client.__doc__ == raw.__doc__
    assert client.models is raw.models
    assert client.api_key == "k"


def test_the_provider_is_not_changed(observe: Any) -> None:
    observed = observe(PLAIN)
    raw = observed.openai()
    raw.chat.completions.create(**ASK)
    before = (dict(vars(raw)), dict(vars(raw.chat)), dict(vars(raw.chat.completions)))
    client = observed.assay.wrap(raw, "greeting", user="ada")
    client.chat.completions.create(**ASK)
    known = (dict(vars(raw)), dict(vars(raw.chat)), dict(vars(raw.chat.completions)))
    assert known == before
    raw.chat.completions.create(**ASK)
    assert len(observed.calls()) == 1


def test_attributes_are_set_and_deleted_on_the_provider(observe: Any) -> None:
    observed = observe(PLAIN)
    raw = observed.openai()
    client = observed.assay.wrap(raw, "greeting", user="ada")
    client.api_key = "other"
    client.mine = 1
    assert (raw.api_key, raw.mine) == ("other", 1)
    del client.mine
    assert not hasattr(raw, "mine")
    with pytest.raises(AttributeError, match="nothing"):
        _ = client.nothing


def test_methods_look_as_they_did(observe: Any) -> None:
    observed = observe(PLAIN)
    raw = observed.async_anthropic()
    client = observed.assay.wrap(raw, "greeting", user="ada")
    create, original = client.messages.create, raw.messages.create
    assert create == original
    assert inspect.ismethod(create)
    assert inspect.signature(create) == inspect.signature(original)
    assert inspect.iscoroutinefunction(create) == inspect.iscoroutinefunction(original)
    assert create.__name__ == "create" and create.__doc__ == original.__doc__


def test_context_managers_enter_the_wrapped_client(observe: Any) -> None:
    observed = observe(PLAIN)
    with observed.assay.wrap(observed.openai(), "greeting", user="ada") as client:
        client.chat.completions.create(**ASK)

    async def main() -> None:
        async with observed.assay.wrap(observed.async_openai(), "greeting", user="ada") as client:
            await client.chat.completions.create(**ASK)

    asyncio.run(main())
    assert len(observed.calls()) == 2


@pytest.mark.parametrize("name", ["copy", "with_options"])
def test_copies_with_other_options_are_wrapped_too(observe: Any, name: str) -> None:
    observed = observe(PLAIN)
    raw = observed.openai()
    client = getattr(observed.assay.wrap(raw, "greeting", user="ada"), name)(timeout=7)
    assert (client.timeout, isinstance(client, openai.OpenAI)) == (7, True)
    client.chat.completions.create(**ASK)
    copy.copy(client).chat.completions.create(**ASK)
    assert len(observed.calls()) == 2


def test_wrapped_twice_is_wrapped_once(observe: Any) -> None:
    observed = observe(PLAIN)
    once = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    assert observed.assay.wrap(once, "greeting") is once
    bob = observed.assay.wrap(once, "greeting", user="bob")
    bob.chat.completions.create(**ASK)
    (call,) = observed.calls()
    assert call["user_id"] == "bob"


def test_two_clients_may_wrap_one_provider(observe: Any) -> None:
    observed = observe(PLAIN)
    config = observed.assay.config_snapshot()
    first = config["experiments"][0]
    config["experiments"].append({**first, "id": first["id"][:-1] + "2", "name": "two"})
    observed = observe(PLAIN, config=config)
    raw = observed.openai()
    outer = observed.assay.wrap(observed.assay.wrap(raw, "greeting", user="ada"), "two", user="ada")
    outer.chat.completions.create(**ASK)
    calls = observed.calls()
    assert len({call["experiment_id"] for call in calls}) == 2 == len(calls)


UNKNOWN = [object(), None, 7, {"chat": 1}, SimpleNamespace(models=[]), SimpleNamespace(chat=None)]


@pytest.mark.parametrize("provider", UNKNOWN)
def test_an_unknown_object_comes_back_with_a_warning(observe: Any, provider: Any, caplog: Any) -> None:
    observed = observe(PLAIN)
    with caplog.at_level(logging.WARNING):
        assert observed.assay.wrap(provider, "greeting") is provider
        assert observed.assay.wrap(provider, "greeting") is provider
    assert [record.getMessage() for record in caplog.records] == ["[assay] wrap does not support this object"]


def test_azure_is_wrapped(observe: Any) -> None:
    path = "/openai/deployments/gpt-5-mini/chat/completions?api-version=1"
    observed = observe({path: [completion()]})
    raw = openai.AzureOpenAI(api_key="k", azure_endpoint=observed.server.url, api_version="1", max_retries=0)
    observed.assay.wrap(raw, "greeting", user="ada").chat.completions.create(**ASK)
    (call,) = observed.calls()
    assert call["response"] == "Hello you"


def test_a_call_without_user_or_variant_is_made_and_not_recorded(observe: Any, caplog: Any) -> None:
    observed = observe(PLAIN)
    client = observed.assay.wrap(observed.openai(), "greeting")
    assert client.chat.completions.create(**ASK).choices[0].message.content == "Hello you"
    unknown = observed.assay.wrap(observed.openai(), "nowhere", user="ada")
    assert unknown.chat.completions.create(**ASK).choices[0].message.content == "Hello you"
    assert observed.events() == []
    assert "model call without a user" in caplog.text


def test_raw_responses(observe: Any) -> None:
    stream = event_stream(HELLO)
    observed = observe({CHAT: [completion(), completion(), stream, stream]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    raw = client.chat.completions.with_raw_response.create(**ASK)
    assert raw.parse().choices[0].message.content == "Hello you"
    raw = client.with_raw_response.chat.completions.create(**ASK)
    assert raw.http_response.status_code == 200
    raw = client.chat.completions.with_raw_response.create(stream=True, **ASK)
    assert isinstance(raw.parse(), openai.Stream)
    assert raw.parse() is raw.parse()
    assert len(list(raw.parse())) == 3
    raw = client.chat.completions.with_raw_response.create(stream=True, **ASK)
    next(raw.parse())
    raw.http_response.close()
    calls = observed.calls()
    assert [call["response"] for call in calls] == ["Hello you", "Hello you", "Hello you", "Hello"]
    assert ["metadata" in call for call in calls] == [False, False, False, True]


def test_streaming_responses(observe: Any) -> None:
    stream = event_stream(HELLO)
    observed = observe({CHAT: [completion(), completion(), stream, stream]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    streaming = client.chat.completions.with_streaming_response
    with streaming.create(**ASK) as response:
        assert response.parse().choices[0].message.content == "Hello you"
    with streaming.create(**ASK) as response:
        assert b"Hello you" in response.read()
    with streaming.create(stream=True, **ASK) as response:
        assert len(list(response.parse())) == 3
    with streaming.create(stream=True, **ASK) as response:
        assert any("Hello" in line for line in response.iter_lines())
    parsed, read, streamed, lines = observed.calls()
    assert (parsed["response"], streamed["response"]) == ("Hello you", "Hello you")
    for call in (read, lines):
        assert call["error"] is False and "metadata" not in call and "response" not in call


def test_async_raw_and_streaming_responses(observe: Any) -> None:
    observed = observe({CHAT: [completion(), event_stream(HELLO), completion()]})

    async def main() -> None:
        client = observed.assay.wrap(observed.async_openai(), "greeting", user="ada")
        raw = await client.chat.completions.with_raw_response.create(**ASK)
        assert raw.parse().choices[0].message.content == "Hello you"
        async with client.chat.completions.with_streaming_response.create(stream=True, **ASK) as response:
            assert len([each async for each in await response.parse()]) == 3
        async with client.chat.completions.with_streaming_response.create(**ASK) as response:
            assert (await response.parse()).choices[0].message.content == "Hello you"

    asyncio.run(main())
    assert [call["response"] for call in observed.calls()] == ["Hello you"] * 3


def test_raw_responses_of_anthropic(observe: Any) -> None:
    observed = observe({MESSAGES: [claude_message(), claude_stream(["Hello", " you"]), claude_message()]})
    client = observed.assay.wrap(observed.anthropic(), "greeting", user="ada")
    raw = client.messages.with_raw_response.create(**ASK_CLAUDE)
    assert raw.parse().content[0].text == "Hello you"
    raw = client.messages.with_raw_response.create(stream=True, **ASK_CLAUDE)
    # The older library answers `isinstance` itself, for the exact class only.
    assert raw.parse().__class__ is anthropic.Stream
    assert len(list(raw.parse())) == 7
    with client.messages.with_streaming_response.create(**ASK_CLAUDE) as response:
        assert response.parse().content[0].text == "Hello you"
    assert [call["response"] for call in observed.calls()] == ["Hello you"] * 3


def _tool_reply() -> Any:
    block = {"type": "tool_use", "id": "t", "name": "add", "input": {"a": 1, "b": 2}}
    return claude_message(content=[block], stop_reason="tool_use")


@anthropic.beta_tool
def add(a: int, b: int) -> str:
    """Adds numbers."""
    return str(a + b)


@anthropic.beta_async_tool(name="add")
async def add_async(a: int, b: int) -> str:
    """Adds numbers."""
    return str(a + b)


def _tool_scenario() -> Dict[str, List[Any]]:
    replies = [_tool_reply(), claude_message("It is 3.")]
    return {MESSAGES: replies, f"{MESSAGES}?beta=true": replies}


def test_each_turn_of_a_tool_runner_is_a_call(observe: Any) -> None:
    observed = observe(_tool_scenario())
    client = observed.assay.wrap(observed.anthropic(), "greeting")
    with observed.assay.as_user("ada"):
        runner = client.beta.messages.tool_runner(tools=[add], **ASK_CLAUDE)
    assert runner.until_done().content[0].text == "It is 3."
    first, second = observed.calls()
    assert first["response"] == '[tool_call add({"a":1,"b":2})]'
    assert second["response"] == "It is 3."
    # The newer library sends only what is new.
    assert second["prompt"].endswith("user: 3") and second["user_id"] == "ada"


def test_each_turn_of_an_async_tool_runner_is_a_call(observe: Any) -> None:
    observed = observe(_tool_scenario())

    async def main() -> None:
        client = observed.assay.wrap(observed.async_anthropic(), "greeting", user="ada")
        runner = client.beta.messages.tool_runner(tools=[add_async], **ASK_CLAUDE)
        assert (await runner.until_done()).content[0].text == "It is 3."

    asyncio.run(main())
    assert [call["response"] for call in observed.calls()][1] == "It is 3."


def test_each_turn_of_a_streaming_tool_runner_is_a_call(observe: Any) -> None:
    replies = [claude_stream(["Hello", " you"])]
    observed = observe({MESSAGES: replies, f"{MESSAGES}?beta=true": replies})
    client = observed.assay.wrap(observed.anthropic(), "greeting", user="ada")
    for stream in client.beta.messages.tool_runner(tools=[add], stream=True, **ASK_CLAUDE):
        assert stream.get_final_message().content[0].text == "Hello you"
    (call,) = observed.calls()
    assert call["response"] == "Hello you" and call["output_tokens"] == 3


def test_mask_rewrites_or_withholds(observe: Any, caplog: Any) -> None:
    def mask(text: str, part: str) -> Any:
        return f"{part} of {len(text)}" if part == "prompt" else None

    def broken(text: str, part: str) -> str:
        raise ValueError(text)

    for option, expected in ((mask, ["prompt of 2", None]), (broken, [None, None])):
        observed = observe(PLAIN, mask=option)
        observed.assay.wrap(observed.openai(), "greeting", user="ada").chat.completions.create(**ASK)
        (call,) = observed.calls()
        assert [call.get("prompt"), call.get("response")] == expected
    assert "Hi" not in caplog.text and "mask or extract raised" in caplog.text


def test_calls_in_a_pool_are_those_of_their_users(observe: Any) -> None:
    observed = observe(PLAIN)
    client = observed.assay.wrap(observed.openai(), "greeting")

    def call(user: str) -> None:
        with observed.assay.as_user(user):
            client.chat.completions.create(**ASK)

    users = [f"user-{index}" for index in range(12)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(call, users))
    assert sorted(each["user_id"] for each in observed.calls()) == sorted(users)


def test_a_closed_client_only_makes_the_call(observe: Any) -> None:
    observed = observe(PLAIN)
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    observed.assay.close()
    assert client.chat.completions.create(**ASK).choices[0].message.content == "Hello you"


def test_errors_are_raised_as_they_are(observe: Any) -> None:
    observed = observe({CHAT: [{"status": 400, "body": {"error": {"message": "no"}}}]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(**ASK)
    assert caught.value.__context__ is None or not isinstance(caught.value.__context__, AttributeError)
    with pytest.raises(TypeError):
        client.chat.completions.create(model="m", messages=[], nonsense=1)
    first, second = observed.calls()
    assert (first["error_type"], second["error_type"]) == ("BadRequestError", "TypeError")


def test_parse_helpers_give_the_callers_class(observe: Any) -> None:
    class Sum(pydantic.BaseModel):
        a: int

    item = {"id": "i", "type": "message", "role": "assistant", "status": "completed"}
    content = [{"type": "output_text", "text": '{"a":1}', "annotations": []}]
    body = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "tools": [],
    }
    body.update(
        {"output": [{**item, "content": content}], "parallel_tool_calls": True, "tool_choice": "auto"}
    )
    observed = observe({CHAT: [completion('{"a":1}')], "/v1/responses": [{"status": 200, "body": body}]})
    client = observed.assay.wrap(observed.openai(), "greeting", user="ada")
    assert client.chat.completions.parse(response_format=Sum, **ASK).choices[0].message.parsed == Sum(a=1)
    assert client.responses.parse(model="m", input="Hi", text_format=Sum).output_parsed == Sum(a=1)
    assert [call["response"] for call in observed.calls()] == ['{"a":1}'] * 2


def test_the_beta_chat_of_older_libraries(observe: Any) -> None:
    observed = observe(PLAIN)
    raw = observed.openai()
    if not hasattr(raw.beta, "chat"):
        pytest.skip("this version of the library has none")
    client = observed.assay.wrap(raw, "greeting", user="ada")
    client.beta.chat.completions.parse(**ASK)
    with client.beta.chat.completions.stream(**ASK):
        pass
    assert len(observed.calls()) == 2
