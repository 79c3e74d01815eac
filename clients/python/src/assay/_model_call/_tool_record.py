"""Tool calls of agents, and the ends of their runs."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from .._user_context import CallContext, Within, current_context
from ._call_record import MAX_NAME, CallRecord
from ._call_text import to_text
from ._observe_call import CallScope, identity_of, place_in
from ._reading import ModelCallFormat, Reading


def _read(result: object, reading: Reading) -> None:
    reading.facts["tool_result"] = _text_of(result)


_TOOL = ModelCallFormat(None, _read, is_extracted=True)
_ADVICE = "use as_user or agent(…, user=…)"


class ToolRecord(CallRecord):
    """Tracks one `tool_call` once the tool has ended. Never raises."""

    def __init__(
        self,
        scope: CallScope,
        name: object,
        arguments: object,
        identity: Dict[str, Any],
        context: CallContext,
    ) -> None:
        super().__init__(
            scope.host,
            _TOOL,
            {},
            identity=identity,
            context=context,
            usage=None,
            metadata={},
            place=place_in(context, scope.place),
        )
        self._name = name
        # Converted now, so that changes made by the tool do not count.
        self._reading.facts["tool_arguments"] = _text_of(arguments)

    def take_chunk(self, chunk: object) -> bool:
        """A part of the result has arrived. It is not kept."""
        return False

    def end(self, result: object, arguments: object = None, is_error: bool = False) -> None:
        """Called when a framework's tool has ended. Its result may be an error."""
        if arguments is not None:
            self._reading.facts["tool_arguments"] = _text_of(arguments)
        if is_error:
            self._reading.facts["error"] = True
        self.finish_with(result)

    def track(self, facts: Mapping[str, Any]) -> None:
        """Tracks the tool call with these facts, unless it has no name."""
        name = self._name
        if not isinstance(name, str) or not name:
            self._host.warn("tool call without a name")
            return
        error_type = facts.get("error_type")
        error_type = error_type[:MAX_NAME] if isinstance(error_type, str) and error_type else None
        error = facts.get("error")
        event = {
            **self.place,
            **self.identity,
            "tool_name": name[:MAX_NAME],
            "latency_ms": facts.get("latency_ms"),
            "error": error_type is not None if error is None else error,
            "error_type": error_type,
            # Masks know only a model call's sides: arguments count as prompt, results as response.
            "tool_arguments": self._masked("prompt", _text_of(facts.get("tool_arguments"))),
            "tool_result": self._masked("response", _text_of(facts.get("tool_result"))),
            "metadata": facts.get("metadata"),
        }
        told = {field: value for field, value in event.items() if value is not None}
        self._host.client.track("tool_call", told)

    def _track(self, outcome: Optional[str], ended_at: float) -> None:
        metadata = None if outcome is None else {"outcome": outcome}
        latency_ms = (ended_at - self._started_at) * 1e3
        self.track({"latency_ms": latency_ms, **self._reading.facts, "metadata": metadata})


def start_tool(scope: CallScope, name: object, arguments: object) -> Optional[ToolRecord]:
    """Starts the record of a tool call. None when it should not be recorded. Never raises."""
    try:
        context = current_context()
        identity = _identity(scope, context, "tool call")
        return None if identity is None else ToolRecord(scope, name, arguments, identity, context)
    except Exception:
        scope.host.warn("a tool call could not be recorded")
        return None


def track_tool_call(scope: CallScope, name: object, facts: object) -> None:
    """Records a tool call that has ended. Never raises."""
    record = start_tool(scope, name, None)
    try:
        if record is not None:
            record.track(dict(facts) if isinstance(facts, Mapping) else {})
    except Exception:
        scope.host.warn("a tool call could not be recorded")


def track_run_end(scope: CallScope, completed: bool, run: Optional[str] = None) -> None:
    """Records the end of the given run, or else of the context's run. Never raises."""
    try:
        if run is not None:
            with Within(run=run if isinstance(run, str) and run else None):
                track_run_end(scope, completed)
            return
        context = current_context()
        identity = _identity(scope, context, "run")
        if identity is None:
            return
        place = place_in(context, scope.place)
        if "run_id" in place:
            ended = {**identity, "run_id": place["run_id"], "completed": completed}
            scope.host.client.track("run_end", ended)
        else:
            scope.host.warn("the end of a run without its id: use with_run or run=")
    except Exception:
        scope.host.warn("the end of a run could not be recorded")


def _identity(scope: CallScope, context: CallContext, what: str) -> Optional[Dict[str, Any]]:
    user = context.user if scope.user is None else scope.user
    if user is None:
        scope.host.warn(f"{what} without a user: {_ADVICE}")
        return None
    found = scope.host.client.find_assignment(scope.experiment, user, unit=scope.unit)
    return None if found is None else identity_of(found, user)


def _text_of(value: object) -> Optional[str]:
    """A text, or anything else as JSON. None if JSON cannot hold it."""
    try:
        return None if value is None else to_text(value)
    except Exception:
        return None
