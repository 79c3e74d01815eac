"""Converts the caller's clock to the unit of events."""

from __future__ import annotations


def epoch_ms_of(seconds: float) -> int:
    """
    Converts epoch seconds to whole epoch milliseconds, dropping any fraction. Raises ValueError,
    OverflowError or TypeError when the value is not a number.
    """
    # Rounds to microseconds first: 1.005 s is slightly less in binary and must not become 1,004 ms.
    return round(seconds * 1e6) // 1000
