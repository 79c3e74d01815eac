"""The part of an ASGI application's lifetime in which a client is open."""

from __future__ import annotations

from typing import Awaitable, Callable


class Lifespan:
    """An async context manager that closes a client at its end. It yields no value, as frameworks expect."""

    def __init__(self, close: Callable[[], Awaitable[bool]]) -> None:
        self._close = close

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *error: object) -> None:
        await self._close()
