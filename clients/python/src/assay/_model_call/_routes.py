"""
The methods of providers' objects that make model calls, with their formats. Objects are recognized by their
shape.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

from ._anthropic_messages import ANTHROPIC_MESSAGES
from ._google_generate_content import GOOGLE_GENERATE_CONTENT
from ._openai_chat import OPENAI_CHAT
from ._openai_embeddings import OPENAI_EMBEDDINGS
from ._openai_responses import OPENAI_RESPONSES
from ._reading import ModelCallFormat

CALLS = frozenset(["create", "parse", "generate_content", "generate_content_stream"])
"""On an object that a route leads to, each call of these methods is one model call."""
HELPERS = frozenset(["stream", "tool_runner", "thread"])
"""These methods make such calls later, on `self` or on its client."""
CHATS = "chats"
"""The chats made here send their messages through the `models` that they were made with."""
RAW = frozenset(["with_raw_response", "with_streaming_response"])
"""These methods make an object that makes such calls on the object it was made with."""


class Route(NamedTuple):
    """A step on the way to model calls."""

    further: Dict[str, Any]
    """The next steps, by attribute."""
    format: Optional[ModelCallFormat] = None
    """The format of this object's calls."""
    call: str = "create"
    """The method that identifies such an object."""


def _calls(format_: ModelCallFormat, call: str = "create") -> Route:
    return Route({}, format_, call)


_CHAT = Route({"completions": _calls(OPENAI_CHAT)})
_MODELS = _calls(GOOGLE_GENERATE_CONTENT, "generate_content")

ROUTES = Route(
    {
        "chat": _CHAT,
        "completions": _calls(OPENAI_CHAT),
        "embeddings": _calls(OPENAI_EMBEDDINGS),
        "responses": _calls(OPENAI_RESPONSES),
        "messages": _calls(ANTHROPIC_MESSAGES),
        "beta": Route(
            # The chat exists up to version 1 of the library.
            {"chat": _CHAT, "responses": _calls(OPENAI_RESPONSES), "messages": _calls(ANTHROPIC_MESSAGES)}
        ),
        "models": _MODELS,
        "aio": Route({"models": _MODELS}),
    }
)
