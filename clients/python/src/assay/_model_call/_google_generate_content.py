"""
`generate_content` of Gemini, on Vertex alike. Of several candidates the first one's text and finish reason
are kept; the usage is that of all. What the library makes of one call (continuations, automatic calls of
functions) is one call. Its chats keep the models that they were made with: their calls are not seen.
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
    # A prompt that was blocked has no candidates.
    "promptFeedback": {"blockReason": "finish_reason"},
}


def _read(response: object, reading: Reading) -> None:
    # A chunk is a response as well; its counts are cumulative.
    learn_facts(response, _FACTS, reading)
    reading.add_content(field_at(response, "candidates", 0, "content", "parts"))


def _to_request(request: Request) -> ModelRequest:
    contents = request.get("contents")
    # Messages, or else a string or parts of one message of the user.
    first = field_at(contents, 0) if isinstance(contents, (list, tuple)) else contents
    is_messages = bool(field_at(first, "parts"))
    return ModelRequest(
        model=request.get("model"),
        messages=contents if is_messages else {"role": "user", "content": contents},
        system=field_at(request.get("config"), "systemInstruction"),
    )


GOOGLE_GENERATE_CONTENT = ModelCallFormat("google", _read, to_request=_to_request)
