"""An OpenFeature provider: experiments become flags. Needs `openfeature-sdk`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, NoReturn, Optional, Tuple

from openfeature.event import ProviderEventDetails
from openfeature.exception import (
    FlagNotFoundError,
    InvalidContextError,
    OpenFeatureError,
    ProviderFatalError,
    ProviderNotReadyError,
    TargetingKeyMissingError,
    TypeMismatchError,
)
from openfeature.flag_evaluation import FlagResolutionDetails, Reason
from openfeature.provider import AbstractProvider, Metadata

from .._units import is_id
from ._openfeature_catalog import Catalog, CatalogEntry, Catalogs, track_outcome, unit_of

if TYPE_CHECKING:
    from .._core_client import CoreClient

_WATCH_SECONDS = 1.0


class AssayProvider(AbstractProvider):
    """
    Serves Assay's experiments to the OpenFeature SDK. An evaluation makes no request and records the user's
    exposure. The provider takes over the client: `shutdown` closes it.
    """

    def __init__(self, assay: CoreClient) -> None:
        super().__init__()
        self._assay = assay
        self._catalogs = Catalogs(assay)
        self._closed = threading.Event()
        self._version: Optional[int] = None
        self._watcher: Optional[threading.Thread] = None

    def get_metadata(self) -> Metadata:
        """Returns the provider's name."""
        return Metadata("assay")

    def initialize(self, evaluation_context: Any) -> None:
        """
        Waits for a config. Raises ProviderNotReadyError after 5 s; PROVIDER_READY follows if a config is
        loaded later. Raises ProviderFatalError once the client is closed.
        """
        # Also false when an experiment that the client waits for is missing; other experiments can be
        # evaluated.
        self._assay.wait_ready()
        if self._closed.is_set():
            raise ProviderFatalError("the client is closed: create a new client and provider")
        catalog = self._catalogs.loaded()
        self._version = None if catalog is None else catalog.version
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="assay-openfeature", daemon=True)
            self._watcher.start()
        if catalog is None:
            raise ProviderNotReadyError("the config is not loaded yet")

    def shutdown(self) -> None:
        """Delivers the tracked events and closes the client for good."""
        self._closed.set()
        self._assay.close()

    def resolve_string_details(
        self, flag_key: str, default_value: str, evaluation_context: Any = None
    ) -> FlagResolutionDetails[str]:
        """Resolves a string flag: the key of the user's variant, or its prompt for a key with that ending."""
        experiment, named, ending = self._find(flag_key)
        if ending == "variables":
            raise TypeMismatchError(f"{flag_key} is an object flag, not a string flag")

        def text(variant: str, user: str, unit: Optional[str]) -> str:
            if not ending:
                return variant
            return self._assay.get_prompt(named, user, default_value, unit=unit).prompt

        return self._resolve(experiment, default_value, evaluation_context, text)

    def resolve_object_details(
        self, flag_key: str, default_value: Any, evaluation_context: Any = None
    ) -> FlagResolutionDetails[Any]:
        """Resolves an object flag to the default, overwritten by the variant's variables key by key."""
        experiment, named, ending = self._find(flag_key)
        if ending == "prompt":
            raise TypeMismatchError(f"{flag_key} is a string flag, not an object flag")
        if not isinstance(default_value, Mapping):
            raise TypeMismatchError("the default of an object flag must be a dict")

        def variables(variant: str, user: str, unit: Optional[str]) -> Dict[str, Any]:
            return self._assay.get_variables(named, user, default_value, unit=unit)

        return self._resolve(experiment, default_value, evaluation_context, variables)

    def resolve_boolean_details(
        self, flag_key: str, default_value: bool, evaluation_context: Any = None
    ) -> FlagResolutionDetails[bool]:
        """Rejects a boolean flag, because a variant is not a boolean."""
        self._refuse(flag_key)

    def resolve_integer_details(
        self, flag_key: str, default_value: int, evaluation_context: Any = None
    ) -> FlagResolutionDetails[int]:
        """Rejects a number flag, because a variant is not a number."""
        self._refuse(flag_key)

    def resolve_float_details(
        self, flag_key: str, default_value: float, evaluation_context: Any = None
    ) -> FlagResolutionDetails[float]:
        """Rejects a number flag, because a variant is not a number."""
        self._refuse(flag_key)

    def track(
        self, tracking_event_name: str, evaluation_context: Any = None, tracking_event_details: Any = None
    ) -> None:
        """Reports an outcome as business events. Does nothing without a targeting key."""
        try:
            user, catalog = _user_of(evaluation_context), self._catalogs.loaded()
            track_outcome(
                self._assay, catalog, tracking_event_name, user, evaluation_context, tracking_event_details
            )
        except Exception as error:
            # Logged, not raised, because the SDK would pass an error on to the application.
            reason = (
                error.error_message if isinstance(error, OpenFeatureError) else "its details are unreadable"
            )
            self._assay._log.once("warning", f"an outcome was not tracked: {reason}")

    def _resolve(
        self,
        experiment: CatalogEntry,
        default: Any,
        context: Any,
        to_value: Callable[[str, str, Optional[str]], Any],
    ) -> FlagResolutionDetails[Any]:
        user, unit = _user_of(context), unit_of(context, experiment)
        metadata: Dict[str, Any] = {"experimentId": experiment.id}
        if isinstance(experiment.version, int):
            metadata["version"] = experiment.version
        variant, prompt, fallback = self._assay.get_prompt(experiment.id, user, "", unit=unit)
        if variant is None:
            reason = Reason.DEFAULT if experiment.status == "running" else Reason.DISABLED
            return FlagResolutionDetails(value=default, reason=reason, flag_metadata=metadata)
        if not fallback:
            metadata["prompt"] = prompt
        return FlagResolutionDetails(
            value=to_value(variant, user, unit),
            variant=variant,
            reason=Reason.STATIC if experiment.shipped else Reason.SPLIT,
            flag_metadata=metadata,
        )

    def _refuse(self, flag_key: str) -> NoReturn:
        self._find(flag_key)
        raise TypeMismatchError(
            "an experiment is a string flag (variant or prompt) or an object flag (variables)"
        )

    def _find(self, flag_key: str) -> Tuple[CatalogEntry, str, Optional[str]]:
        """
        Finds a flag's experiment, the name or id in the key (which the client's warnings repeat), and the
        key's ending: `prompt`, `variables` or None. An experiment whose own name has such an ending takes
        precedence.
        """
        catalog = self._catalogs.loaded()
        if catalog is None:
            raise ProviderNotReadyError("the config is not loaded yet")
        whole = catalog.by_key.get(flag_key)
        if whole is not None:
            return whole, flag_key, None
        key, _, ending = flag_key.rpartition(".")
        experiment = catalog.by_key.get(key) if ending in ("prompt", "variables") else None
        if experiment is None:
            raise FlagNotFoundError(f"no experiment has the name or id {flag_key}")
        return experiment, key, ending

    def _watch(self) -> None:
        while not self._closed.wait(_WATCH_SECONDS):
            self._note(self._catalogs.loaded())

    def _note(self, catalog: Optional[Catalog]) -> None:
        version = None if catalog is None else catalog.version
        if version == self._version:
            return
        is_first, self._version = self._version is None, version
        emit = self.emit_provider_ready if is_first else self.emit_provider_configuration_changed
        emit(ProviderEventDetails())


def _user_of(context: Any) -> str:
    key = getattr(context, "targeting_key", None)
    if key is None or key == "":
        raise TargetingKeyMissingError("set targeting_key in the context to the user's id")
    if not isinstance(key, str) or not is_id(key):
        raise InvalidContextError("targeting_key must be a str of at most 256 characters")
    return key
