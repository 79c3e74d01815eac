"""Lets clients send their events when SIGTERM ends the process."""

from __future__ import annotations

import os
import signal
import time
import weakref
from types import FrameType
from typing import Any, Optional

from ._process_hooks import LAST_SECONDS, Guest

# Weak, so that the handler does not keep an unused client alive.
_guests: "weakref.WeakSet[Guest]" = weakref.WeakSet()


def watch_sigterm(guest: Guest) -> Optional[str]:
    """
    Calls the guest at SIGTERM, before the signal's current handler. Returns the reason if that is not
    possible, or None.
    """
    try:
        previous = signal.getsignal(signal.SIGTERM)
        if previous is None:
            return "SIGTERM has a handler that is not Python's"
        # A process that ignores the signal does not end at it.
        if previous != signal.SIG_IGN and not isinstance(previous, _Handler):
            signal.signal(signal.SIGTERM, _Handler(previous))
    except ValueError:
        return "only the main thread can set a signal handler"
    _guests.add(guest)
    return None


class _Handler:
    """Sends or keeps the clients' events, and then does what the signal did before."""

    def __init__(self, previous: Any) -> None:
        self._previous = previous

    def __call__(self, number: int, frame: Optional[FrameType]) -> None:
        deadline = time.monotonic() + LAST_SECONDS
        is_end = self._previous == signal.SIG_DFL
        guests = list(_guests)
        # All at once, so that no client uses up the others' time.
        for guest in guests:
            guest.begin_last_flush()
        for guest in guests:
            if is_end:
                guest.finish(deadline)
            else:
                guest.flush_before_end(deadline)
        if is_end:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        else:
            self._previous(number, frame)
