"""Notifies clients of forks and the end of the process."""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from typing import Callable, Optional

LAST_SECONDS = 2.0


class Guest:
    """An object that is notified of forks and the end of the process."""

    def begin_last_flush(self) -> None:
        """The process is about to end: `finish` comes next."""

    def finish(self, deadline: float) -> None:
        """The process ends: remaining events have until `deadline` (monotonic seconds)."""

    def flush_before_end(self, deadline: float) -> None:
        """A signal arrived that the application handles. The process may end without a further call."""

    def reset_after_fork(self) -> None:
        """This is a forked child, without the parent's other threads."""


# Weak, so that hooks do not keep an unused client alive.
_guests: "weakref.WeakSet[Guest]" = weakref.WeakSet()
_is_exit_watched = False
_finalized_pid: Optional[int] = None
_celery_signal: object = None


def watch(guest: Guest) -> None:
    """Starts telling the guest about forks and the end of the process."""
    _guests.add(guest)
    watch_exit()


def unwatch(guest: Guest) -> None:
    """Stops telling the guest."""
    _guests.discard(guest)


def watch_exit() -> None:
    """Call this whenever a thread starts. A forked child ends differently and starts its own threads."""
    global _is_exit_watched
    if not _is_exit_watched:
        atexit.register(_finish_all)
        _is_exit_watched = True
    _watch_pool_child(_finish_all)
    _watch_celery()


def _watch_pool_child(finish: Callable[[], None]) -> None:
    """
    A child that `multiprocessing` forked ends without `atexit`, but runs multiprocessing's own finalizers.
    """
    global _finalized_pid
    process = sys.modules.get("multiprocessing.process")
    util = sys.modules.get("multiprocessing.util")
    if process is None or util is None or _finalized_pid == os.getpid():
        return
    try:
        # Only once the process is known to be a child: before that, Python 3.8 discards finalizers.
        if process.parent_process() is not None:
            util.Finalize(None, finish, exitpriority=0)
            _finalized_pid = os.getpid()
    except Exception:
        pass  # undocumented elsewhere; without it, such a child must call flush itself


def _watch_celery() -> None:
    """
    A child of Celery's pool ends without `atexit` and without finalizers, but sends Celery's own signal.
    """
    global _celery_signal
    found = getattr(sys.modules.get("celery.signals"), "worker_process_shutdown", None)
    if found is None or found is _celery_signal:
        return
    try:
        found.connect(_finish_celery, weak=False)
        _celery_signal = found
    except Exception:
        pass  # another library of that name; without it, such a child must close the client itself


def _finish_celery(**_: object) -> None:
    _finish_all()


def _finish_all() -> None:
    deadline = time.monotonic() + LAST_SECONDS
    guests = list(_guests)
    # All at once, so that no client uses up another's time.
    for guest in guests:
        guest.begin_last_flush()
    for guest in guests:
        guest.finish(deadline)


def _reset_all() -> None:
    for guest in list(_guests):
        guest.reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
