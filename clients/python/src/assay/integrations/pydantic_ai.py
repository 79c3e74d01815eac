"""A capability for Pydantic AI. Needs `pydantic-ai-slim` 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred

from .._model_call._foreign_value import field_at, text_at
from .._model_call._tool_record import start_tool
from .._user_context import current_context, swap_context
from ._framework_call import CallInput, FrameworkCall, framework_scope, start_call
from ._framework_run import FrameworkRun
from ._pydantic_ai_facts import PYDANTIC_AI, prompt_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._assay import Assay
    from ._framework_call import CallOptions


class _RunningCall:
    """
    The model call of a run. In a streamed run, the task that reads the stream sends the request. Its
    context is the run's, not that of `wrap_model_request`.
    """

    is_answered = False

    def __init__(self) -> None:
        self.call: Optional[FrameworkCall] = None

    @property
    def place(self) -> Mapping[str, str]:
        """See `AnnouncedCall`."""
        return {} if self.call is None else self.call.place

    def gives_way(self, identity: Mapping[str, str], handler: Optional[object]) -> bool:
        """See `AnnouncedCall`."""
        return self.call is not None and self.call.gives_way(identity, handler)


class AssayCapability(AbstractCapability[Any]):
    """
    For the `capabilities` of an agent. Records an exposure and a `model_call` for each model call, a
    `tool_call` for each tool, and outside of `with_run` the end of each run. The options are those of
    `Assay.wrap`. Never raises.
    """

    def __init__(self, assay: Assay, experiment: str, **options: Unpack[CallOptions]) -> None:
        super().__init__()
        self._scope = framework_scope(assay, experiment, self, **options)

    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        """Runs the agent."""
        run = FrameworkRun(self._scope, ctx.run_id)
        running = _RunningCall()
        before = current_context()
        place = {**before.place, **run.place(field_at(ctx.agent, "name"))}
        swap_context(before._replace(place=place, announced=(*before.announced, running)))
        is_completed = False
        try:
            result = await handler()
            is_completed = True
            return result
        except BaseException as error:
            # In a streamed run, the task that reads the stream learns why the call failed.
            if running.call:
                running.call.fail(error)
            raise
        finally:
            swap_context(before)
            run.end(is_completed)

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        """Calls the model."""
        model = request_context.model
        given = CallInput(
            field_at(model, "model_name"),
            prompt_of(request_context.messages),
            field_at(model, "base_url"),
            text_at(model, "system") or None,
            request_context.model_settings,
        )
        call = start_call(self._scope, PYDANTIC_AI, given, is_announced=False)
        for running in current_context().announced[-1:]:
            if isinstance(running, _RunningCall):
                running.call = call
        try:
            response = await handler(request_context)
        except Exception as error:
            if call:
                call.fail(error)
            raise
        if call:
            call.end(response)
        return response

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Runs a tool."""
        tool = start_tool(self._scope, call.tool_name, args)
        try:
            result = await handler(args)
        except BaseException as error:
            if tool and isinstance(error, (ApprovalRequired, CallDeferred)):
                # It will run later, or elsewhere.
                tool.discard()
            elif tool:
                tool.fail(error)
            raise
        if tool:
            tool.end(result)
        return result
