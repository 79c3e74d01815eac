"""A model call in progress."""

from __future__ import annotations

import re
from time import perf_counter
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Protocol, TypeVar

from .._client_log import ClientLog
from .._user_context import CallContext, swap_context
from ._call_text import MAX_TEXT_BYTES, bound_text, messages_text
from ._foreign_value import text_or_none
from ._reading import ModelCallFormat, Reading, Request

_BYTES_PER_TOKEN = 4
# The service rejects longer names.
MAX_NAME = 200
_USAGE_OPTION = re.compile(r"stream_options|include_usage")
_WAITING = ("queued", "in_progress")
_ABORTED = re.compile(r"abort|cancel", re.IGNORECASE)

_Result = TypeVar("_Result")


class CallClient(Protocol):
    """What observing calls needs from the client."""

    def find_assignment(self, experiment: str, user: str, *, unit: Optional[str] = None) -> Any:
        """Finds the variant of the user, or of the unit. Default unit: the context's."""

    def track(self, event: str, payload: Dict[str, Any]) -> None:
        """Queues an event."""


class CallHost(NamedTuple):
    """Returns the user whose calls are observed."""

    client: CallClient
    mask: Optional[Callable[[str, str], Optional[str]]]
    """The client's option with this name."""
    log: ClientLog

    def warn(self, message: str) -> None:
        """Logs the message once."""
        self.log.once("warning", message)


class UsageAsking:
    """Whether to request the usage of streams."""

    __slots__ = ("is_asked",)

    def __init__(self, is_asked: bool) -> None:
        self.is_asked = is_asked
        """Becomes False for good once the provider refuses the option."""


class CallRecord:
    """
    Tracks one `model_call` of an experiment, user and variant once the call ends. Never raises. `identity`
    has the fields that identify the call's user. `context` marks the call as observed for the code inside it.
    """

    def __init__(
        self,
        host: CallHost,
        format_: ModelCallFormat,
        given: Request,
        *,
        identity: Dict[str, Any],
        context: CallContext,
        usage: Optional[UsageAsking],
        metadata: Dict[str, Any],
        place: Mapping[str, str],
    ) -> None:
        self._host = host
        self._format = format_
        self.identity = identity
        self._context = context
        self._metadata = metadata
        self.place = place
        """Where a framework makes the call: its agent and run."""
        self._reading = Reading({})
        # The code that takes this token ends the call, because a stream may end in several ways at once, even
        # in several threads.
        self._open: List[None] = [None]
        self._first_token_at: Optional[float] = None
        self.is_running = False
        """Whether the provider's code is running."""
        self.is_stream = False
        """Whether the caller has been given a stream."""
        self._attempt(lambda: self._reading.facts.update(_read_request(format_, given)))
        self._usage = UsageAsking(True) if usage is None else usage
        ask = format_.ask_usage if self._usage.is_asked else None
        asked = None if ask is None else self._attempt(lambda: ask(given))
        self.request: Request = given if asked is None else asked
        """The arguments to make the call with."""
        self._hides_usage = asked is not None
        self.again: Callable[[], Any] = lambda: None
        """Makes the call with the arguments that the caller gave, after `is_refusal`."""
        self._started_at = self._last_at = perf_counter()

    def enter(self) -> CallContext:
        """
        The provider's code starts or resumes. Pass the returned value to `leave`. The two enclose a stretch
        of code without a suspension, so code that waits for the provider never sees the provider's context.
        """
        self.is_running = True
        return swap_context(self._context)

    def leave(self, before: CallContext) -> None:
        """The provider's code has returned or is waiting."""
        # The code may have set a user of its own and not left that context yet.
        self._context = swap_context(before)
        self.is_running = False

    def restart_clock(self) -> None:
        """Restarts the clock: a coroutine may wait long before it is run."""
        self._started_at = self._last_at = perf_counter()

    def finish_with(
        self, result: object, ended_at: Optional[float] = None, first_token_at: Optional[float] = None
    ) -> None:
        """Handles the complete result of a call, which has ended. Times default to those observed here."""
        self.read(result)
        if first_token_at is not None:
            self._first_token_at = first_token_at
        # A response in the background has not ended yet.
        is_waiting = self._reading.facts.get("finish_reason") in _WAITING
        self._finish("background" if is_waiting else None, ended_at)

    def take_chunk(self, chunk: object) -> bool:
        """
        Accepts a chunk of a stream. Returns true when the caller did not request this chunk and must not see
        it.
        """
        if self._open:
            self.read(chunk)
            self._last_at = perf_counter()
            if self._first_token_at is None and self._reading.has_response():
                self._first_token_at = self._last_at
        is_usage_only = self._format.is_usage_only
        return self._hides_usage and is_usage_only is not None and is_usage_only(chunk)

    def is_refusal(self, error: BaseException) -> bool:
        """
        Returns whether the provider rejected only what we added to the arguments. The call must then be
        repeated without it.
        """
        is_refused = self._hides_usage and _refuses_usage(error)
        if is_refused:
            self._hides_usage = self._usage.is_asked = False
        return is_refused

    def fail(self, error: BaseException) -> None:
        """The call failed. A call that the caller canceled does not count as failed."""
        name = type(error).__name__[:MAX_NAME]
        is_aborted = not isinstance(error, Exception) or _ABORTED.search(name) is not None
        facts = self._reading.facts
        if not is_aborted and facts.get("error_type") is None:
            facts["error_type"] = name
        self._finish("aborted" if is_aborted else None)

    def abandon(self) -> None:
        """Nobody can read on: the call ended with the last chunk read."""
        self.finish(self.is_stream, ended_at=self._last_at)

    def finish(self, is_aborted: bool = False, ended_at: Optional[float] = None) -> None:
        """
        The call has ended. `is_aborted`: the caller did not want the rest. May be called more than once.
        """
        self._finish("aborted" if is_aborted else None, ended_at)

    def discard(self) -> None:
        """Records nothing: there was no call, or another record has it."""
        self._open.clear()

    def _finish(self, outcome: Optional[str], ended_at: Optional[float] = None) -> None:
        try:
            self._open.pop()
        except IndexError:
            return
        try:
            # No chunk says how the answer ended, or it says that the answer has not.
            is_open = self._reading.facts.get("finish_reason") in (None, *_WAITING)
            if is_open and self.is_stream and not self._format.is_extracted:
                _estimate_usage(self._reading)
            # The call's own context, because a stream may end elsewhere.
            before = swap_context(self._context)
            try:
                self._track(outcome, ended_at or perf_counter())
            finally:
                swap_context(before)
        except Exception:
            self._host.warn("a model call could not be recorded")

    def _track(self, outcome: Optional[str], ended_at: float) -> None:
        facts = self._reading.facts
        first = self._first_token_at
        metadata = self._metadata if outcome is None else {**self._metadata, "outcome": outcome}
        latency_ms = None if outcome == "background" else (ended_at - self._started_at) * 1e3
        payload = {
            **facts,
            **self.place,
            **self.identity,
            "error": facts.get("error_type") is not None,
            "latency_ms": latency_ms,
            "time_to_first_token_ms": None if first is None else (first - self._started_at) * 1e3,
            "prompt": self._masked("prompt", facts.get("prompt")),
            "response": self._masked("response", self._reading.response()),
            "metadata": metadata or None,
        }
        told = {name: value for name, value in payload.items() if value is not None}
        self._host.client.track("model_call", told)

    def _masked(self, part: str, told: object) -> Optional[str]:
        text = text_or_none(told) or ""
        mask = self._host.mask
        # Without a text there is nothing to mask.
        if text and mask is not None:
            masked = self._attempt(lambda: mask(text, part))
            return bound_text(text_or_none(masked) or "") or None
        return bound_text(text) or None

    def read(self, answer: object) -> None:
        """Reads a result or a chunk."""
        try:
            self._format.read(answer, self._reading)
        except Exception:
            self._warn_of_caller()

    def _attempt(self, work: Callable[[], _Result]) -> Optional[_Result]:
        try:
            return work()
        except Exception:
            self._warn_of_caller()
            return None

    def _warn_of_caller(self) -> None:
        # `mask` and `extract` are the caller's code. If one raises, its result is left out.
        self._host.warn("mask or extract raised")


