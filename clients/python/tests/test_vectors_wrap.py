"""Runs `vectors/wrap/*.json` on the real libraries of the providers, with and without asyncio."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
from typing import Any, Callable, Dict, Iterator, NamedTuple

import anthropic
import openai
import pytest
from conftest import ScenarioServer, vectors
from model_call_fixture import Observed

from assay._model_call._foreign_value import field_at

try:
    from google import genai
except ImportError:
    # There is none for Python 3.8.
    assert sys.version_info < (3, 9), "google-genai is missing"
    genai = None


def _text_of_chat(value: Any) -> Any:
    message = field_at(value, "choices", 0, "message", "content")
    return field_at(value, "choices", 0, "delta", "content") if message is None else message


def _text_of_completion(value: Any) -> Any:
    return field_at(value, "choices", 0, "text")


def _text_of_response(value: Any) -> Any:
    text = field_at(value, "output_text")
    is_delta = field_at(value, "type") == "response.output_text.delta"
    return text if text is not None else field_at(value, "delta") if is_delta else ""


def _text_of_message(value: Any) -> Any:
    text = field_at(value, "content", 0, "text")
    return field_at(value, "delta", "text") if text is None else text


def _text_of_candidate(value: Any) -> Any:
    return field_at(value, "candidates", 0, "content", "parts", 0, "text")


def _google(url: str) -> Any:
    return genai.Client(api_key="k", http_options={"base_url": url, "api_version": "v1"})


class Provider(NamedTuple):
    file: str
    make: Callable[[str, int], Any]
    make_async: Callable[[str, int], Any]
    text_of: Callable[[Any], Any]
    """The text of a whole result, or of a chunk."""


def _openai(kind: Any) -> Callable[[str, int], Any]:
    return lambda url, retries: kind(api_key="k", base_url=f"{url}/v1", max_retries=retries)


def _anthropic(kind: Any) -> Callable[[str, int], Any]:
    return lambda url, retries: kind(api_key="k", base_url=url, max_retries=retries)


PROVIDERS = [
    Provider("openai-chat", _openai(openai.OpenAI), _openai(openai.AsyncOpenAI), _text_of_chat),
    Provider("openai-completions", _openai(openai.OpenAI), _openai(openai.AsyncOpenAI), _text_of_completion),
    Provider("openai-embeddings", _openai(openai.OpenAI), _openai(openai.AsyncOpenAI), lambda _: ""),
    Provider("openai-responses", _openai(openai.OpenAI), _openai(openai.AsyncOpenAI), _text_of_response),
    Provider(
        "anthropic-messages",
        _anthropic(anthropic.Anthropic),
        _anthropic(anthropic.AsyncAnthropic),
        _text_of_message,
    ),
    *(
        Provider(file, lambda url, _: _google(url), lambda url, _: _google(url), _text_of_candidate)
        for file in ("google-generate-content", "google-chats")
    ),
]


def _cases() -> Iterator[Any]:
    for provider in PROVIDERS:
        if provider.file.startswith("google") and genai is None:
            skip = pytest.mark.skip(reason="google-genai has no version for this Python")
            yield pytest.param(provider, {}, "sync", id=provider.file, marks=skip)
            continue
        for case in vectors(f"wrap/{provider.file}")["cases"]:
            for mode in ("sync", "async"):
                name = f"{provider.file}: {case['name']}"
                yield pytest.param(provider, _as_in_python(name, case), mode, id=f"{name} ({mode})")


# The Python library passes this event to the caller; the TypeScript library throws.
REPORTED = "openai-responses: stream that reports an error"


def _as_in_python(name: str, case: Dict[str, Any]) -> Dict[str, Any]:
    if name != REPORTED:
        return case
    seen = {"chunks": case["seen"]["chunks"] + 1, "text": case["seen"]["text"]}
    exposure, call = case["events"]
    return {**case, "seen": seen, "events": [exposure, {**call, "error_type": "server_error"}]}


class AnyMs:
    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, float)) and not isinstance(other, bool) and other >= 0


class AnyText:
    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)


def _with_matchers(value: Any) -> Any:
    """Turns `{"$": …}` into what compares with it."""
    if isinstance(value, list):
        return [_with_matchers(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "$" in value:
        return {"any_ms": AnyMs, "any_text": AnyText}[value["$"]]()
    return {key: _with_matchers(entry) for key, entry in value.items()}


def _method_of(client: Any, method: str, mode: str) -> Any:
    path = re.sub(r"([A-Z])", lambda found: "_" + found.group().lower(), method).split(".")
    if mode == "async" and path[0] == "models":
        path.insert(0, "aio")
    found = client
    for name in path:
        if not hasattr(type(found), name) and not hasattr(found, name):
            pytest.skip(f"this version of the library has no {method}")
        found = getattr(found, name)
    return found


class Watcher:
    """Reads the result of a call as `consume` says."""

    def __init__(self, case: Dict[str, Any], text_of: Callable[[Any], Any]) -> None:
        self.how = case["consume"]["how"]
        self.limit = case["consume"].get("chunks")
        self.is_chat = "chat" in case
        self.text_of = text_of
        self.seen: Dict[str, Any] = {} if self.how == "await" else {"chunks": 0, "text": ""}

    def take(self, chunk: Any) -> str:
        self.seen["chunks"] += 1
        self.seen["text"] += self.text_of(chunk) or ""
        return self.how if self.seen["chunks"] == self.limit else ""

    def whole(self, result: Any) -> None:
        self.seen["text"] = self.text_of(result) or ""

    def fail(self, error: Exception) -> None:
        self.seen["error"] = type(error).__name__
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        if isinstance(status, int):
            self.seen["status"] = status


def _consume(watcher: Watcher, call: Callable[[], Any]) -> None:
    try:
        result = call()
        if watcher.how == "await":
            watcher.whole(result)
            return
        for chunk in result:
            action = watcher.take(chunk)
            if action == "break_after":
                break
            if action == "abort_after":
                result.close()
                break
    except Exception as error:
        watcher.fail(error)


async def _aconsume(watcher: Watcher, call: Callable[[], Any]) -> None:
    try:
        result = await call()
        if watcher.how == "await":
            watcher.whole(result)
            return
        async for chunk in result:
            action = watcher.take(chunk)
            if action == "break_after":
                if watcher.is_chat:
                    # Otherwise the loop closes the generator at its end, and logs what holds the stream.
                    await result.aclose()
                break
            if action == "abort_after":
                await result.close()
                break
    except Exception as error:
        watcher.fail(error)


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the libraries' wait before a retry."""
    for library in (openai, anthropic):
        monkeypatch.setattr(library._base_client, "INITIAL_RETRY_DELAY", 0.001)
        monkeypatch.setattr(library._base_client, "MAX_RETRY_DELAY", 0.001)


