"""What running code knows about the calls around it: their user, and the experiments that record them."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Mapping, NamedTuple, Optional, Protocol, Tuple


class AnnouncedCall(Protocol):
    """A model call that a framework's handler was notified of."""

    def gives_way(self, identity: Mapping[str, str], handler: Optional[object]) -> bool:
        """
        Another observer, or the other `handler`, sees a call start. Returns whether it is this one, which is
        then recorded there and not here.
        """


class CallContext(NamedTuple):
    """Applies to the code that runs inside it, including tasks that the code starts."""

    user: Optional[str] = None
    observed: Tuple[str, ...] = ()
    """Ids of the experiments for which an outer observer already records the running model call."""
    outer: Optional[CallContext] = None
    owner: Optional[object] = None
    """The `AsUser` that entered it."""
    metadata: Mapping[str, Any] = {}
    """What model calls of the user are recorded with."""
    announced: Tuple[AnnouncedCall, ...] = ()
    """Model calls that a framework makes here, the oldest first."""


_NOWHERE = CallContext()
_current: ContextVar[CallContext] = ContextVar("assay_call_context", default=_NOWHERE)


def current_context() -> CallContext:
    """Returns the context of the running code."""
    return _current.get()


def swap_context(context: CallContext) -> CallContext:
    """
    Makes `context` the current one and returns the previous one. `reset(token)` cannot be used: a coroutine
    or generator that is closed by the garbage collector, or driven from elsewhere, ends in another context
    than it started in.
    """
    before = _current.get()
    _current.set(context)
    return before


class AsUser:
    """
    The context manager of `Assay.as_user`. It keeps no state, so it may be entered repeatedly and by several
    tasks.
    """

    __slots__ = ("_metadata", "_user")

    def __init__(self, user: Optional[str], metadata: Optional[Mapping[str, Any]] = None) -> None:
        self._user = user
        self._metadata = metadata or {}

    def __enter__(self) -> None:
        before = _current.get()
        inner = CallContext(self._user, before.observed, before, self, self._metadata, before.announced)
        _current.set(inner)

    def __exit__(self, *_: object) -> None:
        now = _current.get()
        if now.owner is self:
            _current.set(now.outer or _NOWHERE)

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()
