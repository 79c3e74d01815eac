"""The caller's metadata for its model calls."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from ._client_log import ClientLog


def call_metadata(
    conversation_id: Optional[str],
    trace_id: Optional[str],
    metadata: Optional[Mapping[str, Any]],
    log: ClientLog,
) -> Dict[str, Any]:
    """
    Returns the metadata of model-call events: a copy of `metadata` with the ids. Values that are not a dict
    or not text are left out with a warning.
    """
    made: Dict[str, Any] = {}
    if metadata is not None:
        try:
            made.update(metadata)
        except Exception:
            made = {}
            log.once("warning", "metadata is not a dict and was ignored")
    for name, value in (("conversation_id", conversation_id), ("trace_id", trace_id)):
        if isinstance(value, str):
            made[name] = value
        elif value is not None:
            log.once("warning", f"{name} is not a str and was ignored")
    return made
