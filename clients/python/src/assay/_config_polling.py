"""
Config polling as a state machine without I/O, locks, threads or clocks: the driver provides those.
"""

from __future__ import annotations

from collections import deque
from typing import Callable, Deque, Optional, Tuple

from ._config_snapshot import ConfigSnapshot, parse_config
from ._retry_policy import PAUSE_MS, Answer, backoff_ms

# Spreads the requests of clients that all learn of a change at the same time.
_REFRESH_SPREAD_MS = 2_000.0


class ConfigPolling:
    """
    Keeps the last config loaded and decides when to ask for a newer one: at `next_at`, send the ETag that
    `begin` returns, then call `answered`. Times are monotonic milliseconds. Log lines wait in `notes` as
    (reason, count). Not thread-safe.
    """

    def __init__(
        self,
        poll_interval_ms: float,
        random: Callable[[], float],
        snapshot: Optional[ConfigSnapshot],
        now: float,
    ) -> None:
        self.snapshot = snapshot
        self.notes: Deque[Tuple[str, int]] = deque()
        self.next_at = now
        self._poll_interval_ms = poll_interval_ms
        self._random = random
        self._etag: Optional[str] = None
        self._failures = 0
        self._is_loading = False

    def begin(self) -> Optional[str]:
        """Starts a load; returns the ETag of the known config, to be sent with the request."""
        self._is_loading = True
        return self._etag

    def answered(self, answer: Answer, now: float) -> bool:
        """
        Takes the answer to a load. True when the service returned a config or said that there is no newer
        one.
        """
        self._is_loading = False
        loaded = self._read(answer)
        is_refused = answer.verdict == "refuse"
        if loaded is not None:
            self._failures = 0
            self._take(loaded, answer.etag)
        else:
            self._failures += 1
            if not is_refused:
                self.notes.append((f"config not loaded, {answer.reason}", 1))
        self.next_at = now + (PAUSE_MS if is_refused else self._interval(answer, loaded is not None))
        return loaded is not None

    def note_version(self, version: float, now: float) -> bool:
        """
        Takes the `config_version` of an acknowledgement. A newer version brings the next load forward: True.
        """
        is_newer = self.snapshot is not None and version > self.snapshot.version
        # A running load was due before now.
        if not is_newer or self.next_at - now <= _REFRESH_SPREAD_MS:
            return False
        self.next_at = now + self._random() * _REFRESH_SPREAD_MS
        return True

    def reset_after_fork(self, now: float) -> None:
        """Forgets a load that the parent has started; the config stays."""
        if self._is_loading:
            self._is_loading = False
            self.next_at = now

    def _read(self, answer: Answer) -> Optional[ConfigSnapshot]:
        if answer.status == 304:
            return self.snapshot
        return parse_config(answer.body) if answer.status == 200 else None

    def _take(self, loaded: ConfigSnapshot, etag: Optional[str]) -> None:
        if loaded is self.snapshot:
            return
        self.snapshot = loaded
        self._etag = etag
        if loaded.unreadable > 0:
            self.notes.append(("unreadable experiment", loaded.unreadable))

    def _interval(self, answer: Answer, is_loaded: bool) -> float:
        has_config = self.snapshot is not None
        interval = self._poll_interval_ms * (0.9 + 0.2 * self._random()) if has_config else 0.0
        if is_loaded:
            return interval
        # With a config there is no hurry: only a longer Retry-After matters.
        jitter = 0.0 if has_config else self._random()
        return max(interval, backoff_ms(answer.retry_after_ms, self._failures, jitter))
