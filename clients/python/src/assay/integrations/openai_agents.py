"""A tracing processor for the OpenAI Agents SDK. Needs `openai-agents`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Union

from agents.tracing import TracingProcessor

from .._model_call._foreign_value import field_at
from .._model_call._tool_record import ToolRecord, start_tool
from ._framework_call import MANY_PARTS, CallInput, FrameworkCall, Open, framework_scope, start_call
from ._framework_run import FrameworkRun
from ._openai_agents_facts import CHAT, RESPONSES, Answer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._assay import Assay
    from ._framework_call import CallOptions


class _Span(NamedTuple):
    """A part of a run: an agent, a turn, a call."""

    agent: object
    """The name of the agent around it."""
    before: Optional[BaseException]
    """The error that was being handled when it started."""
    record: Union[FrameworkCall, ToolRecord, None] = None


class _Trace(NamedTuple):
    run: FrameworkRun
    before: Optional[BaseException]
    failed: List[bool]


class AssayTracingProcessor(TracingProcessor):
    """
    For `add_trace_processor` or `set_trace_processors`. Records an exposure and a `model_call` for each model
    call of agents, and a `tool_call` for each function. Outside of `with_run`, it also records the end of
    each trace as the end of a run. The options are those of `Assay.wrap`. Never raises.
    """

    def __init__(self, assay: Assay, experiment: str, **options: Unpack[CallOptions]) -> None:
        self._scope = framework_scope(assay, experiment, self, **options)
        self._traces: Open[_Trace] = Open()
        self._spans: Open[_Span] = Open(MANY_PARTS)

    def on_trace_start(self, trace: Any) -> None:
        """Called when a run starts."""
        run = FrameworkRun(self._scope, trace.trace_id)
        self._traces.add(trace.trace_id, _Trace(run, _handled(), []))

    def on_trace_end(self, trace: Any) -> None:
        """Called when a run has ended."""
        known = self._traces.pop(trace.trace_id)
        if known:
            is_raised = _handled() is not known.before
            known.run.end(not is_raised and not known.failed)

    def on_span_start(self, span: Any) -> None:
        """Called when a part of a run starts."""
        around = self._spans.get(span.parent_id)
        data = span.span_data
        agent = data.name if data.type == "agent" else None if around is None else around.agent
        known = self._traces.get(span.trace_id)
        place = {} if known is None else known.run.place(agent)
        scope = self._scope._replace(place=place)
        record: Union[FrameworkCall, ToolRecord, None] = None
        if data.type in ("generation", "response"):
            config = field_at(data, "model_config")
            given = CallInput(
                field_at(data, "model"), None, field_at(config, "base_url"), "openai", settings=config
            )
            record = start_call(scope, CHAT if data.type == "generation" else RESPONSES, given)
        elif data.type == "function":
            record = start_tool(scope, data.name, None)
        self._spans.add(span.span_id, _Span(agent, _handled(), record))

    def on_span_end(self, span: Any) -> None:
        """Called when a part of a run has ended."""
        known = self._spans.pop(span.span_id)
        if known is None:
            return
        data, raised = span.span_data, _handled()
        error = raised if raised is not known.before else None
        if data.type == "agent" and (span.error or error):
            trace = self._traces.get(span.trace_id)
            if trace:
                trace.failed.append(True)
        elif isinstance(known.record, ToolRecord):
            if error:
                known.record.end(None, data.input, is_error=True)
            else:
                known.record.end(data.output, data.input, is_error=bool(span.error))
        elif known.record and (error or span.error):
            known.record.fail(error or Exception(), Answer(data))
        elif known.record:
            known.record.end(Answer(data))

    def shutdown(self) -> None:
        """Called at the end of the process. The client sends remaining events by itself."""

    def force_flush(self) -> None:
        """Called to send remaining events, which the client does by itself."""


def _handled() -> Optional[BaseException]:
    """A span ends inside `with`, so this is the error that leaves it."""
    return sys.exc_info()[1]
