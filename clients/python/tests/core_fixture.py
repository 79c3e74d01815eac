"""A client with its own service, which receives its events."""

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
    """The settings of a client with these options and the defaults."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(Assay).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    return resolve_options({**defaults, "api_key": "svc_pk_1", **options}, {})


class Core:
    """
    A client that starts with `sample_config`, with its clock at `NOW`, and sends on request. The environment
    must contain the address of its `service`, which has no config until a test publishes one.
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
        """All events tracked so far, as received."""
        assert self.client.flush(30)
        return self.service.rows


# Makes a client with these options.
MakeCore = Callable[..., Core]
