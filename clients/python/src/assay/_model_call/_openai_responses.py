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
    # Says more than the status.
    "incomplete_details": {"reason": "finish_reason"},
    # A response that failed is no error to the library.
    "error": {"code": "error_type"},
}
_TEXT_DELTA = re.compile(r"(output_text|refusal)\.delta\Z")


def _read(answer: object, reading: Reading) -> None:
    if _learn_response(answer, reading):
        reading.add_content(field_at(answer, "output"))
    # Of the events of a stream the first one brings the model, the last one the usage.
    _learn_response(field_at(answer, "response"), reading)
    kind = text_at(answer, "type")
    if _TEXT_DELTA.search(kind):
        reading.add_content(text_at(answer, "delta"))
    elif kind == "error":
        # The last event of a stream that failed is no error to the library either.
        reading.facts["error_type"] = text_at(answer, "code") or kind
    elif kind.endswith("output_item.done"):
        item = field_at(answer, "item")
        # A message has come piece by piece by then.
        if text_at(item, "type") != "message":
            reading.add_content(item)


def _learn_response(response: object, reading: Reading) -> bool:
    is_response = field_at(response, "object") == "response"
    if is_response:
        learn_facts(response, _RESPONSE, reading)
    return is_response


OPENAI_RESPONSES = ModelCallFormat("openai", _read)
