"""
What clients need of the process: to be told of a fork, and of its end. Signals are the application's own
business.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from typing import Callable, Optional

LAST_SECONDS = 2.0


class Guest:
    """What is told."""

    def begin_last_flush(self) -> None:
        """The process is about to end: `finish` comes next."""

    def finish(self, deadline: float) -> None:
        """The process ends: what is left has until `deadline`, in monotonic seconds."""

    def reset_after_fork(self) -> None:
        """This is a forked child, in which no other thread goes on."""


# Weak: a client that nobody uses any more is not kept for this.
_guests: "weakref.WeakSet[Guest]" = weakref.WeakSet()
_is_exit_watched = False
_finalized_pid: Optional[int] = None


def watch(guest: Guest) -> None:
    """Tells the guest of forks and of the end of the process, from now on."""
    _guests.add(guest)
    watch_exit()


def unwatch(guest: Guest) -> None:
    """Tells it no more."""
    _guests.discard(guest)


def watch_exit() -> None:
    """To be called whenever a thread starts: a forked child, whose end is of another kind, starts its own."""
    global _is_exit_watched
    if not _is_exit_watched:
        atexit.register(_finish_all)
        _is_exit_watched = True
    _watch_pool_child(_finish_all)


def _watch_pool_child(finish: Callable[[], None]) -> None:
    """A child that `multiprocessing` forked ends without `atexit`, but runs finalizers of its own."""
    global _finalized_pid
    process = sys.modules.get("multiprocessing.process")
    util = sys.modules.get("multiprocessing.util")
    if process is None or util is None or _finalized_pid == os.getpid():
        return
    try:
        # Not before it is known for a child: until then Python 3.8 throws finalizers away.
        if process.parent_process() is not None:
            util.Finalize(None, finish, exitpriority=0)
            _finalized_pid = os.getpid()
    except Exception:
        pass  # not documented for others: without it such a child must call flush itself


def _finish_all() -> None:
    deadline = time.monotonic() + LAST_SECONDS
    guests = list(_guests)
    # All at once, so that none has to wait for the time that another takes.
    for guest in guests:
        guest.begin_last_flush()
    for guest in guests:
        guest.finish(deadline)


def _reset_all() -> None:
    for guest in list(_guests):
        guest.reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
