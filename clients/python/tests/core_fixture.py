"""A client with a service of its own, which takes its events."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List

from recorded_log import RecordedLog
from recording_service import RecordingService
from sample_config import sample_config

from assay._assay import Assay
from assay._options import Settings, resolve_options

NOW = 1_783_339_200.0


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
        assert self.client.flush(30)
        return self.service.rows


# Makes a client with these options.
MakeCore = Callable[..., Core]
