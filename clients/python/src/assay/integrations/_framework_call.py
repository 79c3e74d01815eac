"""Model calls that a framework reports in steps: a start, chunks, an end."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Generic, Mapping, NamedTuple, Optional, TypedDict, TypeVar

from .._call_metadata import call_metadata
from .._model_call._call_record import CallRecord
from .._model_call._observe_call import CallScope, start_record
from .._model_call._provider_name import provider_at
from .._model_call._reading import ModelCallFormat, ModelRequest, Request
from .._user_context import current_context, swap_context

if TYPE_CHECKING:
    from .._assay import Assay

_Thing = TypeVar("_Thing")

# A framework may never report how a call ended.
_MAX_OPEN = 1_000
MANY_PARTS = 10_000
"""A limit for runs, each of which has several small parts at once."""


class CallInput(NamedTuple):
    """A framework's data about a model call before it makes the call."""

    model: object
    messages: object
    base_url: object = None
    provider: Optional[str] = None
    """The framework's name for the provider, used when there is no base URL."""
    settings: object = None
    """Contains the sampling settings, among others."""


class CallOptions(TypedDict, total=False):
    """The options of a framework's handler, which are those of `Assay.wrap`."""

    user: Optional[str]
    unit: Optional[str]
    conversation_id: Optional[str]
    trace_id: Optional[str]
    metadata: Optional[Mapping[str, Any]]


def framework_scope(
    assay: Assay,
    experiment: str,
    handler: object,
    *,
    user: Optional[str] = None,
    unit: Optional[str] = None,
    conversation_id: Optional[str] = None,
    trace_id: Optional[str] = None,
    metadata: Optional[Mapping[str, Any]] = None,
) -> CallScope:
    """Creates a handler's scope from its `CallOptions`."""
    told = call_metadata(conversation_id, trace_id, metadata, assay._log)
    return assay._scope(experiment, user, unit)._replace(metadata=told, handler=handler)


class FrameworkCall:
    """A running call. Never raises; anything after its end is ignored."""

    __slots__ = ("_handler", "_record", "is_answered")

    def __init__(self, record: CallRecord, handler: Optional[object]) -> None:
        self._record = record
        self._handler = handler
        self.is_answered = False
        """Whether it has been answered, perhaps by an error. A later start is another call."""

    @property
    def place(self) -> Mapping[str, str]:
        """See `AnnouncedCall`."""
        return self._record.place

    def gives_way(self, identity: Mapping[str, str], handler: Optional[object]) -> bool:
        """See `AnnouncedCall`. The framework calls a wrapped client, or another framework."""
        if self.is_answered or handler is self._handler or identity != self._record.identity:
            return False
        self.discard()
        return True

    def let_go(self) -> None:
        """The handler is notified of the same call again: the next start is this call, whoever sees it."""
        self._handler = self

    def take_chunk(self, chunk: object) -> None:
        """Accepts a part of a stream that has just arrived."""
        self.is_answered = self._record.is_stream = True
        self._record.take_chunk(chunk)

    def end(
        self, result: object, ended_at: Optional[float] = None, first_token_at: Optional[float] = None
    ) -> None:
        """
        Called when the call has ended with this result. Times are those of `perf_counter`; default: the
        observed times.
        """
        self.is_answered = True
        self._record.finish_with(result, ended_at, first_token_at)

    def fail(self, error: object, told: object = None) -> None:
        """
        Called when the call has ended with an error, or the caller does not want the rest. `told`: the parts
        before.
        """
        self.is_answered = True
        if told is not None:
            self._record.read(told)
        self._record.fail(error if isinstance(error, BaseException) else Exception())

    def abandon(self) -> None:
        """Called when nobody can read on, and the framework does not report it."""
        has_chunks, self.is_answered = self._record.is_stream, True
        self._record.is_stream = True
        if has_chunks:
            self._record.abandon()
        else:
            # The framework may not report them.
            self._record.finish(is_aborted=True)

    def discard(self) -> None:
        """Called when there was no call, or another record has it."""
        self.is_answered = True
        self._record.discard()


def start_call(
    scope: CallScope, format_: ModelCallFormat, given: CallInput, *, is_announced: bool = True
) -> Optional[FrameworkCall]:
    """
    Called before a framework makes a call. Returns None when the call should not be recorded: its user has
    no variant, or something else records it. `is_announced`: until its first answer, a call that starts in
    this context on a wrapped client is the same one and is recorded there. Never raises.
    """

    def to_request(_: Request) -> ModelRequest:
        return ModelRequest(given.model, given.messages, None)

    try:
        provider = provider_at(str(given.base_url)) if given.base_url else None
        named = format_._replace(provider=provider or given.provider, to_request=to_request)
        record = start_record(scope, named, {"config": given.settings})
        if record is None:
            return None
        call = FrameworkCall(record, scope.handler)
        if is_announced:
            context = current_context()
            swap_context(context._replace(announced=(*_unanswered(context.announced), call)))
        return call
    except Exception:
        scope.host.warn("a model call could not be recorded")
        return None


def _unanswered(calls: Any) -> Any:
    return (call for call in calls if not call.is_answered)


class Open(Generic[_Thing]):
    """Running calls, tools or parts of runs by the framework's ids: the newest `most`."""

    def __init__(self, most: int = _MAX_OPEN) -> None:
        self._most = most
        self._things: OrderedDict[object, _Thing] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, id_: object, thing: _Thing) -> None:
        """Adds an entry."""
        with self._lock:
            self._things[id_] = thing
            if len(self._things) > self._most:
                self._things.popitem(last=False)

    def get(self, id_: object) -> Optional[_Thing]:
        """Returns a running entry, or None."""
        return self._things.get(id_)

    def pop(self, id_: object) -> Optional[_Thing]:
        """Removes and returns an entry that has ended, or None."""
        with self._lock:
            return self._things.pop(id_, None)


OpenCalls = Open[FrameworkCall]
