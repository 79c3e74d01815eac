"""What an agent does besides its model calls."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, TypedDict, TypeVar

from ._model_call._call_record import MAX_NAME
from ._model_call._observe_call import CallScope
from ._model_call._observe_result import observe_result
from ._model_call._steps import run_step
from ._model_call._tool_record import start_tool, track_run_end, track_tool_call

_Result = TypeVar("_Result")


class ToolCallFacts(TypedDict, total=False):
    """What is known about a tool call. The names are those of `track`."""

    latency_ms: Optional[float]
    error: Optional[bool]
    """Default: True if there is an `error_type`."""
    error_type: Optional[str]
    tool_arguments: Any
    """A text, or anything that JSON can hold."""
    tool_result: Any
    metadata: Optional[Mapping[str, Any]]


class Agent:
    """
    Records tool calls and ends of runs: see `Assay.agent`. Without a known user, or for a user without a
    variant, tools still run but nothing is recorded. No method raises an error of its own.
    """

    def __init__(self, scope: CallScope, agent_name: Optional[str]) -> None:
        self._scope = scope._replace(place=named(agent_name))

    def call_tool(self, name: str, call: Callable[[], _Result], arguments: Any = None) -> _Result:
        """
        Runs a tool and records a `tool_call`. Returns or raises exactly what `call` does. For an awaitable or
        an iterator (asynchronous or not), returns one that behaves the same. `arguments` are the tool's
        arguments: a text, or anything that JSON can hold.
        """
        record = start_tool(self._scope, name, arguments)
        if record is None:
            return call()
        try:
            result = run_step(record, call)
        except BaseException as error:
            record.fail(error)
            raise
        return observe_result(result, record)

    def track_tool_call(self, name: str, facts: Optional[ToolCallFacts] = None) -> None:
        """Records a tool call that has ended."""
        track_tool_call(self._scope, name, facts)

    def end_run(self, *, completed: bool = True, run: Optional[str] = None) -> None:
        """
        Records the end of the current `with_run` run, or of another `run`. `completed` says whether the agent
        did what it was asked to do.
        """
        track_run_end(self._scope, completed is not False, run)


def named(agent_name: object) -> Mapping[str, str]:
    """Returns the name of an agent as a field of events."""
    return {"agent_name": agent_name[:MAX_NAME]} if isinstance(agent_name, str) and agent_name else {}
