"""Names of business metrics that no metric reads."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Set

from ._client_log import ClientLog
from ._config_snapshot import ConfigSnapshot

# Names may come from the application's data, and the log remembers each message.
_MAX_NAMES = 100
_LONGEST = 500


class MetricNames:
    """Warns once per name about business events that no metric of their experiment reads."""

    def __init__(self, log: ClientLog) -> None:
        self._log = log
        self._said: Set[str] = set()

    def check(self, payload: Mapping[str, Any], snapshot: Optional[ConfigSnapshot]) -> None:
        """Checks an event that is about to be sent. Never raises."""
        try:
            experiment, name = payload.get("experiment_id"), payload.get("business_metric")
            found = None if snapshot is None else snapshot.experiments.get(experiment)  # type: ignore[arg-type]
            listed = None if found is None else found.business_metrics
            if listed is None or not isinstance(name, str) or name in listed:
                return
            message = f"{experiment}: no metric reads the business_metric {name}"[:_LONGEST]
            if len(self._said) < _MAX_NAMES:
                self._said.add(message)
                self._log.once("warning", message)
        except Exception:
            # The caller's objects may raise anything. The event is still sent or dropped as usual.
            return
