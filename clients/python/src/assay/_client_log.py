"""The client's few messages."""

from __future__ import annotations

import logging
import threading
from typing import Callable, Dict, List, Optional, Set

_LONGEST_SILENCE = 60.0
# Some reasons come from the service, so their number is limited.
_MAX_REASONS = 50
_LONGEST_REASON = 200
# Some messages contain names from the application's data.
_MAX_SAID = 1_000


class _Tally:
    """The count since a reason was last logged, and when it may be logged again."""

    __slots__ = ("count", "due")

    def __init__(self, due: float) -> None:
        self.count = 0
        self.due = due


class ClientLog:
    """
    Logs a message once, or at most once a minute with a count. Never raises, even if the logger does.
    Thread-safe. It has no thread of its own: threads that wake up anyway call `tick`.
    """

    def __init__(self, logger: logging.Logger, monotonic: Callable[[], float]) -> None:
        self._logger = logger
        self._monotonic = monotonic
        self._said: Set[str] = set()
        # The reasons of the last minute.
        self._tallies: Dict[str, _Tally] = {}
        # The garbage collector or a signal handler may run the caller's code here, which may reenter.
        self._lock = threading.RLock()

    def once(self, level: str, message: str) -> None:
        """Logs the message at `level` ("warning" or "error") unless it was logged before."""
        with self._lock:
            if message in self._said or len(self._said) >= _MAX_SAID:
                return
            self._said.add(message)
        self._write(level, message)

    def count(self, reason: str, count: int = 1) -> None:
        """
        Logs `reason: count` as a warning at once. Repeats within a minute are logged together at its end.
        """
        if count == 0:
            return
        now = self._monotonic()
        with self._lock:
            lines = self._expire(now)
            short = reason[:_LONGEST_REASON]
            key = short if short in self._tallies or len(self._tallies) < _MAX_REASONS else "other reasons"
            tally = self._tallies.get(key)
            if tally is None:
                self._tallies[key] = _Tally(now + _LONGEST_SILENCE)
                lines.append(f"{key}: {count}")
            else:
                tally.count += count
        self._write_all(lines)

    def tick(self) -> None:
        """Logs the counts whose minute is over."""
        now = self._monotonic()
        with self._lock:
            lines = self._expire(now)
        self._write_all(lines)

    def next_tick(self) -> Optional[float]:
        """Returns when `tick` has something to log, in monotonic seconds; None when it has nothing."""
        with self._lock:
            return min((tally.due for tally in self._tallies.values() if tally.count > 0), default=None)

    def close(self) -> None:
        """Logs the counts that are still waiting for their minute to end."""
        with self._lock:
            lines = [f"{reason}: {tally.count}" for reason, tally in self._tallies.items() if tally.count > 0]
            self._tallies.clear()
        self._write_all(lines)

    def reset_after_fork(self) -> None:
        """Makes a new lock in a forked child, where the thread that held the old one does not exist."""
        self._lock = threading.RLock()

    def _expire(self, now: float) -> List[str]:
        """
        Removes and returns the counts whose minute is over. A reason with a count then stays silent for
        another minute.
        """
        lines = []
        for reason, tally in list(self._tallies.items()):
            if tally.due > now:
                continue
            del self._tallies[reason]
            if tally.count > 0:
                lines.append(f"{reason}: {tally.count}")
                self._tallies[reason] = _Tally(now + _LONGEST_SILENCE)
        return lines

    def _write_all(self, lines: List[str]) -> None:
        for line in lines:
            self._write("warning", line)

    def _write(self, level: str, message: str) -> None:
        try:
            if level == "error":
                self._logger.error("[assay] %s", message)
            else:
                self._logger.warning("[assay] %s", message)
        except Exception:
            # A broken logger must not break the caller.
            pass
