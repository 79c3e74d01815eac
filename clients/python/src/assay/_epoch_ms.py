"""The caller's clock in the unit of events."""

from __future__ import annotations


def epoch_ms_of(seconds: float) -> int:
    """
    Converts epoch seconds to whole epoch milliseconds, the rest cut. Raises ValueError, OverflowError or
    TypeError when they are no number.
    """
    # Rounded to microseconds first: 1.005 s is less than that in binary, and must not become 1,004 ms.
    return round(seconds * 1e6) // 1000
