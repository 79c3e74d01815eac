"""
Reads values from outside: dicts from the wire, or the objects that a library makes from them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Dict, FrozenSet, Optional, Union

_snake_names: Dict[str, str] = {}


def field_at(value: object, *path: Union[str, int]) -> object:
    """
    Follows a path of wire names; None when a field is missing or a getter raises. Google's library renames
    `promptTokenCount` to `prompt_token_count`: both are found.
    """
    try:
        for key in path:
            if value is None:
                return None
            value = _item(value, key) if isinstance(key, int) else _field(value, key)
        return value
    except Exception:
        return None


def text_at(value: object, *path: Union[str, int]) -> str:
    """Reads a string as `field_at` does; empty when there is none."""
    return text_or_none(field_at(value, *path)) or ""


def text_or_none(value: object) -> Optional[str]:
    """Returns a plain string, also for an enum member, and None for anything else."""
    return str.__str__(value) if isinstance(value, str) else None


def _item(value: object, index: int) -> object:
    return value[index] if isinstance(value, (list, tuple)) and index < len(value) else None


def _field(value: object, name: str) -> object:
    if isinstance(value, dict):
        found = value.get(name)
        return found if found is not None else value.get(_snake(name))
    found = _attribute(value, name)
    snake = _snake(name)
    return found if found is not None or snake == name else _attribute(value, snake)


def _attribute(value: object, name: str) -> object:
    kind: Any = type(value)
    own_names = _names_of_model(kind)
    if own_names is None or name in own_names:
        return getattr(value, name, None)
    # The libraries' answers are pydantic models. Asking one for a missing field takes a microsecond, and most
    # of the fields looked for are missing.
    model: Any = value
    if name in model.__dict__:
        return model.__dict__[name]
    extra = model.__pydantic_extra__
    return None if extra is None else extra.get(name)


@lru_cache(maxsize=256)
def _names_of_model(kind: type) -> Optional[FrozenSet[str]]:
    """Lists the names that a pydantic model's class defines; None for any other class."""
    return frozenset(dir(kind)) if hasattr(kind, "__pydantic_decorators__") else None


def _snake(name: str) -> str:
    # Only called with our own names, which are few.
    snake = _snake_names.get(name)
    if snake is None:
        snake = _snake_names[name] = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()
    return snake
