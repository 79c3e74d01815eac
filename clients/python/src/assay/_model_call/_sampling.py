"""The settings of a request that say how its answer is sampled."""

from __future__ import annotations

import math
from typing import Dict, Union

from ._foreign_value import field_at

# By their names in the requests of all providers.
_SETTINGS = {
    "temperature": "temperature",
    "topP": "top_p",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "maxOutputTokens": "max_tokens",
    "seed": "seed",
}


def sampling(request: object) -> Dict[str, Union[int, float]]:
    """Returns the sampling settings that a request has, by their names in an event's metadata."""
    settings: Dict[str, Union[int, float]] = {}
    for name, setting in _SETTINGS.items():
        value = field_at(request, name)
        if value is None:
            # Google has its own place for them.
            value = field_at(request, "config", name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            settings[setting] = value
    return settings
