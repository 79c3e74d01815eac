"""Facts about a model call from the messages of Pydantic AI."""

from __future__ import annotations

from typing import Any, Dict, List

from .._model_call._call_text import messages_text
from .._model_call._foreign_value import field_at, text_at
from .._model_call._learn_facts import learn_facts
from .._model_call._reading import ModelCallFormat, Reading

_ROLES = {
    "system-prompt": "system",
    "user-prompt": "user",
    "tool-return": "tool",
    "retry-prompt": "tool",
}
_ANSWER = {
    "model_name": "model",
    "finish_reason": "finish_reason",
    "usage": {
        "input_tokens": "input_tokens",
        "cache_read_tokens": "cached_input_tokens",
        "cache_write_tokens": "cache_write_5m_tokens",
        "input_audio_tokens": "audio_input_tokens",
        "output_tokens": "output_tokens",
        "output_audio_tokens": "audio_output_tokens",
        "details": {"reasoning_tokens": "reasoning_tokens"},
    },
}


def _read(response: object, reading: Reading) -> None:
    learn_facts(response, _ANSWER, reading)
    # A count that the provider does not report is 0 here.
    for fact in [name for name, value in reading.facts.items() if name.endswith("_tokens") and value == 0]:
        del reading.facts[fact]
    reading.add_content([_part(part) for part in _parts(response)])


PYDANTIC_AI = ModelCallFormat(None, _read)
"""Reads a `ModelResponse`."""


def prompt_of(messages: object) -> str:
    """Returns the text of the messages of a request."""
    told: List[Dict[str, Any]] = []
    instructions: object = None
    for message in messages if isinstance(messages, list) else ():
        instructions = field_at(message, "instructions") or instructions
        if text_at(message, "kind") == "response":
            told.append({"role": "assistant", "content": [_part(part) for part in _parts(message)]})
            continue
        told += [
            {"role": _ROLES.get(text_at(part, "part_kind"), "user"), "content": field_at(part, "content")}
            for part in _parts(message)
        ]
    return messages_text(told, instructions)


def _parts(message: object) -> List[Any]:
    parts = field_at(message, "parts")
    return list(parts) if isinstance(parts, (list, tuple)) else []


def _part(part: object) -> object:
    kind = text_at(part, "part_kind")
    if kind == "tool-call":
        return {"name": text_at(part, "tool_name"), "args": field_at(part, "args") or {}}
    return {"type": "thinking"} if kind == "thinking" else field_at(part, "content")
