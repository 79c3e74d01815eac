"""The client without `wrap`: assignment and events."""

from __future__ import annotations

import logging
import os
from types import TracebackType
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from ._background import Background
from ._client_log import ClientLog
from ._config_snapshot import ConfigSnapshot, ConfigVariant
from ._delivery_steps import Rejection
from ._event_row import KeptEvent, UnsendableEvent, to_event_row
from ._exposure_memory import ExposureMemory
from ._in_thread import in_thread
from ._lifespan import Lifespan
from ._metric_names import MetricNames
from ._offline import Offline
from ._options import Mask, resolve_options, seconds_or
from ._overrides import Overrides
from ._units import UNIT_ADVICE, is_id, placed, unit_of
from ._variant_content import PromptChoice, VariablesChoice, prompt_of, variables_of

_EXPOSURE_WINDOW = 600.0
# The memory keeps at least the most recent half of these.
_MAX_EXPOSURES = 20_000

_Client = TypeVar("_Client", bound="CoreClient")


class Assignment(NamedTuple):
    """A user's assignment in an experiment."""

    experiment_id: str
    """The id, also when the experiment was looked up by name."""
    variant: ConfigVariant
    unit: Optional[str] = None
    """The id of the conversation or run, if the experiment assigns these instead of users."""


class FlushReport(NamedTuple):
    """The result of `flush_report`."""

    delivered: bool
    """As `flush` returns."""
    rejected: Tuple[Rejection, ...]
    """How many events the service refused, by its reasons. After 100 reasons, the rest is one count."""


