"""Anthropic's Messages API, also on Bedrock and Vertex."""

from __future__ import annotations

from ._foreign_value import field_at, text_at
from ._learn_facts import learn_facts
from ._reading import ModelCallFormat, Reading

_INPUT = {
    # Counted separately.
    "input_tokens": "input_tokens",
    "cache_creation_input_tokens": "input_tokens+cache_write_5m_tokens",
    # The part that is kept for an hour does not count as kept for 5 minutes.
    "cache_creation": {"ephemeral_1h_input_tokens": "cache_write_1h_tokens-cache_write_5m_tokens"},
    "cache_read_input_tokens": "input_tokens+cached_input_tokens",
    "service_tier": "service_tier",
}
_USAGE = {
    **_INPUT,
    "output_tokens": "output_tokens",
    "output_tokens_details": {"thinking_tokens": "reasoning_tokens"},
}
# For whole messages and for stream events.
_FACTS = {
    "model": "model",
    # At the start of a stream, the output count is not final.
    "message": {"model": "model", "usage": _INPUT},
    "usage": _USAGE,
    "stop_reason": "finish_reason",
    "delta": {"stop_reason": "finish_reason"},
}


def _read(answer: object, reading: Reading) -> None:
    """Reads a message or an event. Text is added as it arrives, any other block when it is complete."""
    kind = text_at(answer, "type")
    if kind == "content_block_delta":
        # By far the most common case.
        delta = field_at(answer, "delta")
        text = text_at(delta, "text")
        if text:
            reading.add_content(text)
        else:
            reading.add_part(0, None, text_at(delta, "partial_json"))
    elif kind.startswith(("message", "content_block")):
        learn_facts(answer, _FACTS, reading)
        reading.add_content(field_at(answer, "content"))
        if kind.endswith("_start"):
            reading.add_part(0, field_at(answer, "content_block"), "")
        elif kind.endswith("_stop"):
            reading.end_parts()


ANTHROPIC_MESSAGES = ModelCallFormat("anthropic", _read)
