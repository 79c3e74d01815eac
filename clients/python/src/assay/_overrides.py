"""Variants that are forced, independent of bucketing."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from typing import Any, Mapping, Optional

from ._client_log import ClientLog
from ._config_snapshot import ConfigExperiment, ConfigSnapshot, ConfigVariant


class Overrides:
    """The option `overrides`: a variant's key by the name or id of its experiment."""

    def __init__(self, keys: Mapping[str, str], log: ClientLog) -> None:
        self._keys = keys
        self._log = log

    def variant_in(self, experiment: ConfigExperiment) -> Optional[ConfigVariant]:
        """
        Returns the forced variant, even a switched-off one; None when no override applies. A variant that the
        experiment does not have is ignored with one warning.
        """
        if not self._keys or experiment.variants is None:
            return None
        key = self._keys.get(experiment.id, self._keys.get(experiment.name))
        if key is None:
            return None
        variant = experiment.variants.get(key)
        if variant is None:
            self._log.once("warning", f"overrides: {experiment.name} has no variant {key}")
        return variant

    def mark(self, payload: Mapping[str, Any], snapshot: Optional[ConfigSnapshot]) -> Mapping[str, Any]:
        """
        Returns the payload of an event. While an override applies to its experiment, the payload is marked as
        a test event, which the service leaves out of the analysis.
        """
        if not self._keys or not isinstance(payload, AbstractMapping):
            return payload
        if not self._is_in_force(payload.get("experiment_id"), snapshot):
            return payload
        told = payload.get("metadata")
        metadata = told if isinstance(told, AbstractMapping) else {}
        return {**payload, "metadata": {**metadata, "assay_test": True}}

    def _is_in_force(self, experiment: object, snapshot: Optional[ConfigSnapshot]) -> bool:
        if not isinstance(experiment, str):
            return False
        if snapshot is None:
            return experiment in self._keys
        found = snapshot.experiments.get(experiment)
        return found is not None and self.variant_in(found) is not None
