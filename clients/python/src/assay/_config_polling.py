"""
Config polling as a state machine without I/O, locks, threads or clocks: the driver provides those.
"""

from __future__ import annotations

from collections import deque
from typing import Callable, Deque, NamedTuple, Optional, Tuple

from ._config_snapshot import ConfigSnapshot, parse_config
from ._retry_policy import PAUSE_MS, Answer, backoff_ms

# Spreads the requests of clients that all hear of a change at the same time.
_REFRESH_SPREAD_MS = 2_000.0

# How long the service waits before it answers 304. Many proxies close a connection after a minute without
# traffic.
_WAIT_SECONDS = 30
# Spreads the requests of clients that were all answered at the same time.
_WAIT_SPREAD_MS = 1_000.0
# After this long, an answer must have waited at the service. Otherwise the request would have timed out.
_WAITED_MS = 10_000.0


class ConfigRequest(NamedTuple):
    """A request for the config."""

    etag: Optional[str]
    """The ETag of the known config."""
    wait: int
    """How many seconds the service may wait for another config before it answers."""


class ConfigPolling:
    """
    Keeps the last config loaded and decides when to load a newer one: at `next_at`, send the request that
    `begin` returns, then call `answered`. Times are monotonic milliseconds. Log lines wait in `notes` as
    (reason, count). Not thread-safe.
    """

    def __init__(
        self,
        poll_interval_ms: float,
        random: Callable[[], float],
        snapshot: Optional[ConfigSnapshot],
        now: float,
        *,
        long_poll: bool,
    ) -> None:
        """:param long_poll: lets requests wait for a change once there is an ETag"""
        self.snapshot = snapshot
        self.notes: Deque[Tuple[str, int]] = deque()
        self.next_at = now
        self._poll_interval_ms = poll_interval_ms
        self._random = random
        self._etag: Optional[str] = None
        self._failures = 0
        self._is_loading = False
        self._long_poll = long_poll
        self._began_at = now
        # The version of the service's last config.
        self._version = float("-inf")

    @property
    def is_waiting(self) -> bool:
        """Whether a request is open that may wait for a change."""
        return self._is_loading and self._wait > 0

    def begin(self, now: float) -> ConfigRequest:
        """Starts a load and returns its request."""
        self._is_loading = True
        self._began_at = now
        return ConfigRequest(self._etag, self._wait)

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
        if is_refused:
            self.next_at = now + PAUSE_MS
        else:
            soon = self._soon(answer, loaded, now - self._began_at) if self._long_poll else None
            self.next_at = now + (self._interval(answer, loaded is not None) if soon is None else soon)
        return loaded is not None

    def note_version(self, version: float, now: float) -> bool:
        """
        Takes the `config_version` of an acknowledgement. True if a newer one brings the next load forward.
        """
        is_newer = self.snapshot is not None and version > self.snapshot.version
        # A running load is due in the past.
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

    @property
    def _wait(self) -> int:
        return _WAIT_SECONDS if self._long_poll and self._etag is not None else 0

    def _soon(self, answer: Answer, loaded: Optional[ConfigSnapshot], took: float) -> Optional[float]:
        """Returns when a client that waits for changes asks again. None for the usual time."""
        if loaded is None:
            return backoff_ms(answer.retry_after_ms, self._failures, self._random())
        is_newer = loaded.version > self._version
        self._version = loaded.version
        # A service that answers at once with nothing new would otherwise be polled in a tight loop.
        if self._etag is None or not (is_newer or took >= _WAITED_MS):
            return None
        has_waited = answer.status == 304 and took >= _WAIT_SECONDS * 1_000
        return 0.0 if has_waited else self._random() * _WAIT_SPREAD_MS

    def _interval(self, answer: Answer, is_loaded: bool) -> float:
        has_config = self.snapshot is not None
        interval = self._poll_interval_ms * (0.9 + 0.2 * self._random()) if has_config else 0.0
        if is_loaded:
            return interval
        # With a config there is no hurry: only a longer Retry-After matters.
        jitter = 0.0 if has_config else self._random()
        return max(interval, backoff_ms(answer.retry_after_ms, self._failures, jitter))
