"""Replaces the threads of a client that makes no requests."""

from __future__ import annotations

from typing import Callable, Optional, Tuple

from ._config_snapshot import read_bootstrap
from ._delivery_driver import Outcome
from ._delivery_steps import Rejection
from ._event_row import KeptEvent
from ._options import Settings


class Offline:
    """
    Stands in for `Background`. The config is the `bootstrap`, and each event is passed to `take`. Nothing
    waits, because nothing will ever be loaded.
    """

    def __init__(self, settings: Settings, take: Callable[[KeptEvent], None]) -> None:
        self.snapshot = read_bootstrap(settings.bootstrap, settings.log)
        self._take = take

    def ensure_running(self) -> None:
        """Nothing to run."""

    def add(self, event: KeptEvent) -> bool:
        """Passes an event on."""
        self._take(event)
        return True

    def note_null(self) -> None:
        """Nothing to report."""

    def flush(self, timeout: float) -> bool:
        """True: nothing is being sent."""
        return True

    def take_rejected(self) -> Tuple[Rejection, ...]:
        """Empty: no event is refused."""
        return ()

    def wait_for(self, timeout: float, outcome: Outcome) -> bool:
        """Returns whether `outcome` is true now."""
        decided: Optional[bool] = outcome()
        return decided is True

    def close(self, timeout: float) -> bool:
        """Like `flush`."""
        return True
