"""Facts about a model call from LangChain's own objects."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from .._model_call._call_text import content_text
from .._model_call._foreign_value import field_at, text_at
from .._model_call._learn_facts import learn_facts
from .._model_call._reading import ModelCallFormat, Reading
from ._framework_call import CallInput

_ROLES = {"human": "user", "ai": "assistant"}
_BASE_URLS = ("openai_api_base", "azure_endpoint", "anthropic_api_url", "base_url", "endpoint")
_CALL_PARTS = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta")
_USAGE = {
    "input_tokens": "input_tokens",
    "input_token_details": {
        "cache_read": "cached_input_tokens",
        "cache_creation": "cache_write_5m_tokens",
        "ephemeral_5m_input_tokens": "cache_write_5m_tokens",
        "ephemeral_1h_input_tokens": "cache_write_1h_tokens",
        "audio": "audio_input_tokens",
    },
    "output_tokens": "output_tokens",
    "output_token_details": {"reasoning": "reasoning_tokens", "audio": "audio_output_tokens"},
}
_ANSWER = {
    "model_name": "model",
    "model": "model",
    "service_tier": "service_tier",
    "finish_reason": "finish_reason",
    "stop_reason": "finish_reason",
}


def _read(told: object, reading: Reading) -> None:
    if isinstance(told, Mapping):
        reading.facts.update(told)
    else:
        reading.add_content(told)


LANGCHAIN = ModelCallFormat(None, _read)
"""Reads the value of `result_facts`, or the text of a chunk."""


def call_input(serialized: object, messages: object, told: Mapping[str, Any]) -> CallInput:
    """Returns the input of a run that started with the keyword arguments `told`."""
    params = told.get("invocation_params")
    metadata = told.get("metadata")
    configured = field_at(serialized, "kwargs")
    urls = [field_at(source, name) for source in (params, configured) for name in _BASE_URLS]
    return CallInput(
        model=field_at(params, "model")
        or field_at(params, "model_name")
        or field_at(metadata, "ls_model_name"),
        messages=[_message(each) for each in messages] if isinstance(messages, list) else messages,
        base_url=next((url for url in urls if isinstance(url, str) and url), None),
        provider=text_at(metadata, "ls_provider") or None,
        settings=params,
    )


def result_facts(result: object) -> Dict[str, Any]:
    """
    Returns the facts of an `LLMResult`. If there are several choices, text and finish reason come from the
    first one; the usage covers all.
    """
    first = field_at(result, "generations", 0, 0)
    message = field_at(first, "message")
    reading = Reading({})
    learn_facts(field_at(result, "llm_output"), {"model_name": "model", "model": "model"}, reading)
    learn_facts(field_at(message, "response_metadata"), _ANSWER, reading)
    learn_facts(field_at(first, "generation_info"), {"finish_reason": "finish_reason"}, reading)
    learn_facts(field_at(message, "usage_metadata"), _USAGE, reading)
    _count_usage_of_text(field_at(result, "llm_output", "token_usage"), reading)
    if not reading.facts.get("input_tokens"):
        # If the provider does not count the input, LangChain reports 0, with parts of 0.
        for name in ("input_tokens", "cached_input_tokens", "cache_write_5m_tokens"):
            reading.facts.pop(name, None)
        if not reading.facts.get("output_tokens"):
            reading.facts.pop("output_tokens", None)
    response = _response(message) or text_at(first, "text")
    return {**reading.facts, **({"response": response} if response else {})}


def is_from_cache(result: object) -> bool:
    """Returns whether LangChain had the answer in its cache: it then reports a cost of zero."""
    return field_at(result, "generations", 0, 0, "message", "usage_metadata", "total_cost") == 0


def _count_usage_of_text(usage: object, reading: Reading) -> None:
    # Text models have no messages, which would contain the usage.
    if "input_tokens" not in reading.facts:
        learn_facts(usage, {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}, reading)


def _response(message: object) -> str:
    content = field_at(message, "content")
    calls = field_at(message, "tool_calls")
    parts: List[object] = list(content) if isinstance(content, list) else [content or ""]
    if isinstance(calls, list) and calls:
        # In the parts of a stream, the arguments arrive in pieces.
        parts = [part for part in parts if text_at(part, "type") not in _CALL_PARTS]
        parts += [{"name": text_at(call, "name"), "args": field_at(call, "args")} for call in calls]
    return content_text(parts)


def _message(message: object) -> Any:
    kind = text_at(message, "type")
    if isinstance(message, str) or not kind:
        return message
    calls = field_at(message, "tool_calls")
    told = {"role": _ROLES.get(kind, kind), "content": field_at(message, "content")}
    return {**told, "tool_calls": calls} if calls else told
