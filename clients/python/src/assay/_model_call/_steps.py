"""Code that waits in between: its steps run in the context of its call, and what waits does not."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from ._call_record import CallRecord

_Result = TypeVar("_Result")


class Steps:
    """Awaits an awaitable, each step of it inside the record."""

    __slots__ = ("_iterator", "_record")

    def __init__(self, record: CallRecord, awaitable: Any) -> None:
        self._record = record
        # A coroutine of the old kind is a generator.
        self._iterator: Any = awaitable.__await__() if hasattr(awaitable, "__await__") else awaitable

    def __await__(self) -> Any:
        return self

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return run_step(self._record, self._iterator.__next__)

    def send(self, value: Any) -> Any:
        """Goes on with what was waited for."""
        # An iterator that is no generator has no `send`; it is only ever sent None.
        step = self._iterator.__next__ if value is None else lambda: self._iterator.send(value)
        return run_step(self._record, step)

    def throw(self, *error: Any) -> Any:
        """Goes on with an error, such as a cancellation."""
        throw = getattr(self._iterator, "throw", None)
        if throw is None:
            raise error[-1] if isinstance(error[-1], BaseException) else error[0]
        return run_step(self._record, lambda: throw(*error))

    def close(self) -> Any:
        """Ends it."""
        close = getattr(self._iterator, "close", None)
        return None if close is None else run_step(self._record, close)


def run_step(record: CallRecord, advance: Callable[[], _Result]) -> _Result:
    """Runs code of the provider's until it waits or ends."""
    before = record.enter()
    try:
        return advance()
    finally:
        record.leave(before)
