"""Turns the arguments of `track` into one row of a batch."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Mapping, NamedTuple, NoReturn

from ._epoch_ms import epoch_ms_of
from ._options import Settings

_TYPES = ("exposure", "model_call", "tool_call", "run_end", "business_event")
_LONGEST_ID = 128
# Prompt and response may be 256 KiB each before JSON escapes them.
_MAX_BYTES = 1024 * 1024
_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)
_RFC_3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))",
    re.IGNORECASE,
)
_to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class KeptEvent(NamedTuple):
    """An event as it is queued and sent."""

    event_id: str
    occurred_at: int
    """Epoch milliseconds."""
    row: bytes
    """One row of a batch: JSON in UTF-8."""


class UnsendableEvent(Exception):
    """Why an event cannot be sent. Messages are fixed texts: countable, and never with a payload."""


def to_event_row(event_type: object, payload: object, settings: Settings) -> KeptEvent:
    """
    Serializes an event as one row of a batch, so that later changes of the payload do not affect it. Raises
    UnsendableEvent, or anything that the caller's payload, clock or id maker raises.
    """
    if not isinstance(event_type, str) or event_type not in _TYPES:
        _refuse("unknown type")
    if not isinstance(payload, Mapping):
        _refuse("payload is not a dict")
    event = dict(payload)
    given_at, event_id = event.get("timestamp"), event.get("event_id")
    occurred_at = _clock_ms(settings) if given_at is None else _instant_of(given_at)
    timestamp = to_rfc3339(occurred_at)
    if event_id is None:
        event_id = settings.new_id()
    if not isinstance(event_id, str) or not 1 <= len(event_id) <= _LONGEST_ID:
        _refuse("event_id is not a str of 1-128 characters")
    event.update(event_id=event_id, type=event_type, timestamp=timestamp)
    row = _serialise(event)
    if len(row) > _MAX_BYTES:
        _refuse(f"over 1 MiB: {len(row)} bytes")
    return KeptEvent(event_id, occurred_at, row)


def _refuse(reason: str) -> NoReturn:
    raise UnsendableEvent(reason)


def _serialise(event: Mapping[object, object]) -> bytes:
    try:
        text = _to_json(event)
    except ValueError:
        # Raises again unless these numbers are the only problem.
        json.dumps(event)
        _refuse("payload contains NaN or Infinity")
    _refuse_other_keys(event)
    # UTF-8 has no surrogates: unpaired ones are sent as JSON escapes, such as \ud83d.
    return text.encode("utf-8", "backslashreplace")


def _refuse_other_keys(value: object) -> None:
    """
    JSON writers silently turn keys that are numbers, None or bools into strings, so two keys may become one.
    """
    if isinstance(value, dict):
        for key, entry in value.items():
            if not isinstance(key, str):
                _refuse("payload has a key that is not a str")
            _refuse_other_keys(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            _refuse_other_keys(entry)


def _clock_ms(settings: Settings) -> int:
    try:
        return epoch_ms_of(settings.now())
    except (ValueError, OverflowError, TypeError):
        _refuse("the clock returned no time")


def _instant_of(value: object) -> int:
    """Returns a timestamp's instant in epoch milliseconds, without any fraction."""
    if isinstance(value, datetime):
        offset = value.utcoffset()
        if offset is None:
            _refuse("timestamp is a datetime without a time zone: use datetime.now(timezone.utc)")
        return _whole_ms(value.replace(tzinfo=None) - _EPOCH - offset)
    if isinstance(value, str):
        return read_rfc3339(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return int(value)
        except (ValueError, OverflowError):
            pass
    _refuse("timestamp is not a date")


def read_rfc3339(text: str) -> int:
    """Returns the instant in epoch milliseconds, without any fraction; raises UnsendableEvent."""
    match = _RFC_3339.fullmatch(text)
    if match is None:
        _refuse("timestamp is not RFC 3339 with an offset")
    fraction, sign, hours, minutes = match.group(7, 8, 9, 10)
    try:
        year, month, day, hour, minute, second = map(int, match.group(1, 2, 3, 4, 5, 6))
        local = datetime(year, month, day, hour, minute, second)
    except ValueError:
        _refuse("timestamp is not a date")
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    instant = local - _EPOCH + (offset if sign == "-" else -offset)
    return _whole_ms(instant) + int(((fraction or "") + "000")[:3])


def _whole_ms(span: timedelta) -> int:
    return span // _MILLISECOND


def to_rfc3339(epoch_ms: int) -> str:
    """Writes an instant in UTC with milliseconds; raises UnsendableEvent when it has no date."""
    try:
        return (_EPOCH + epoch_ms * _MILLISECOND).isoformat(timespec="milliseconds") + "Z"
    except OverflowError:
        _refuse("timestamp is not a date")
