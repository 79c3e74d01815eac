"""The sampling settings of a request."""

from __future__ import annotations

import math
from typing import Dict, Union

from ._foreign_value import field_at

# The names that providers use in their requests.
_SETTINGS = {
    "temperature": "temperature",
    "topP": "top_p",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "maxOutputTokens": "max_tokens",
    "seed": "seed",
}


def sampling(request: object) -> Dict[str, Union[int, float]]:
    """Returns a request's sampling settings, under their names in an event's metadata."""
    settings: Dict[str, Union[int, float]] = {}
    for name, setting in _SETTINGS.items():
        value = field_at(request, name)
        if value is None:
            # Google puts them in `config`.
            value = field_at(request, "config", name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            settings[setting] = value
    return settings
