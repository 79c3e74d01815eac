"""What a client has instead of threads when it makes no request."""

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
    waits: what is not loaded never will be.
    """

    def __init__(self, settings: Settings, take: Callable[[KeptEvent], None]) -> None:
        self.snapshot = read_bootstrap(settings.bootstrap, settings.log)
        self._take = take

    def ensure_running(self) -> None:
        """There is nothing to run."""

    def add(self, event: KeptEvent) -> bool:
        """Passes an event on."""
        self._take(event)
        return True

    def note_null(self) -> None:
        """There is nobody to tell."""

    def flush(self, timeout: float) -> bool:
        """True: nothing is on its way."""
        return True

    def take_rejected(self) -> Tuple[Rejection, ...]:
        """Empty: nobody refuses events."""
        return ()

    def wait_for(self, timeout: float, outcome: Outcome) -> bool:
        """Returns whether `outcome` is true now."""
        decided: Optional[bool] = outcome()
        return decided is True

    def close(self, timeout: float) -> bool:
        """As `flush`."""
        return True
