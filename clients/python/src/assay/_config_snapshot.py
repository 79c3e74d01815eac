"""One answer of `GET /v1/config`, ready for look-ups."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Tuple

from ._bucketing import Bucketing, BucketMap, user_digest
from ._client_log import ClientLog

# In characters.
_LONGEST_WARNING = 300


class ConfigVariant(NamedTuple):
    """A variant as the config describes it."""

    experiment_id: str
    key: str
    prompt: Optional[str]
    variables: Mapping[str, object]
    shipped: bool = False
    """The experiment has ended and everybody gets this variant, so it needs no exposures."""
    unit: Optional[str] = None
    """What its experiment assigns instead of users. None also while it is shipped to everybody."""


class ConfigExperiment:
    """An experiment that can assign users."""

    __slots__ = (
        "_bucketing",
        "_map",
        "_qa_users",
        "_salt",
        "business_metrics",
        "id",
        "name",
        "unit",
        "variants",
    )

    def __init__(
        self,
        id: str,
        name: str,
        variants: Optional[Mapping[str, ConfigVariant]],
        bucketing: Bucketing,
        map: BucketMap[ConfigVariant],
        salt: str,
        qa_users: Mapping[str, ConfigVariant],
        business_metrics: Optional[FrozenSet[object]],
        unit: Optional[str] = None,
    ) -> None:
        self.id = id
        self.name = name
        self.variants = variants
        """By key, including switched-off ones; None when the experiment is not running."""
        self._bucketing = bucketing
        self._map = map
        self._salt = salt
        self._qa_users = qa_users
        self.business_metrics = business_metrics
        """The names that its metrics read. None when the config does not list them."""
        self.unit = unit
        """The same as for its variants."""

    def find_variant(self, user: str, unit: Optional[str] = None) -> Optional[ConfigVariant]:
        """
        Returns the variant of the user, or of the unit if the experiment assigns units. None for control
        behavior: the experiment is not running, the bucket belongs to nobody, or the variant is switched off.
        A QA user has the listed variant.
        """
        if self._qa_users:
            listed = self._qa_users.get(user_digest(self._salt, self.id, user))
            if listed is not None:
                return listed
        return self._map.owner_of(self._bucketing.bucket_of(user if unit is None else unit))


class ConfigSnapshot(NamedTuple):
    """A loaded config."""

    version: int
    experiments: Mapping[str, ConfigExperiment]
    """By id and by name. If a name equals another experiment's id, the id wins."""
    unreadable: int
    """The number of experiments left out because they could not be read."""
    body: object
    """The answer itself."""

    def warn_missing(self, experiment: str, log: ClientLog) -> None:
        """
        Warns once about an experiment that the config does not have. Version 0 is a test client's, whose
        config need not have all experiments.
        """
        if self.version:
            # The name may come from the application's data.
            log.once("warning", f"config has no experiment {experiment}"[:_LONGEST_WARNING])


def parse_config(body: object) -> Optional[ConfigSnapshot]:
    """
    Reads the body of `GET /v1/config` (parsed JSON); None when it is not a config. Leaves out an experiment
    that cannot be read. Never raises, although the body may be a caller's object.
    """
    try:
        fields = fields_of(body)
        listed = fields.get("experiments")
        version = _integer(fields.get("config_version"))
        if not isinstance(listed, list) or version is None:
            return None
        readable = [parsed for parsed in map(_parse_experiment, listed) if parsed is not None]
        experiments = {experiment.name: experiment for experiment in readable}
        experiments.update({experiment.id: experiment for experiment in readable})
        return ConfigSnapshot(version, experiments, len(listed) - len(readable), body)
    except Exception:
        return None


def read_bootstrap(body: object, log: ClientLog) -> Optional[ConfigSnapshot]:
    """Reads the option `bootstrap`; None, with an error in the log, when it is not a config."""
    snapshot = parse_config(body)
    if body is not None and snapshot is None:
        log.once("error", "bootstrap is invalid")
    return snapshot


