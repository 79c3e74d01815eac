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
    """Its number; None when the config has none, as in `create_test_client`."""
    shipped: bool
    """Whether everybody gets the same variant."""


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
        """Returns them; None before the first config."""
        body = self._assay.config_snapshot()
        known, catalog = self._last
        if known is not body:
            catalog = _read_catalog(fields_of(body))
            self._last = (body, catalog)
        return catalog


def track_outcome(
    assay: CoreClient, catalog: Optional[Catalog], name: str, user: str, details: object
) -> None:
    """
    Reports an outcome as a business_event of the experiment in the attribute `experiment` (name or id).
    Without this attribute, reports it for each experiment in which the user has a variant. That depends on
    the config, not on evaluations in this process, so an outcome may occur in another process. The other
    attributes become metadata.
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
        assay.track("business_event", {**fields, "experiment_id": str(experiment)})
        return
    for entry in catalog.experiments if catalog is not None else ():
        found = assay.find_assignment(entry.id, user)
        # A shipped experiment has closed its sample.
        if found is not None and not found.variant.shipped:
            told = {"experiment_id": entry.id, "variant": found.variant.key}
            assay.track("business_event", {**fields, **told})


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
    id_, name, status = (wire.get(field) for field in ("id", "name", "status"))
    if not (isinstance(id_, str) and isinstance(name, str) and isinstance(status, str)):
        return None
    return CatalogEntry(id_, name, status, wire.get("version"), wire.get("shipped") is True)
