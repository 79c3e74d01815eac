"""
Gemini's `generate_content`, also on Vertex. If there are several candidates, text and finish reason come
from the first one; the usage covers all. A message of a chat counts as one call. So do all requests that
the library makes for one call (continuations, automatic function calls).
"""

from __future__ import annotations

from ._foreign_value import field_at
from ._learn_facts import learn_facts
from ._reading import ModelCallFormat, ModelRequest, Reading, Request

_FACTS = {
    "modelVersion": "model",
    "usageMetadata": {
        "promptTokenCount": "input_tokens",
        "toolUsePromptTokenCount": "input_tokens",
        "cachedContentTokenCount": "cached_input_tokens",
        "candidatesTokenCount": "output_tokens",
        "thoughtsTokenCount": "output_tokens+reasoning_tokens",
    },
    "candidates": {0: {"finishReason": "finish_reason"}},
    # A blocked prompt has no candidates.
    "promptFeedback": {"blockReason": "finish_reason"},
}


def _read(response: object, reading: Reading) -> None:
    # A chunk is a response too; its counts are cumulative.
    learn_facts(response, _FACTS, reading)
    reading.add_content(field_at(response, "candidates", 0, "content", "parts"))


def _to_request(request: Request) -> ModelRequest:
    contents = request.get("contents")
    # Messages, or a string or the parts of one user message.
    first = field_at(contents, 0) if isinstance(contents, (list, tuple)) else contents
    is_messages = bool(field_at(first, "parts"))
    return ModelRequest(
        model=request.get("model"),
        messages=contents if is_messages else {"role": "user", "content": contents},
        system=field_at(request.get("config"), "systemInstruction"),
    )


GOOGLE_GENERATE_CONTENT = ModelCallFormat("google", _read, to_request=_to_request)
