"""
Chat completions and legacy completions of OpenAI, Azure and compatible APIs. If there are several choices,
text and finish reason come from the first one; the usage covers all.
"""

from __future__ import annotations

from typing import Optional

from ._foreign_value import field_at, text_at
from ._learn_facts import learn_facts
from ._openai_facts import openai_facts
from ._reading import ModelCallFormat, Reading, Request

_ANSWER = openai_facts("prompt_tokens", "completion_tokens")
_COST = {"usage": {"cost": "cost_usd"}}


def _read(answer: object, reading: Reading) -> None:
    choices = field_at(answer, "choices")
    if not isinstance(choices, list):
        return
    learn_facts(answer, _ANSWER, reading)
    # OpenRouter reports the cost. For a call with the caller's own key, it is only OpenRouter's fee.
    if field_at(answer, "usage", "is_byok") is not True:
        learn_facts(answer, _COST, reading)
    first = next((choice for choice in choices if not field_at(choice, "index")), None)
    if first is None:
        return
    # A chunk has a `delta` where a whole answer has a `message`.
    reading.add_content(field_at(first, "message") or text_at(first, "text"))
    _read_delta(field_at(first, "delta"), reading)
    reason = text_at(first, "finish_reason")
    if reason:
        reading.facts["finish_reason"] = reason
        reading.end_parts()


def _read_delta(delta: object, reading: Reading) -> None:
    """
    Text is added as it arrives. Tool calls may arrive in parallel, so they are added when the choice ends.
    """
    if delta is None:
        return
    text = field_at(delta, "content") or field_at(delta, "refusal") or field_at(delta, "audio", "transcript")
    reading.add_content(text)
    calls = field_at(delta, "tool_calls")
    for call in calls if isinstance(calls, list) else ():
        called = field_at(call, "function")
        name = text_at(called, "name")
        part = {"name": name, "arguments": ""} if name else None
        reading.add_part(field_at(call, "index"), part, text_at(called, "arguments"))


def _ask_usage(request: Request) -> Optional[Request]:
    # Without this option a stream does not report usage. The caller's own setting takes precedence.
    options = request.get("stream_options") or {}
    if not request.get("stream") or isinstance(options.get("include_usage"), bool):
        return None
    return {**request, "stream_options": {**options, "include_usage": True}}


def _is_usage_only(chunk: object) -> bool:
    return field_at(chunk, "choices") == [] and bool(field_at(chunk, "usage"))


OPENAI_CHAT = ModelCallFormat("openai", _read, ask_usage=_ask_usage, is_usage_only=_is_usage_only)
