"""Event ids."""

from __future__ import annotations

import os

_LAST_INSTANT = 2**48 - 1
# The two highest bits of this digit are fixed.
_VARIANT = {digit: "89ab"[index % 4] for index, digit in enumerate("0123456789abcdef")}


def uuidv7(epoch_ms: int) -> str:
    """Makes a UUIDv7 (RFC 9562) for an instant in epoch milliseconds; one outside its 48 bits is clamped."""
    time = f"{min(_LAST_INSTANT, max(0, epoch_ms)):012x}"
    # The module `uuid` would take three times as long for each event.
    dice = os.urandom(10).hex()
    return f"{time[:8]}-{time[8:]}-7{dice[:3]}-{_VARIANT[dice[3]]}{dice[4:7]}-{dice[7:19]}"