def fields_of(value: object) -> Dict[str, object]:
    """Returns a JSON object as its fields; anything else has none."""
    return value if isinstance(value, dict) else {}


def copy_of_json(value: Any) -> Any:
    """Copies the objects and lists of a JSON value, at any depth."""
    if isinstance(value, dict):
        return {key: copy_of_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [copy_of_json(entry) for entry in value]
    return value


# The fields that the entry of an experiment that is not running may lack, since nobody has a variant.
_ENDED: Dict[str, object] = {"salt": "", "bucket_count": 1, "buckets": [], "variants": [], "qa_users": {}}


def _parse_experiment(value: object) -> Optional[ConfigExperiment]:
    wire = fields_of(value)
    is_running = wire.get("status") == "running"
    if not is_running:
        wire = {**wire, **_ENDED}
    experiment_id, name, status, salt = (_text(wire.get(field)) for field in ("id", "name", "status", "salt"))
    bucket_count = _integer(wire.get("bucket_count"))
    unit = None if wire.get("shipped") is True or not is_running else _text(wire.get("unit")) or None
    if experiment_id is None or name is None or status is None or salt is None or bucket_count is None:
        return None
    variants = _parse_variants(wire.get("variants"), experiment_id, wire.get("shipped") is True, unit)
    if variants is None or bucket_count < 1:
        return None
    owners = [variant if is_enabled else None for variant, is_enabled in variants]
    buckets = _parse_buckets(wire.get("buckets"), owners)
    if buckets is None:
        return None
    by_key = {variant.key: variant for variant, _ in variants} if is_running else None
    bucketing = Bucketing(salt, experiment_id, bucket_count)
    qa_users = _parse_qa_users(wire.get("qa_users"), [variant for variant, _ in variants])
    names = wire.get("business_metrics") if is_running else None
    listed = frozenset(map(_text, names)) if isinstance(names, list) else None
    return ConfigExperiment(experiment_id, name, by_key, bucketing, buckets, salt, qa_users, listed, unit)


def _parse_variants(
    listed: object, experiment_id: str, shipped: bool, unit: Optional[str]
) -> Optional[List[Tuple[ConfigVariant, bool]]]:
    """
    Reads variants in their order, each with whether it is switched on. None if any has no key: the bucket map
    refers to variants by position and would refer to the wrong ones.
    """
    if not isinstance(listed, list):
        return None
    variants = []
    for wire in map(fields_of, listed):
        key = _text(wire.get("key"))
        if key is None:
            return None
        # A prompt or variables of a wrong type are ignored: the variant still assigns. Copied, because a body
        # may be a caller's object, and the caller may change it.
        variables = copy_of_json(fields_of(wire.get("variables")))
        variant = ConfigVariant(experiment_id, key, _text(wire.get("prompt")), variables, shipped, unit)
        variants.append((variant, wire.get("enabled") is not False))
    return variants


def _parse_buckets(
    listed: object, variants: List[Optional[ConfigVariant]]
) -> Optional[BucketMap[ConfigVariant]]:
    """
    Reads runs `[end, variant index]`, ascending, the first from 0. An index without a variant means no owner.
    """
    if not isinstance(listed, list):
        return None
    ends = []
    owners = []
    for run in listed:
        end, index = map(_integer, run) if isinstance(run, list) and len(run) == 2 else (None, None)
        if end is None or index is None:
            return None
        ends.append(end)
        owners.append(variants[index] if 0 <= index < len(variants) else None)
    return BucketMap(ends, owners)


def _parse_qa_users(listed: object, variants: List[ConfigVariant]) -> Dict[str, ConfigVariant]:
    """Reads variant indices by the digests of users. Skips what cannot be read."""
    indices = {digest: _integer(index) for digest, index in fields_of(listed).items()}
    return {
        digest: variants[index]
        for digest, index in indices.items()
        if index is not None and 0 <= index < len(variants)
    }


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None


def _integer(value: object) -> Optional[int]:
    """Returns a JSON number without a fraction, including 2.0. None for anything else."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
