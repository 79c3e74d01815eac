"""Watches the result of a call until it ends."""

from __future__ import annotations

import json
from typing import Any, Awaitable, TypeVar

from ._call_record import CallRecord
from ._delegate import Delegate, delegate_to
from ._steps import Steps, run_step
from ._watched_stream import WatchedAsyncStream, WatchedStream

_Result = TypeVar("_Result")


def observe_result(result: _Result, record: CallRecord) -> _Result:
    """
    Watches the result of a call. Returns a plain result unchanged, and for a coroutine or a stream an object
    that behaves the same.
    """
    try:
        return _observe(result, record)  # type: ignore[no-any-return]
    except Exception:
        # It cannot be watched. The caller still gets it.
        record.finish()
        return result


def _observe(result: Any, record: CallRecord) -> Any:
    kind = type(result)
    if hasattr(kind, "__await__"):
        if hasattr(kind, "send") and hasattr(kind, "throw"):
            return _watch(result, record, _WatchedCoroutine)
        if not hasattr(kind, "add_done_callback"):
            return _watch(_coroutine_of(result), record, _WatchedCoroutine)
        # A task runs by itself, and callers may use it as a task.
        result.add_done_callback(lambda task: _take_task(task, record))
    elif hasattr(kind, "__next__"):
        return _watch_stream(result, record, WatchedStream)
    elif hasattr(kind, "__aiter__"):
        return _watch_stream(result, record, WatchedAsyncStream)
    elif hasattr(result, "http_response") and hasattr(kind, "parse"):
        return _observe_raw(result, record)
    else:
        record.finish_with(result)
    return result


class _WatchedCoroutine(Delegate):
    """
    Stands for a coroutine and passes its steps on. If it awaited the coroutine instead, a cancellation before
    the start would leave the coroutine unawaited, with a warning.
    """

    __slots__ = ("_assay_record", "_assay_has_begun")

    _assay_record: CallRecord

    def __await__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, value: Any) -> Any:
        """Runs it until its next suspension."""
        return self._assay_step(self._assay_target.send, value)

    def throw(self, *error: Any) -> Any:
        """Resumes it with an error, such as a cancellation."""
        return self._assay_step(self._assay_target.throw, *error)

    def close(self) -> Any:
        """Ends it."""
        self._assay_record.finish(is_aborted=True)
        return self._assay_target.close()

    def _assay_step(self, advance: Any, *args: Any) -> Any:
        record = self._assay_record
        result: Any = None
        is_refusal = False
        if not hasattr(self, "_assay_has_begun"):
            object.__setattr__(self, "_assay_has_begun", True)
            record.restart_clock()
        try:
            return run_step(record, lambda: advance(*args))
        except StopIteration as stop:
            result = stop.value
        except BaseException as error:
            is_refusal = record.is_refusal(error)
            if not is_refusal:
                record.fail(error)
                raise
        if is_refusal:
            return self._assay_begin_again()
        raise StopIteration(observe_result(result, record))

    def _assay_begin_again(self) -> Any:
        """Stands for another coroutine from now on."""
        record = self._assay_record
        other = record.again()
        kind = type(other)
        is_coroutine = hasattr(kind, "send") and hasattr(kind, "throw")
        object.__setattr__(self, "_assay_target", other if is_coroutine else _coroutine_of(other))
        return self._assay_step(self._assay_target.send, None)


async def _coroutine_of(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _take_task(task: Any, record: CallRecord) -> None:
    try:
        result = task.result()
    except BaseException as error:
        record.fail(error)
    else:
        record.finish_with(result)


def _watch(result: Any, record: CallRecord, kind: Any) -> Any:
    watched = delegate_to(result, kind)
    object.__setattr__(watched, "_assay_record", record)
    return watched


def _watch_stream(stream: Any, record: CallRecord, kind: Any) -> Any:
    record.is_stream = True
    _watch_response(getattr(stream, "response", None), record)
    return _watch(stream, record, kind)


def _observe_raw(raw: Any, record: CallRecord) -> Any:
    """
    The raw response (`with_raw_response` and similar). Its body may have been read already or not.
    """
    response = raw.http_response
    if response.is_closed:
        record.finish_with(json.loads(response.content))
        return raw
    _watch_response(response, record)
    watched = _watch(raw, record, _WatchedRaw)
    object.__setattr__(watched, "_assay_parsed", None)
    return watched


class _WatchedRaw(Delegate):
    """
    An unread response. A raw body that the caller reads is not observed.
    """

    __slots__ = ("_assay_record", "_assay_parsed")

    _assay_record: CallRecord
    _assay_parsed: Any

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._assay_target, name)
        return self._assay_parse if name == "parse" else value

    def _assay_parse(self, *args: Any, **kwargs: Any) -> Any:
        record = self._assay_record
        try:
            parsed = run_step(record, lambda: self._assay_target.parse(*args, **kwargs))
        except BaseException as error:
            record.fail(error)
            raise
        return (
            self._assay_parse_async(parsed)
            if hasattr(type(parsed), "__await__")
            else self._assay_observe(parsed)
        )

    async def _assay_parse_async(self, parsing: Awaitable[Any]) -> Any:
        record = self._assay_record
        try:
            parsed = await Steps(record, parsing)
        except BaseException as error:
            record.fail(error)
            raise
        return self._assay_observe(parsed)

    def _assay_observe(self, parsed: Any) -> Any:
        # The libraries parse once and return the same result again.
        if self._assay_parsed is None or self._assay_parsed[0] is not parsed:
            watched = observe_result(parsed, self._assay_record)
            object.__setattr__(self, "_assay_parsed", (parsed, watched))
        return self._assay_parsed[1]

    def __del__(self) -> None:
        try:
            if self._assay_parsed is None:
                self._assay_record.abandon()
        except Exception:
            pass


def _watch_response(response: Any, record: CallRecord) -> None:
    """
    Notices when the response is closed: the libraries' helpers close the response, not the stream. The
    response was made for this one call.
    """
    own: Any = getattr(response, "__dict__", None)
    if not isinstance(own, dict):
        return
    for name in ("close", "aclose"):
        if hasattr(response, name) and name not in own:
            own[name] = _closing(response, name, record)


def _closing(response: Any, name: str, record: CallRecord) -> Any:
    def close() -> Any:
        # Otherwise it would keep a reference cycle.
        response.__dict__.pop(name, None)
        if not record.is_running:
            record.finish(record.is_stream)
        return getattr(type(response), name)(response)

    return close
