"""What a variant says, over what the caller says."""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional

from ._config_snapshot import ConfigVariant, copy_of_json


class PromptChoice(NamedTuple):
    """What `get_prompt` answers."""

    variant: Optional[str]
    """None: control behaviour."""
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
    Lays the variant's variables over a copy of the defaults: its top-level keys replace theirs, null and
    nested objects included. What comes from the config is copied, so that a caller who changes it does not
    change the config.
    """
    merged = dict(defaults)
    if variant is not None:
        merged.update(copy_of_json(variant.variables))
    return merged