@pytest.mark.parametrize(("provider", "case", "mode"), list(_cases()))
def test_case(scenario_server: ScenarioServer, provider: Provider, case: Dict[str, Any], mode: str) -> None:
    file = vectors(f"wrap/{provider.file}")
    # Anthropic's older library puts the beta into the query.
    scripts = {
        path + query: replies for path, replies in case["scenario"].items() for query in ("", "?beta=true")
    }
    observed = Observed(scenario_server, scripts, config=file["config"])
    try:
        _run(observed, provider, case, mode, scripts)
    finally:
        observed.assay.close()


def _run(
    observed: Observed, provider: Provider, case: Dict[str, Any], mode: str, scripts: Dict[str, Any]
) -> None:
    file = vectors(f"wrap/{provider.file}")
    scenario_server = observed.server
    make = provider.make if mode == "sync" else provider.make_async
    raw = make(scenario_server.url, file["max_retries"])
    wrapped = observed.assay.wrap(raw, file["experiment"], user=file["user"])
    chats = wrapped.aio.chats if mode == "async" and "chat" in case else getattr(wrapped, "chats", None)
    owner = chats.create(**case["chat"]) if "chat" in case else wrapped
    method = _method_of(owner, case["method"], mode)
    arguments = case["args"]
    before = repr(arguments)
    watcher = Watcher(case, provider.text_of)
    if mode == "sync":
        _consume(watcher, lambda: method(**arguments))
    else:
        asyncio.run(_aconsume(watcher, lambda: method(**arguments)))
    if "error" in watcher.seen or "chat" in case:
        # The traceback of the error, or the generator of a chat, may still hold the stream.
        gc.collect()
    seen = watcher.seen
    assert {name: seen.get(name) for name in case["seen"]} == _with_matchers(case["seen"])
    assert ("error" in seen) == ("error" in case["seen"]), seen
    assert repr(arguments) == before
    requests = [request for request in scenario_server.requests() if request["path"] in scripts]
    assert len(requests) == case.get("requests", 1)
    body = json.loads(requests[-1]["body"])
    for field, value in case.get("sent", {}).items():
        assert body.get(field) == value
    assert observed.events() == _with_matchers(case["events"])
