"""Corrects this machine's clock by the service's clock."""

from __future__ import annotations

import time
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import NamedTuple, Optional

from ._client_log import ClientLog

_TOLERANCE_MS = 60_000


class Timing(NamedTuple):
    """
    The times of a request and its answer, in epoch milliseconds of this machine, and the service's time.
    """

    sent_at: int
    answered_at: int
    date: Optional[str]
    """The answer's Date header."""


class ServiceClock:
    """This machine's clock, or the service's clock if they differ by more than a minute."""

    def __init__(self, log: ClientLog) -> None:
        self._log = log
        self._offset_ms = 0
        self._has_warned = False

    def now(self) -> float:
        """Returns the time in epoch seconds."""
        return time.time() + self._offset_ms / 1_000

    def note(self, timing: Optional[Timing]) -> None:
        """Accepts the times of the service's own answer. Warns once when the clock is off."""
        if timing is None:
            return
        self._offset_ms = offset_after(self._offset_ms, timing)
        if self._offset_ms != 0 and not self._has_warned:
            self._has_warned = True
            seconds = round(abs(self._offset_ms) / 1_000)
            side = "behind" if self._offset_ms > 0 else "ahead"
            self._log.once(
                "warning",
                f"the clock is {seconds} s {side}: event times are corrected",
            )


def offset_after(known: int, timing: Timing) -> int:
    """
    Returns how many milliseconds to add to the clock: the Date minus the middle of the round trip, rounded
    down, if that is more than 60 s either way, otherwise 0. Returns the `known` offset when there is no Date,
    or when the clock went back during the request.
    """
    if timing.date is None or timing.answered_at < timing.sent_at:
        return known
    try:
        date = parsedate_to_datetime(timing.date)
        if date.tzinfo is None:
            date = date.replace(tzinfo=timezone.utc)
        date_ms = int(date.timestamp()) * 1_000
    except (TypeError, ValueError, IndexError, OverflowError):
        return known
    offset = (2 * date_ms - timing.sent_at - timing.answered_at) // 2
    return offset if abs(offset) > _TOLERANCE_MS else 0
