"""Merges a variant's content with the caller's defaults."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from numbers import Number
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from ._config_snapshot import ConfigVariant, copy_of_json


class PromptChoice(NamedTuple):
    """The result of `get_prompt`."""

    variant: Optional[str]
    """None: control behavior."""
    prompt: str
    fallback: bool
    """True when `prompt` is the caller's default."""


def prompt_of(variant: Optional[ConfigVariant], default: str) -> PromptChoice:
    """Chooses the variant's prompt, or the default when there is none. An empty prompt counts as a prompt."""
    if variant is None:
        return PromptChoice(None, default, True)
    if variant.prompt is None:
        return PromptChoice(variant.key, default, True)
    return PromptChoice(variant.key, variant.prompt, False)


class VariablesChoice(NamedTuple):
    """The result of `get_variables_detail`."""

    variant: Optional[str]
    """None: control behavior."""
    variables: Dict[str, Any]
    fallback: Tuple[str, ...]
    """The names of the caller's defaults that `variables` contains, in their order."""


def variables_of(
    variant: Optional[ConfigVariant],
    defaults: Mapping[str, Any],
    on_other_kind: Callable[[str, str, str], None],
) -> VariablesChoice:
    """
    Overwrites a copy of the defaults with the variant's variables, by top-level keys; nested objects are
    replaced whole. Leaves out a variable whose type differs from its default's, so that the caller gets the
    expected types. Values from the config are copied, so that a caller cannot change the config.
    """
    merged = dict(defaults)
    values: Dict[str, Any] = {} if variant is None else copy_of_json(variant.variables)
    fallback: List[str] = []
    for name, default in merged.items():
        if name in values:
            kind, default_kind = _kind_of(values[name]), _kind_of(default)
            if default_kind in (kind, "null"):
                continue
            on_other_kind(name, kind, default_kind)
            del values[name]
        fallback.append(name)
    merged.update(values)
    return VariablesChoice(None if variant is None else variant.key, merged, tuple(fallback))


def _kind_of(value: Any) -> str:
    """The name of a value's JSON type. A value that JSON cannot hold has a type that no variable has."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "text"
    if isinstance(value, Number):
        return "number"
    if isinstance(value, AbstractMapping):
        return "object"
    return "list" if isinstance(value, (list, tuple)) else type(value).__name__
