"""Placeholders in the vectors for values that JSON cannot hold, or not well."""

from __future__ import annotations

import struct
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List


def text_of(utf16: List[int]) -> str:
    """Makes a string from UTF-16 code units, well-formed or not."""
    units = struct.pack(f"<{len(utf16)}H", *utf16)
    return units.decode("utf-16-le", "surrogatepass")


def user_of(case: Dict[str, Any]) -> str:
    """Reads the user of a case: `user_id`, or `user_utf16` where it is not well-formed."""
    return case["user_id"] if "user_id" in case else text_of(case["user_utf16"])


def unmark(value: Any) -> Any:
    """Replaces each object with the key "$" by the value that it stands for."""
    if isinstance(value, list):
        return [unmark(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "$" in value:
        return _MARKERS[value["$"]](value)
    return {key: unmark(entry) for key, entry in value.items()}


def _cycle(_marker: Dict[str, Any]) -> Any:
    cycle: Dict[str, Any] = {}
    cycle["self"] = cycle
    return cycle


_MARKERS = {
    "nan": lambda _: float("nan"),
    "infinity": lambda _: float("inf"),
    "-infinity": lambda _: float("-inf"),
    "unserialisable": lambda _: object(),
    "cycle": _cycle,
    "instant": lambda m: datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=m["epoch_ms"]),
    "utf16": lambda m: text_of(m["units"]),
    "repeat": lambda m: m["text"] * m["times"],
}
