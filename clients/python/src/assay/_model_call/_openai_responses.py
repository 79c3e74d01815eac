"""The responses API of OpenAI and Azure."""

from __future__ import annotations

import re

from ._foreign_value import field_at, text_at
from ._learn_facts import learn_facts
from ._openai_facts import openai_facts
from ._reading import ModelCallFormat, Reading

_RESPONSE = {
    **openai_facts("input_tokens", "output_tokens"),
    "status": "finish_reason",
    # More specific than the status.
    "incomplete_details": {"reason": "finish_reason"},
    # The library does not throw for a failed response.
    "error": {"code": "error_type"},
}
_TEXT_DELTA = re.compile(r"(output_text|refusal)\.delta\Z")


def _read(answer: object, reading: Reading) -> None:
    if _learn_response(answer, reading):
        reading.add_content(field_at(answer, "output"))
    # In a stream, the first event has the model and the last one the usage.
    _learn_response(field_at(answer, "response"), reading)
    kind = text_at(answer, "type")
    if _TEXT_DELTA.search(kind):
        reading.add_content(text_at(answer, "delta"))
    elif kind == "error":
        # Nor does it for the last event of a failed stream.
        reading.facts["error_type"] = text_at(answer, "code") or kind
    elif kind.endswith("output_item.done"):
        item = field_at(answer, "item")
        # The message has already arrived in pieces.
        if text_at(item, "type") != "message":
            reading.add_content(item)


def _learn_response(response: object, reading: Reading) -> bool:
    is_response = field_at(response, "object") == "response"
    if is_response:
        learn_facts(response, _RESPONSE, reading)
    return is_response


OPENAI_RESPONSES = ModelCallFormat("openai", _read)
