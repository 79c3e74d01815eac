"""The part of an ASGI application's life in which a client is open."""

from __future__ import annotations

from typing import Awaitable, Callable


class Lifespan:
    """An async context manager without a value, as frameworks want it, that closes a client at its end."""

    def __init__(self, close: Callable[[], Awaitable[bool]]) -> None:
        self._close = close

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *error: object) -> None:
        await self._close()
