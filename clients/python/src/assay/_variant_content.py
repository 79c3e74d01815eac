"""Merges a variant's content with the caller's defaults."""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional

from ._config_snapshot import ConfigVariant, copy_of_json


class PromptChoice(NamedTuple):
    """The result of `get_prompt`."""

    variant: Optional[str]
    """None: control behavior."""
    prompt: str
    fallback: bool
    """True when `prompt` is the caller's default."""


def prompt_of(variant: Optional[ConfigVariant], default: str) -> PromptChoice:
    """Chooses the variant's prompt, or the default when there is none; an empty prompt is one."""
    if variant is None:
        return PromptChoice(None, default, True)
    if variant.prompt is None:
        return PromptChoice(variant.key, default, True)
    return PromptChoice(variant.key, variant.prompt, False)


def variables_of(variant: Optional[ConfigVariant], defaults: Mapping[str, Any]) -> Dict[str, Any]:
    """
    Overwrites a copy of the defaults with the variant's variables, by top-level keys, including null and
    nested objects. Values from the config are copied, so that a caller cannot change the config.
    """
    merged = dict(defaults)
    if variant is not None:
        merged.update(copy_of_json(variant.variables))
    return merged
