"""Streams whose chunks are observed as they pass. Never reads ahead or keeps a chunk."""

from __future__ import annotations

from typing import Any, Callable

from ._call_record import CallRecord
from ._delegate import Delegate
from ._steps import Steps


class _Watched(Delegate):
    """A stream of the target's class, with the target's other methods."""

    __slots__ = ("_assay_record",)

    _assay_record: CallRecord

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._assay_target, name)
        if name in ("close", "aclose"):
            return self._assay_closing(value)
        step = self._assay_steps.get(name)
        return value if step is None else step(self, value)

    def _assay_closing(self, close: Callable[..., Any]) -> Callable[..., Any]:
        def closing(*args: Any, **kwargs: Any) -> Any:
            self._assay_record.finish(is_aborted=True)
            return close(*args, **kwargs)

        return closing

    def __del__(self) -> None:
        # Leaving a loop early does not end the call: another loop may follow. Only now can nobody read on.
        try:
            self._assay_record.abandon()
        except Exception:
            pass


class WatchedStream(_Watched):
    """Stands for an iterator."""

    __slots__ = ()

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._assay_step(self._assay_target.__next__)

    def __exit__(self, *raised: Any) -> Any:
        self._assay_record.finish(is_aborted=True)
        return type(self._assay_target).__exit__(self._assay_target, *raised)

    def _assay_step(self, advance: Callable[..., Any], *args: Any) -> Any:
        record = self._assay_record
        while True:
            before = record.enter()
            try:
                chunk = advance(*args)
            except StopIteration:
                record.finish()
                raise
            except BaseException as error:
                record.fail(error)
                raise
            finally:
                record.leave(before)
            if not record.take_chunk(chunk):
                return chunk

    def _assay_stepping(self, advance: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: self._assay_step(advance, *args)

    _assay_steps = {"send": _assay_stepping, "throw": _assay_stepping}


class WatchedAsyncStream(_Watched):
    """Stands for an asynchronous iterator."""

    __slots__ = ("_assay_iterator",)

    def __aiter__(self) -> Any:
        return self

    def __anext__(self) -> Any:
        target = self._assay_target
        if hasattr(target, "__anext__"):
            return self._assay_step(target.__anext__)
        try:
            iterator = self._assay_iterator
        except AttributeError:
            iterator = target.__aiter__()
            object.__setattr__(self, "_assay_iterator", iterator)
        return self._assay_step(iterator.__anext__)

    def __aexit__(self, *raised: Any) -> Any:
        self._assay_record.finish(is_aborted=True)
        return type(self._assay_target).__aexit__(self._assay_target, *raised)

    async def _assay_step(self, advance: Callable[..., Any], *args: Any) -> Any:
        record = self._assay_record
        while True:
            try:
                chunk = await Steps(record, advance(*args))
            except StopAsyncIteration:
                record.finish()
                raise
            except BaseException as error:
                record.fail(error)
                raise
            if not record.take_chunk(chunk):
                return chunk

    def _assay_stepping(self, advance: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: self._assay_step(advance, *args)

    _assay_steps = {"asend": _assay_stepping, "athrow": _assay_stepping}