class CoreClient:
    """
    Assigns users to variants from a polled config and reports events in the background. Use one per process.
    Only the constructor raises: without an API key, or if `durable` is set without an offline store. Every
    method may be called from any thread.
    """

    def __init__(
        self,
        *,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        experiments: Sequence[str] = (),
        track_exposures: bool = True,
        flush_interval: float = 5.0,
        poll_interval: float = 60.0,
        long_poll: bool = False,
        bootstrap: object = None,
        overrides: Optional[Mapping[str, str]] = None,
        offline: bool = False,
        offline_store: Union[str, os.PathLike[str], None] = None,
        durable: bool = False,
        flush_on_sigterm: bool = False,
        mask: Optional[Mask] = None,
        logger: Optional[logging.Logger] = None,
        now: Optional[Callable[[], float]] = None,
        new_id: Optional[Callable[[], str]] = None,
        **unknown: object,
    ) -> None:
        """
        Starts the client without waiting for anything. Raises ValueError when there is no API key and the
        client is not offline, or when `durable` is set without an offline store.

        :param api_key: default: the environment variable ASSAY_API_KEY
        :param base_url: default: the environment variable ASSAY_BASE_URL, else the production API
        :param experiments: names or ids that `wait_ready` waits for
        :param track_exposures: `assign`, `get_prompt` and `get_variables` record an exposure
        :param flush_interval: the longest time that an event waits for its batch to fill, in seconds
        :param poll_interval: time between config polls, in seconds; each varies by 10%
        :param long_poll: a request for the config stays open until the config changes, so that a change
            arrives within seconds
        :param bootstrap: a config to start with: the `config_snapshot()` of another client
        :param overrides: keys of variants that everybody gets, by the experiment's name or id; events of
            these experiments are marked as tests
        :param offline: makes no requests and needs no key; assigns from `bootstrap` only and drops events
        :param offline_store: a folder for undeliverable events (for at most 24 h) and for the last config,
            with which a client can start during an outage; default: none
        :param durable: writes events to the offline store as soon as they are tracked, so they survive when
            the process is killed
        :param flush_on_sigterm: at SIGTERM, sends the events within 2 s or keeps them in the offline store,
            then does what the signal did before
        :param mask: rewrites the texts of observed model calls ("prompt" or "response") before they are sent;
            returning None withholds a text
        :param logger: default: `logging.getLogger("assay")`
        :param now: the time of events in epoch seconds, for a replay
        :param new_id: makes event ids; default: UUIDv7
        :param unknown: any other option is logged as a warning
        """
        options = {
            "api_key": api_key,
            "base_url": base_url,
            "experiments": experiments,
            "track_exposures": track_exposures,
            "flush_interval": flush_interval,
            "poll_interval": poll_interval,
            "long_poll": long_poll,
            "bootstrap": bootstrap,
            "overrides": overrides,
            "offline": offline,
            "offline_store": offline_store,
            "durable": durable,
            "flush_on_sigterm": flush_on_sigterm,
            "mask": mask,
            "logger": logger,
            "now": now,
            "new_id": new_id,
        }
        self._settings = resolve_options(options, unknown)
        self._log: ClientLog = self._settings.log
        self._exposures = ExposureMemory(_EXPOSURE_WINDOW, _MAX_EXPOSURES)
        self._is_closing = False
        self._names = MetricNames(self._log)
        self._overrides = Overrides(self._settings.overrides, self._log)
        self._background: Union[Background, Offline] = (
            Offline(self._settings, self._take)
            if self._settings.offline
            else Background(self._settings, self._note_loaded)
        )
        # The process in which the threads are known to run.
        self._pid = os.getpid()

    def wait_ready(self, timeout: float = 5.0) -> bool:
        """
        Waits until a config with all `experiments` of the options is loaded, then returns True. False after
        `timeout` seconds, or when the client is closed first.
        """
        return self._background.wait_for(seconds_or(timeout, 5.0), self._readiness)

    async def await_ready(self, timeout: float = 5.0) -> bool:
        """Does what `wait_ready` does, without blocking the event loop."""
        return await in_thread(lambda: self.wait_ready(timeout))

    def assign(self, experiment: str, user: str, *, unit: Optional[str] = None) -> Optional[str]:
        """
        Returns the key of the user's variant, or None for control behavior: no config is loaded, the
        experiment is unknown or stopped, or the user is not in it. `experiment` is a name or an id. Makes no
        request. An experiment that assigns conversations or runs needs the id of that `unit`. Default: the id
        of `with_conversation` or `with_run`.
        """
        variant = self._assign(experiment, user, unit)
        return None if variant is None else variant.key

    async def aassign(self, experiment: str, user: str, *, unit: Optional[str] = None) -> Optional[str]:
        """Does what `assign` does."""
        return self.assign(experiment, user, unit=unit)

    def get_prompt(
        self, experiment: str, user: str, default: str, *, unit: Optional[str] = None
    ) -> PromptChoice:
        """
        Returns the prompt of the user's variant. When there is no variant or it has no prompt, returns
        `default` with `fallback=True`. Assigns as `assign` does.
        """
        return prompt_of(self._assign(experiment, user, unit), default)

    def get_variables(
        self, experiment: str, user: str, defaults: Mapping[str, Any], *, unit: Optional[str] = None
    ) -> Dict[str, Any]:
        """
        Returns a new dict with your `defaults`, overwritten by the top-level keys of the variant's variables.
        Ignores a variable whose type (text, number, boolean, list, object) differs from its default's, and
        logs a warning. Assigns as `assign` does.
        """
        return self.get_variables_detail(experiment, user, defaults, unit=unit).variables

    def get_variables_detail(
        self, experiment: str, user: str, defaults: Mapping[str, Any], *, unit: Optional[str] = None
    ) -> VariablesChoice:
        """Does what `get_variables` does. Also returns the variant and which variables have your defaults."""
        variant = self._assign(experiment, user, unit)

        def note_other_kind(name: str, kind: str, default_kind: str) -> None:
            self._log.once(
                "warning",
                f"{experiment}: the variable {name} is of kind {kind}, its default of kind {default_kind}; "
                "the default is used",
            )

        try:
            return variables_of(variant, defaults, note_other_kind)
        except Exception:
            self._log.once("warning", "get_variables: the defaults are not a dict and were ignored")
            return variables_of(variant, {}, note_other_kind)

    def find_assignment(
        self, experiment: str, user: str, *, unit: Optional[str] = None
    ) -> Optional[Assignment]:
        """Finds the user's variant without recording an exposure; None as in `assign`."""
        variant = self._find_variant(experiment, user, unit)
        if variant is None:
            return None
        return Assignment(variant.experiment_id, variant, unit_of(variant, unit))

    def config_snapshot(self) -> object:
        """
        Returns the current config, for another client's `bootstrap`; None until one is loaded.
        """
        snapshot = self._snapshot()
        return None if snapshot is None else snapshot.body

    def track(self, event: str, payload: Mapping[str, Any]) -> None:
        """
        Queues an event for the next batch. `event` is "exposure", "model_call", "tool_call", "run_end" or
        "business_event"; `payload` has the fields of the HTTP API. Never blocks. Warns if it cannot be sent.
        """
        if self._is_closing:
            self._log.once("warning", "track after close ignored")
        else:
            self._enqueue(event, payload)

    async def atrack(self, event: str, payload: Mapping[str, Any]) -> None:
        """Does what `track` does."""
        self.track(event, payload)

    def flush(self, timeout: float = 10.0) -> bool:
        """
        Sends everything tracked before the call. True once the service has answered for all of it. False if
        some of it was lost or kept for later, at once while sending is paused (a refused key, a used-up
        allowance), or after `timeout` seconds.
        """
        return self._background.flush(seconds_or(timeout, 10.0))

    async def aflush(self, timeout: float = 10.0) -> bool:
        """Does what `flush` does, without blocking the event loop."""
        return await in_thread(lambda: self.flush(timeout))

    def flush_report(self, timeout: float = 10.0) -> FlushReport:
        """Like `flush`, but returns which events the service has refused since the last report."""
        delivered = self.flush(timeout)
        return FlushReport(delivered, self._background.take_rejected())

    async def aflush_report(self, timeout: float = 10.0) -> FlushReport:
        """Does what `flush_report` does, without blocking the event loop."""
        return await in_thread(lambda: self.flush_report(timeout))

    def close(self, timeout: float = 5.0) -> bool:
        """
        Stops polling and flushes. Gives up events that could not be sent within `timeout` seconds. Returns as
        `flush` does.
        """
        self._is_closing = True
        return self._background.close(seconds_or(timeout, 5.0))

    async def aclose(self, timeout: float = 5.0) -> bool:
        """Does what `close` does, without blocking the event loop."""
        return await in_thread(lambda: self.close(timeout))

    def lifespan(self, app: object = None) -> Lifespan:
        """
        Makes an async context manager that closes the client at its end, for `FastAPI(lifespan=…)` or
        `Starlette(lifespan=…)`, or for an `async with` inside a lifespan of your own.
        """
        return Lifespan(self.aclose)

    def __enter__(self: _Client) -> _Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    async def __aenter__(self: _Client) -> _Client:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    def _snapshot(self) -> Optional[ConfigSnapshot]:
        """Returns the current config. In a forked child, starts the threads again first."""
        snapshot = self._background.snapshot
        if snapshot is None or self._pid != os.getpid():
            self._background.ensure_running()
            self._pid = os.getpid()
            return self._background.snapshot
        return snapshot

    def _find_variant(self, experiment: str, user: str, unit: Optional[str]) -> Optional[ConfigVariant]:
        try:
            snapshot = self._snapshot()
            if snapshot is None:
                self._background.note_null()
                self._log.count("assigned null, config not loaded")
                return None
            found = snapshot.experiments.get(experiment)
            if found is None and isinstance(experiment, str):
                snapshot.warn_missing(experiment, self._log)
                return None
            if found is not None and is_id(user):
                id_ = unit_of(found, unit)
                if id_ is not None or found.unit is None:
                    return self._overrides.variant_in(found) or found.find_variant(user, id_)
                self._log.once("warning", f"{found.name} assigns by {found.unit}: {UNIT_ADVICE}")
                return None
        except Exception:
            # Names and users are the caller's objects and may raise anything when used.
            pass
        self._log.count("assigned null, experiment is not a str or user is not a str of 1-256 characters")
        return None

    def _assign(self, experiment: str, user: str, unit: Optional[str]) -> Optional[ConfigVariant]:
        """Finds the user's variant and records the exposure."""
        variant = self._find_variant(experiment, user, unit)
        if variant is None or variant.shipped or self._is_closing:
            return variant
        if self._settings.track_exposures:
            self._record_exposure(variant, user, unit_of(variant, unit))
        return variant

    def _record_exposure(self, variant: ConfigVariant, user: str, unit: Optional[str]) -> None:
        id_ = user if unit is None else unit
        try:
            if not self._exposures.claim(variant, id_, self._settings.now()):
                return
            exposure = {"experiment_id": variant.experiment_id, "user_id": user, "variant": variant.key}
            if unit is not None:
                exposure["unit_id"] = unit
            # If the exposure did not fit into the queue, the next assign tries again.
            if not self._enqueue("exposure", exposure):
                self._exposures.forget(variant, id_)
        except Exception:
            self._log.count("event dropped, the clock returned no time")

    def _enqueue(self, event: str, payload: Mapping[str, Any]) -> bool:
        """
        Payloads, clocks and id makers are the caller's code and may raise. The error must never reach the
        caller.
        """
        try:
            snapshot = self._background.snapshot
            if event == "business_event":
                self._names.check(payload, snapshot)
            marked = self._overrides.mark(placed(payload, snapshot), snapshot)
            return self._background.add(to_event_row(event, marked, self._settings))
        except UnsendableEvent as error:
            self._log.count(f"event dropped, {error}")
        except Exception:
            self._log.count("event dropped, not JSON")
        return False

    def _take(self, event: KeptEvent) -> None:
        """Receives an event of an offline client."""

    def _missing(self, snapshot: ConfigSnapshot) -> List[str]:
        """Lists the experiments that `wait_ready` waits for and the config lacks."""
        return [name for name in self._settings.experiments if name not in snapshot.experiments]

    def _readiness(self) -> Optional[bool]:
        """Returns whether the client is ready. False when it never will be, None when that is undecided."""
        snapshot = self._snapshot()
        if snapshot is not None and not self._missing(snapshot):
            return True
        return False if self._is_closing else None

    def _note_loaded(self) -> None:
        snapshot = self._background.snapshot
        if snapshot is not None:
            for name in self._missing(snapshot):
                snapshot.warn_missing(name, self._log)
