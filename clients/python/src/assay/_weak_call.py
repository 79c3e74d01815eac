"""Calls that keep nobody alive."""

from __future__ import annotations

import weakref
from typing import Callable


def weak_call(method: Callable[[], None], on_drop: Callable[[], None]) -> Callable[[], None]:
    """
    Makes a call of a bound method that does nothing once its owner is gone, and does not keep it alive.
    `on_drop` is called when the owner goes, by the collector: at any moment, on any thread. A plain function
    is returned as it is.
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
