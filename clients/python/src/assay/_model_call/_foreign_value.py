"""
Reads values of somebody else's: dicts as they come over the wire, or objects that a library makes of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Dict, FrozenSet, Optional, Union

_snake_names: Dict[str, str] = {}


def field_at(value: object, *path: Union[str, int]) -> object:
    """
    Returns the field at the end of a path of wire names; None when there is none or a getter raises. Google's
    library has `promptTokenCount` of the wire as `prompt_token_count`: either is found.
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
    """Reads a text as `field_at` does; empty when there is none."""
    return text_or_none(field_at(value, *path)) or ""


def text_or_none(value: object) -> Optional[str]:
    """Returns a plain text, of an enumeration's member too, and None for whatever is no text."""
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
    # Answers of the libraries are models of pydantic: to ask one for what it lacks takes a microsecond, and
    # most of what is looked for is not there.
    model: Any = value
    if name in model.__dict__:
        return model.__dict__[name]
    extra = model.__pydantic_extra__
    return None if extra is None else extra.get(name)


@lru_cache(maxsize=256)
def _names_of_model(kind: type) -> Optional[FrozenSet[str]]:
    """Lists what a pydantic model has of its class; None for a class of any other kind."""
    return frozenset(dir(kind)) if hasattr(kind, "__pydantic_decorators__") else None


def _snake(name: str) -> str:
    # Only names of ours come here: they are few.
    snake = _snake_names.get(name)
    if snake is None:
        snake = _snake_names[name] = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()
    return snake
