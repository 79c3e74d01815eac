"""Waiting without blocking the event loop."""

from __future__ import annotations

from typing import Callable, TypeVar

_Answer = TypeVar("_Answer")


async def in_thread(work: Callable[[], _Answer]) -> _Answer:
    """
    Runs `work` in a thread of the running event loop; without a loop, or when it is ending, in this thread.
    """
    # Importing asyncio costs more than this whole package, so it is only used if already loaded.
    import asyncio

    try:
        future = asyncio.get_running_loop().run_in_executor(None, work)
    except RuntimeError:
        return work()
    return await future
