"""What experiments assign instead of users: conversations and runs."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from typing import Any, Mapping, Optional, Union

from ._config_snapshot import ConfigExperiment, ConfigSnapshot, ConfigVariant
from ._user_context import current_context

UNIT_ADVICE = "pass unit= of 1-256 characters, or use with_conversation or with_run"


def is_id(value: object) -> bool:
    """Whether a value can be the id of a user or a unit. The service rejects other ids."""
    return isinstance(value, str) and 1 <= str.__len__(value) <= 256


def unit_of(assigned: Union[ConfigExperiment, ConfigVariant], unit: Optional[str]) -> Optional[str]:
    """
    Returns the id of the unit that an experiment assigns: `unit`, or by default the context's. None if it
    assigns users or the id is unknown.
    """
    if assigned.unit is None:
        return None
    id_ = current_context().unit(assigned.unit) if unit is None else unit
    return id_ if is_id(id_) else None


def placed(payload: Mapping[str, Any], snapshot: Optional[ConfigSnapshot]) -> Mapping[str, Any]:
    """Fills in the context's run and the unit of the event's experiment, unless the payload names its own."""
    context = current_context()
    if not (context.run or context.conversation) or not isinstance(payload, AbstractMapping):
        return payload
    experiment: Any = payload.get("experiment_id")
    found = None if snapshot is None else snapshot.experiments.get(experiment)
    ids = {"run_id": context.run, "unit_id": None if found is None else unit_of(found, None)}
    return {**{name: id_ for name, id_ in ids.items() if id_}, **payload}
