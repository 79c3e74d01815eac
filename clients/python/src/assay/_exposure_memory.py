"""Remembers which exposures were recorded recently, because each one is billed."""

from __future__ import annotations

import threading
from typing import Dict, Tuple

from ._config_snapshot import ConfigVariant
from ._process_hooks import Guest, watch

# Experiment id, variant key, user. Not the config version, since an edit makes no new exposure.
_Generation = Dict[Tuple[str, str, str], float]


class ExposureMemory(Guest):
    """
    Remembers at most `capacity` exposures, and at least the most recently used half of that, each for
    `window` seconds. Times are epoch seconds and may go backward, as in a replay. Thread-safe.
    """

    def __init__(self, window: float, capacity: int) -> None:
        self._window = window
        self._half = capacity // 2
        # Two generations instead of an exact order: looking up a frequent user needs no write and no lock.
        self._young: _Generation = {}
        self._old: _Generation = {}
        # The garbage collector or a signal handler may run the caller's code here, which may reenter.
        self._lock = threading.RLock()
        watch(self)

    def claim(self, variant: ConfigVariant, user: str, now: float) -> bool:
        """
        Remembers the user's exposure to the variant at `now`. True if it must be recorded; of several
        simultaneous callers, exactly one gets True. False if it was recorded within the window around `now`.
        """
        key = (variant.experiment_id, variant.key, user)
        at = self._young.get(key)
        if at is not None and abs(now - at) < self._window:
            return False
        return self._claim_slowly(key, now)

    def forget(self, variant: ConfigVariant, user: str) -> None:
        """Withdraws a claim whose exposure was not recorded, so that it is tried again."""
        key = (variant.experiment_id, variant.key, user)
        with self._lock:
            self._young.pop(key, None)
            self._old.pop(key, None)

    def reset_after_fork(self) -> None:
        """Makes a new lock in a forked child, where the thread that held the old one does not exist."""
        self._lock = threading.RLock()

    def _claim_slowly(self, key: Tuple[str, str, str], now: float) -> bool:
        with self._lock:
            at = self._young.get(key, self._old.get(key))
            is_known = at is not None and abs(now - at) < self._window
            self._keep(key, now if at is None or not is_known else at)
            return not is_known

    def _keep(self, key: Tuple[str, str, str], at: float) -> None:
        if key not in self._young and len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[key] = at
