"""Facts about a model call from the spans of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import NamedTuple

from .._model_call._call_text import content_text, messages_text
from .._model_call._foreign_value import field_at
from .._model_call._learn_facts import learn_facts
from .._model_call._openai_responses import OPENAI_RESPONSES
from .._model_call._reading import ModelCallFormat, Reading

_USAGE = {
    "usage": {
        "input_tokens": "input_tokens",
        "input_tokens_details": {"cached_tokens": "cached_input_tokens"},
        "output_tokens": "output_tokens",
        "output_tokens_details": {"reasoning_tokens": "reasoning_tokens"},
    }
}


class Answer(NamedTuple):
    """The data of a span that has ended."""

    data: object


def _read_chat(told: object, reading: Reading) -> None:
    if not isinstance(told, Answer):
        return
    _read_usage(told.data, reading)
    # The requested one: it does not say which one answered, and a call without a model has no price.
    learn_facts(told.data, {"model": "model"}, reading)
    _read_input(told.data, reading)
    reading.add_content(content_text(field_at(told.data, "output")))


def _read_response(told: object, reading: Reading) -> None:
    if not isinstance(told, Answer):
        return
    _read_usage(told.data, reading)
    _read_input(told.data, reading)
    OPENAI_RESPONSES.read(field_at(told.data, "response"), reading)


def _read_usage(data: object, reading: Reading) -> None:
    # Without a count from the provider, it is all zeros.
    if field_at(data, "usage", "total_tokens") != 0:
        learn_facts(data, _USAGE, reading)


def _read_input(data: object, reading: Reading) -> None:
    given = field_at(data, "input")
    if given:
        reading.facts["prompt"] = messages_text(given, field_at(data, "response", "instructions"))


CHAT = ModelCallFormat(None, _read_chat)
RESPONSES = ModelCallFormat(None, _read_response)
