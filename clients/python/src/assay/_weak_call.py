"""Calls that do not keep their owner alive."""

from __future__ import annotations

import weakref
from typing import Callable


def weak_call(method: Callable[[], None], on_drop: Callable[[], None]) -> Callable[[], None]:
    """
    Wraps a bound method without keeping its owner alive. Once the owner is gone, the call does nothing. The
    garbage collector calls `on_drop` when the owner goes, at any moment and on any thread. A plain function
    is returned unchanged.
    """
    owner = getattr(method, "__self__", None)
    if owner is None:
        return method
    weak_method = weakref.WeakMethod(method)
    weakref.finalize(owner, on_drop).atexit = False

    def call() -> None:
        live = weak_method()
        if live is not None:
            live()

    return call
