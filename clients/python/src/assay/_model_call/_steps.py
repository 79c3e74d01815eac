"""Code with suspensions. Its steps run in the context of its call; code that waits for it does not."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from ._call_record import CallRecord

_Result = TypeVar("_Result")


class Steps:
    """Awaits an awaitable and runs each of its steps inside the record."""

    __slots__ = ("_iterator", "_record")

    def __init__(self, record: CallRecord, awaitable: Any) -> None:
        self._record = record
        # An old-style coroutine is a generator.
        self._iterator: Any = awaitable.__await__() if hasattr(awaitable, "__await__") else awaitable

    def __await__(self) -> Any:
        return self

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return run_step(self._record, self._iterator.__next__)

    def send(self, value: Any) -> Any:
        """Resumes with the awaited value."""
        # An iterator that is not a generator has no `send`; it only ever gets None.
        step = self._iterator.__next__ if value is None else lambda: self._iterator.send(value)
        return run_step(self._record, step)

    def throw(self, *error: Any) -> Any:
        """Resumes with an error, such as a cancellation."""
        throw = getattr(self._iterator, "throw", None)
        if throw is None:
            raise error[-1] if isinstance(error[-1], BaseException) else error[0]
        return run_step(self._record, lambda: throw(*error))

    def close(self) -> Any:
        """Ends it."""
        close = getattr(self._iterator, "close", None)
        return None if close is None else run_step(self._record, close)


def run_step(record: CallRecord, advance: Callable[[], _Result]) -> _Result:
    """Runs the provider's code until it suspends or ends."""
    before = record.enter()
    try:
        return advance()
    finally:
        record.leave(before)
