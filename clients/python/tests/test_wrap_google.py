"""Google's library through a wrapped client."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any, Callable, Dict, Iterator, List

import pytest
from conftest import ScenarioServer
from model_call_fixture import Observed

genai = pytest.importorskip("google.genai", reason="google-genai has no version for this Python")

ASK = "/v1/models/gemini:generateContent"
STREAM = "/v1/models/gemini:streamGenerateContent?alt=sse"


def _answer(*parts: Any) -> Dict[str, Any]:
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12}
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-1"}


def _reply(*parts: Any) -> Dict[str, Any]:
    return {"status": 200, "body": _answer(*parts)}


def _stream(*texts: str) -> Dict[str, Any]:
    chunks = [f"data: {json.dumps(_answer({'text': text}))}\r\n\r\n" for text in texts]
    return {"status": 200, "headers": {"content-type": "text/event-stream"}, "chunks": chunks}


@pytest.fixture
def observe(scenario_server: ScenarioServer) -> Iterator[Callable[[Dict[str, List[Any]]], Any]]:
    made: List[Observed] = []

    def start(scenario: Dict[str, List[Any]]) -> Any:
        made.append(Observed(scenario_server, scenario))
        options = {"base_url": scenario_server.url, "api_version": "v1"}
        raw = genai.Client(api_key="k", http_options=options)
        return made[-1], made[-1].assay.wrap(raw, "greeting", user="ada"), raw

    yield start
    for each in made:
        each.assay.close()


def test_the_view_is_the_client(observe: Any) -> None:
    _, client, raw = observe({})
    assert isinstance(client, genai.Client) and client == raw
    assert (
        client.models is client.models and client.aio is client.aio and client.aio.models is client.aio.models
    )
    assert client.files is raw.files
    assert client.models == raw.models and client.aio.models != raw.models


def test_reads_objects_of_the_library(observe: Any) -> None:
    observed, client, _ = observe({ASK: [_reply({"text": "Hello you"})]})
    types = genai.types
    image = types.Part.from_bytes(data=b"\x89", mime_type="image/png")
    asked = types.Content(role="user", parts=[types.Part(text="What?"), image])
    called = types.Content(role="model", parts=[types.Part.from_function_call(name="find", args={"q": 1.0})])
    config = types.GenerateContentConfig(system_instruction="Be kind.")
    answer = client.models.generate_content(model="gemini", contents=[asked, called], config=config)
    assert answer.text == "Hello you"
    client.models.generate_content(model="gemini", contents=["What?", image])
    first, second = observed.calls()
    assert first["prompt"] == 'system: Be kind.\n\nuser: What?\n[image]\n\nmodel: [tool_call find({"q":1})]'
    assert second["prompt"] == "user: What?\n[image]"
    assert (first["model"], first["finish_reason"], first["response"]) == ("gemini-1", "STOP", "Hello you")
    assert (first["input_tokens"], first["output_tokens"]) == (9, 3)


def test_functions_that_are_called_automatically_are_one_call(observe: Any) -> None:
    call = {"functionCall": {"name": "now", "args": {}}}
    observed, client, _ = observe({ASK: [_reply(call), _reply({"text": "Noon"})]})

    def now() -> str:
        """Returns the time."""
        return "12:00"

    config = genai.types.GenerateContentConfig(tools=[now])
    assert client.models.generate_content(model="gemini", contents="When?", config=config).text == "Noon"
    assert len(observed.server.requests(ASK)) == 2
    (recorded,) = observed.calls()
    assert recorded["response"] == "Noon"


def test_streams_are_generators(observe: Any) -> None:
    observed, client, _ = observe({STREAM: [_stream("Hello", " you")]})
    stream = client.models.generate_content_stream(model="gemini", contents="Hi")
    assert inspect.isgenerator(stream)
    assert [each.text for each in stream] == ["Hello", " you"]
    for _ in client.models.generate_content_stream(model="gemini", contents="Hi"):
        break
    whole, left = observed.calls()
    assert (whole["response"], whole["output_tokens"], "metadata" in whole) == ("Hello you", 3, False)
    assert (left["response"], left["metadata"]) == ("Hello", {"outcome": "aborted"})


def test_async_calls(observe: Any) -> None:
    observed, client, _ = observe({ASK: [_reply({"text": "Hi"})], STREAM: [_stream("Hello", " you")]})

    async def main() -> None:
        async with client.aio as aio:
            assert (await aio.models.generate_content(model="gemini", contents="Hi")).text == "Hi"
            stream = await aio.models.generate_content_stream(model="gemini", contents="Hi")
            assert [each.text async for each in stream] == ["Hello", " you"]

    asyncio.run(main())
    assert [call["response"] for call in observed.calls()] == ["Hi", "Hello you"]
