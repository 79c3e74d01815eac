"""The config's experiments as flags, and outcomes of their users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .._config_snapshot import fields_of

if TYPE_CHECKING:
    from .._core_client import CoreClient


class CatalogEntry(NamedTuple):
    """An experiment of a config."""

    id: str
    name: str
    status: str
    version: object
    """The config's number. None when the config has none, as in `create_test_client`."""
    shipped: bool
    """Whether everybody gets the same variant."""
    unit: Optional[str]
    """What it assigns: `conversation` or `run`. None: users."""


class Catalog(NamedTuple):
    """The experiments of one config."""

    version: int
    experiments: List[CatalogEntry]
    by_key: Mapping[str, CatalogEntry]
    """By id and by name. If a name equals another experiment's id, the id wins, as in the client."""


class Catalogs:
    """The experiments of the config that the client has loaded."""

    def __init__(self, assay: CoreClient) -> None:
        self._assay = assay
        self._last: Tuple[object, Optional[Catalog]] = (None, None)

    def loaded(self) -> Optional[Catalog]:
        """Returns the experiments. None before the first config."""
        body = self._assay.config_snapshot()
        known, catalog = self._last
        if known is not body:
            catalog = _read_catalog(fields_of(body))
            self._last = (body, catalog)
        return catalog


def track_outcome(
    assay: CoreClient, catalog: Optional[Catalog], name: str, user: str, context: object, details: object
) -> None:
    """
    Reports an outcome as a business_event of the experiment in the attribute `experiment` (name or id).
    Without this attribute, reports it for each experiment in which the user has a variant. The config
    decides that, not the evaluations of this process, so an outcome also counts in another process. The
    other attributes become metadata.
    """
    value = getattr(details, "value", None)
    metadata = dict(getattr(details, "attributes", None) or {})
    experiment = metadata.pop("experiment", None)
    fields: Dict[str, Any] = {
        "user_id": user,
        "business_metric": name,
        "value": 1 if value is None else value,
    }
    if metadata:
        fields["metadata"] = metadata
    if experiment is not None:
        named = None if catalog is None else catalog.by_key.get(str(experiment))
        told = {"experiment_id": str(experiment), "unit_id": unit_of(context, named)}
        assay.track("business_event", {**fields, **_known(told)})
        return
    for entry in catalog.experiments if catalog is not None else ():
        found = assay.find_assignment(entry.id, user, unit=unit_of(context, entry))
        # The sample of a shipped experiment is closed.
        if found is not None and not found.variant.shipped:
            told = {"experiment_id": entry.id, "unit_id": found.unit, "variant": found.variant.key}
            assay.track("business_event", {**fields, **_known(told)})


def unit_of(context: object, experiment: Optional[CatalogEntry]) -> Optional[str]:
    """
    Returns the unit that a context names: its attribute `unit_id`, or else `conversation_id` or `run_id`,
    depending on what the experiment assigns.
    """
    attributes = getattr(context, "attributes", None) or {}
    named = attributes.get("unit_id")
    if named is None and experiment is not None:
        named = attributes.get(f"{experiment.unit}_id")
    return named if isinstance(named, str) else None


def _known(fields: Mapping[str, Optional[str]]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _read_catalog(body: Mapping[str, Any]) -> Optional[Catalog]:
    version, listed = body.get("config_version"), body.get("experiments")
    if not isinstance(version, (int, float)) or not isinstance(listed, list):
        return None
    found = [_entry(fields_of(each)) for each in listed]
    experiments = [entry for entry in found if entry is not None]
    by_key = {entry.name: entry for entry in experiments}
    by_key.update({entry.id: entry for entry in experiments})
    return Catalog(int(version), experiments, by_key)


def _entry(wire: Mapping[str, Any]) -> Optional[CatalogEntry]:
    id_, name, status, named = (wire.get(field) for field in ("id", "name", "status", "unit"))
    unit = named if isinstance(named, str) else None
    if not (isinstance(id_, str) and isinstance(name, str) and isinstance(status, str)):
        return None
    return CatalogEntry(id_, name, status, wire.get("version"), wire.get("shipped") is True, unit)