def _estimate_usage(reading: Reading) -> None:
    """Estimates the tokens that a stream cut short did not report: one for every 4 bytes of text."""
    facts = reading.facts
    output = _estimate_tokens(reading.response()) if facts.get("output_tokens") is None else None
    if output is None:
        return
    facts.update(output_tokens=output, usage_estimated=True)
    if facts.get("input_tokens") is None:
        facts["input_tokens"] = _estimate_tokens(facts.get("prompt"))


def _estimate_tokens(told: object) -> Optional[int]:
    """None without a text, or for a text that was cut at its limit."""
    size = len((text_or_none(told) or "").encode("utf-8", "replace"))
    return -(-size // _BYTES_PER_TOKEN) if 0 < size <= MAX_TEXT_BYTES else None


def _read_request(format_: ModelCallFormat, given: Request) -> Dict[str, Any]:
    """Most providers use the same names for the input of a call."""
    model, messages, system = given.get("model"), None, None
    if format_.to_request is not None:
        model, messages, system = format_.to_request(given)
    else:
        messages = _first_given(given, "messages", "input", "prompt")
        system = _first_given(given, "system", "instructions")
    return {
        "provider": format_.provider,
        "requested_model": text_or_none(model) or None,
        "prompt": messages_text(messages, system),
    }


def _first_given(request: Request, *names: str) -> object:
    for name in names:
        value = request.get(name)
        # The libraries have their own values for "not given".
        if value is not None and type(value).__name__ not in ("NotGiven", "Omit"):
            return value
    return None


def _refuses_usage(error: BaseException) -> bool:
    """
    Some backends that are compatible with OpenAI do not accept the option that requests a stream's usage.
    """
    try:
        names = f"{error} {getattr(error, 'param', '')}"
        return getattr(error, "status_code", None) in (400, 422) and _USAGE_OPTION.search(names) is not None
    except Exception:
        return False
