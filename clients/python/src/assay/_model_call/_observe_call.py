"""Makes model calls and records them."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, TypeVar

from .._user_context import CallContext, current_context, swap_context
from ._call_record import CallHost, CallRecord, UsageAsking
from ._observe_result import observe_result
from ._reading import ModelCallFormat, Request
from ._sampling import sampling
from ._steps import run_step

_Result = TypeVar("_Result")


class CallScope(NamedTuple):
    """The user and the experiment for which calls are recorded."""

    host: CallHost
    experiment: str
    """Its name or id."""
    user: Optional[str] = None
    """Default: the context's user."""
    unit: Optional[str] = None
    """Default: the context's conversation or run."""
    context: Optional[CallContext] = None
    """Default: the context where the call is made."""
    usage: Optional[UsageAsking] = None
    """Shared by all views of a provider's object. Default: request the usage of streams."""
    metadata: Mapping[str, Any] = {}
    """Recorded with the calls, besides their sampling settings and what the context says about the user."""
    handler: Optional[object] = None
    """A framework's handler, which identifies its own calls."""
    place: Mapping[str, str] = {}
    """Where a framework makes the call: the `agent_name`, and outside of `with_run` its own `run_id`."""


def observe_call(
    scope: CallScope, format_: ModelCallFormat, request: Request, invoke: Callable[[Request], _Result]
) -> _Result:
    """
    Makes a model call with `invoke` and records it. Returns what `invoke` returns and raises what it raises;
    an awaitable or a stream is watched until it ends. The call is not recorded if its user has no variant, or
    if an outer observer records it for the same experiment.
    """
    record = start_record(scope, format_, request)
    if record is None:
        return invoke(request)
    again = record.again = lambda: invoke(request)
    try:
        result = _invoke(record, invoke, again)
    except BaseException as error:
        record.fail(error)
        raise
    return observe_result(result, record)


def _invoke(
    record: CallRecord, invoke: Callable[[Request], _Result], again: Callable[[], _Result]
) -> _Result:
    try:
        return run_step(record, lambda: invoke(record.request))
    except Exception as error:
        if not record.is_refusal(error):
            raise
    # Outside the handler, so that an error of the second call does not name the first as its context.
    return run_step(record, again)


def start_record(scope: CallScope, format_: ModelCallFormat, request: Request) -> Optional[CallRecord]:
    """
    Records the exposure of a model call that starts now. None when the call should not be recorded. Never
    raises.
    """
    before = current_context()
    try:
        context = before if scope.context is None else scope.context
        swap_context(context)
        user = context.user if scope.user is None else scope.user
        if user is None:
            scope.host.warn("model call without a user: use as_user or wrap(…, user=…)")
            return None
        found = scope.host.client.find_assignment(scope.experiment, user, unit=scope.unit)
        if found is None or found.experiment_id in context.observed:
            return None
        identity = identity_of(found, user)
        told = context.metadata if user == context.user else {}
        observed = context._replace(
            user=user, observed=(*context.observed, found.experiment_id), metadata=told
        )
        announced = [call for call in context.announced if call.gives_way(identity, scope.handler)]
        if not found.variant.shipped and not announced:
            scope.host.client.track("exposure", identity)
        return CallRecord(
            scope.host,
            format_,
            request,
            identity=identity,
            context=observed,
            usage=scope.usage,
            metadata={**sampling(request), **scope.metadata, **told, **_conversation_in(context)},
            place=place_in(context, announced[0].place if announced else scope.place),
        )
    except Exception:
        scope.host.warn("a model call could not be recorded")
        return None
    finally:
        swap_context(before)


def place_in(context: CallContext, place: Mapping[str, str]) -> Mapping[str, str]:
    """Returns the place within its context: the run of `with_run` takes precedence over a framework's."""
    run = {"run_id": context.run} if context.run else {}
    return {**context.place, **place, **run}


def identity_of(found: Any, user: str) -> Dict[str, Any]:
    """Returns the event fields that identify the user and the variant."""
    identity = {"experiment_id": found.experiment_id, "user_id": user, "variant": found.variant.key}
    return identity if found.unit is None else {**identity, "unit_id": found.unit}


def _conversation_in(context: CallContext) -> Mapping[str, Any]:
    return {"conversation_id": context.conversation} if context.conversation else {}
