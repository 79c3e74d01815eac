"""A model call, as far as its answer has been read."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, TypedDict

from ._call_text import TextWriter, append_bounded


class ModelCallFacts(TypedDict, total=False):
    """
    What is known about a model call. The names are those of `track`. Facts that the provider does not report
    stay absent.
    """

    provider: Optional[str]
    """The provider: `openai`, `azure`, `openrouter`, … or the host of the API."""
    service_tier: Optional[str]
    """The provider's term for the tier that answered."""
    requested_model: Optional[str]
    """The requested model; `model` is the one that answered."""
    model: Optional[str]
    input_tokens: Optional[float]
    """All input tokens, including those read from or written to the provider's cache."""
    cached_input_tokens: Optional[float]
    """Input tokens that were read from the provider's cache."""
    cache_write_5m_tokens: Optional[float]
    """Input tokens that were written to the provider's cache for 5 minutes."""
    cache_write_1h_tokens: Optional[float]
    """Input tokens that were written to the provider's cache for an hour."""
    audio_input_tokens: Optional[float]
    """Input tokens of audio."""
    output_tokens: Optional[float]
    """All output tokens, including reasoning."""
    reasoning_tokens: Optional[float]
    """Output tokens spent on reasoning."""
    audio_output_tokens: Optional[float]
    """Output tokens of audio."""
    usage_estimated: Optional[bool]
    """Whether some token counts are estimates, because the stream was cut short."""
    cost_usd: Optional[float]
    """The cost of the call in US dollars, if the provider reports it."""
    finish_reason: Optional[str]
    """Why the answer ended, in the provider's term."""
    agent_name: Optional[str]
    """The agent that made the call."""
    error_type: Optional[str]
    """Why the call failed although the provider's library did not raise. None: it did not fail."""
    prompt: Optional[str]
    response: Optional[str]


class Reading:
    """Collects the facts in constant memory: counters and bounded texts."""

    __slots__ = ("facts", "counts", "writer", "parts")

    def __init__(self, facts: Dict[str, Any]) -> None:
        self.facts = facts
        self.counts: Dict[str, Dict[str, float]] = {}
        """For each fact that is a sum: the last value of each count in it."""
        self.writer = TextWriter()
        """The text of the response."""
        self.parts: Dict[int, Dict[str, Any]] = {}
        """The parts of the response that are still arriving, by their indexes."""

    def add_content(self, content: object) -> None:
        """Adds content to the response, as if all content came in one message."""
        if content:
            self.writer.read(content)

    def add_part(self, index: object, part: object, more: str) -> None:
        """
        If a part is given, starts it at this index. Then adds to the arguments of the part there. Several
        parts may arrive at the same time.
        """
        at = index if isinstance(index, int) else 0
        if part:
            self.add_content(self.parts.get(at))
            self.parts[at] = _copy_fields(part)
        # Some providers send empty arguments before the first ones.
        if more and at in self.parts:
            self.parts[at]["arguments"] = append_bounded(self.parts[at].get("arguments") or "", more)

    def end_parts(self) -> None:
        """Adds the parts, which are complete, to the response."""
        for _, part in sorted(self.parts.items()):
            self.add_content(part)
        self.parts = {}

    def has_response(self) -> bool:
        """Returns whether there is any response text yet."""
        return self.writer.length > 0 or bool(self.facts.get("response"))

    def response(self) -> object:
        """Returns the text of the response."""
        told = self.facts.get("response")
        return self.writer.text() if told is None else told


def _copy_fields(part: object) -> Dict[str, Any]:
    try:
        # Iterating over a library's model yields pairs.
        return dict(part)  # type: ignore[call-overload, no-any-return]
    except Exception:
        return dict(getattr(part, "__dict__", {}))


class ModelRequest(NamedTuple):
    """The input of a model call."""

    model: object
    messages: object
    system: object


Request = Mapping[str, Any]
"""The keyword arguments of a call."""


class ModelCallFormat(NamedTuple):
    """
    Reads one wire format by its shape, without importing a provider's package. Unknown shapes change nothing.
    """

    provider: Optional[str]
    read: Callable[[object, Reading], None]
    """Reads the whole result of a call, or a chunk of a stream."""
    to_request: Optional[Callable[[Request], ModelRequest]] = None
    """Returns the input of the call, if the arguments do not use the usual names."""
    ask_usage: Optional[Callable[[Request], Optional[Request]]] = None
    """Returns arguments that make the provider report usage, or None when the caller's own do so already."""
    is_extracted: bool = False
    """Whether the facts come from the caller. They are then used unchanged, and none is estimated."""
    is_usage_only: Optional[Callable[[object], bool]] = None
    """Returns whether the chunk exists only because of `ask_usage`. The caller does not see it."""
