"""A client with a service of its own, which takes its events."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List

from recorded_log import RecordedLog
from recording_service import RecordingService

from assay._assay import Assay
from assay._options import Settings, resolve_options

EXPERIMENT_ID = "0190a6c2-7b5e-7c3d-9f10-3a5b7c9d1e2f"
NOW = 1_783_339_200.0


def sample_config(version: int = 1, **changes: Any) -> Dict[str, Any]:
    """A config with one experiment, `greeting`, in which everybody gets `short`."""
    experiment = {
        "id": EXPERIMENT_ID,
        "name": "greeting",
        "status": "running",
        "salt": "s1",
        "bucket_count": 1000,
        "buckets": [[1000, 1]],
        "variants": [{"key": "control"}, {"key": "short", "prompt": "Be brief."}],
        **changes,
    }
    return {"config_version": version, "experiments": [experiment]}


def settings_of(**options: Any) -> Settings:
    """What a client makes of its options, those that are not given at their defaults."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(Assay).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    return resolve_options({**defaults, "api_key": "svc_pk_1", **options}, {})


class Core:
    """
    A client and what came of it: begun with `sample_config`, its clock at `NOW`, sending when told to. Its
    `service`, whose address the environment must name to it, has no config before it is told to publish one.
    """

    def __init__(self, service: RecordingService, options: Dict[str, Any]) -> None:
        self.service = service
        self.log = RecordedLog()
        self.now = NOW
        standards = {
            "api_key": "svc_pk_1",
            "bootstrap": sample_config(),
            "flush_interval": 3_600,
            "logger": self.log.logger,
            "now": lambda: self.now,
        }
        self.client = Assay(**{**standards, **options})

    @property
    def lines(self) -> List[str]:
        return self.log.lines

    @property
    def rows(self) -> List[Any]:
        """All events tracked so far, as they arrived."""
        assert self.client.flush()
        return self.service.rows


# Makes a client with these options.
MakeCore = Callable[..., Core]
