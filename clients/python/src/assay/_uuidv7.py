"""Ids of events."""

from __future__ import annotations

import uuid

_LAST_INSTANT = 2**48 - 1


def uuidv7(epoch_ms: int) -> str:
    """Makes a UUIDv7 (RFC 9562) for an instant in epoch milliseconds; one outside its 48 bits is clamped."""
    time = f"{min(_LAST_INSTANT, max(0, epoch_ms)):012x}"
    # The variant and the random digits of a version 4 are the same.
    return f"{time[:8]}-{time[8:]}-7{str(uuid.uuid4())[15:]}"
