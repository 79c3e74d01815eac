"""What running code knows about the calls around it: the user, conversation and run, and who records them."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Mapping, NamedTuple, Optional, Protocol, Tuple


class AnnouncedCall(Protocol):
    """A model call that a framework's handler was notified of."""

    @property
    def place(self) -> Mapping[str, str]:
        """The agent and run in which the framework makes it."""

    def gives_way(self, identity: Mapping[str, str], handler: Optional[object]) -> bool:
        """
        Another observer, or the other `handler`, sees a call start. Returns whether it is this one. That
        observer then records it instead.
        """


class CallContext(NamedTuple):
    """Applies to the code that runs inside it, including tasks that the code starts."""

    user: Optional[str] = None
    observed: Tuple[str, ...] = ()
    """Ids of the experiments for which an outer observer already records the running model call."""
    outer: Optional[CallContext] = None
    owner: Optional[object] = None
    """The `Within` that entered it."""
    metadata: Mapping[str, Any] = {}
    """What model calls of the user are recorded with."""
    announced: Tuple[AnnouncedCall, ...] = ()
    """Model calls that a framework makes here, oldest first."""
    conversation: Optional[str] = None
    run: Optional[str] = None
    place: Mapping[str, str] = {}
    """The `agent_name` of a framework's agent that runs here, and outside of `with_run` its own `run_id`."""

    def unit(self, kind: str) -> Optional[str]:
        """Returns the id of the unit of this kind; None when it is not known."""
        return {"conversation": self.conversation, "run": self.run}.get(kind)


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


class Within:
    """
    The context manager of `Assay.with_conversation` and `Assay.with_run`. It sets these parts of the context
    and keeps the outer ones. It has no state, so it may be entered repeatedly and by several tasks.
    """

    __slots__ = ("_parts",)

    def __init__(self, **parts: Any) -> None:
        self._parts = parts

    def __enter__(self) -> None:
        before = _current.get()
        _current.set(before._replace(outer=before, owner=self, **self._parts))

    def __exit__(self, *_: object) -> None:
        now = _current.get()
        if now.owner is self:
            _current.set(now.outer or _NOWHERE)

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()


class AsUser(Within):
    """The context manager of `Assay.as_user`."""

    __slots__ = ()

    def __init__(self, user: Optional[str], metadata: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(user=user, metadata=metadata or {})
