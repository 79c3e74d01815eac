"""A callback handler for LangChain, and thus for LangGraph. Needs `langchain-core`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping

from langchain_core.callbacks import BaseCallbackHandler

from .._model_call._foreign_value import field_at, text_at
from .._model_call._observe_call import CallScope
from .._model_call._tool_record import ToolRecord, start_tool
from ._framework_call import Open, OpenCalls, framework_scope, start_call
from ._langchain_facts import LANGCHAIN, call_input, is_from_cache, result_facts
from ._langchain_runs import LangchainRuns

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._assay import Assay
    from ._framework_call import CallOptions


class AssayCallbackHandler(BaseCallbackHandler):
    """
    Records an exposure and a `model_call` for each model call of any chain, agent or graph, and a
    `tool_call` for each tool. On a graph, it also records the end of each run, outside of `with_run`. The
    options are those of `Assay.wrap`. Answers from LangChain's cache do not count as calls. Never raises.
    """

    # Runs in the caller's own thread and context, where the user is known.
    run_inline = True

    def __init__(self, assay: Assay, experiment: str, **options: Unpack[CallOptions]) -> None:
        self._scope = framework_scope(assay, experiment, self, **options)
        self._calls = OpenCalls()
        self._tools: Open[ToolRecord] = Open()
        self._runs = LangchainRuns(self._scope)

    def on_chain_start(
        self,
        serialized: Dict[str, Any],
        inputs: Any,
        *,
        run_id: Any,
        parent_run_id: Any = None,
        metadata: Any = None,
        **told: Any,
    ) -> None:
        """Called when a graph, one of its nodes or a chain starts."""
        self._runs.start(run_id, parent_run_id, metadata)

    def on_chain_end(self, outputs: Any, *, run_id: Any, **told: Any) -> None:
        """Called when a graph, a node or a chain has ended."""
        self._runs.end(run_id, True)

    def on_chain_error(self, error: BaseException, *, run_id: Any, **told: Any) -> None:
        """Called when a graph, a node or a chain has failed, or its caller does not want the rest."""
        self._runs.end(run_id, False)

    def on_tool_start(
        self, serialized: Dict[str, Any], input_str: str, *, run_id: Any, inputs: Any = None, **told: Any
    ) -> None:
        """Called when a tool starts."""
        name = text_at(serialized, "name") or told.get("name")
        tool = start_tool(self._placed(told), name, input_str if inputs is None else inputs)
        if tool:
            self._tools.add(run_id, tool)

    def on_tool_end(self, output: Any, *, run_id: Any, **told: Any) -> None:
        """Called when a tool has ended."""
        tool = self._tools.pop(run_id)
        if tool:
            content = field_at(output, "content")
            is_error = field_at(output, "status") == "error"
            tool.end(output if content is None else content, is_error=is_error)

    def on_tool_error(self, error: BaseException, *, run_id: Any, **told: Any) -> None:
        """Called when a tool has failed."""
        tool = self._tools.pop(run_id)
        if tool:
            tool.fail(error)

    def on_chat_model_start(
        self, serialized: Dict[str, Any], messages: List[List[Any]], *, run_id: Any, **told: Any
    ) -> None:
        """Called when a call of a chat model starts."""
        self._start(serialized, messages, run_id, told)

    def on_llm_start(
        self, serialized: Dict[str, Any], prompts: List[str], *, run_id: Any, **told: Any
    ) -> None:
        """Called when a call of a text model starts."""
        self._start(serialized, prompts, run_id, told)

    def on_llm_new_token(self, token: Any, *, run_id: Any, chunk: Any = None, **told: Any) -> None:
        """Called when a chunk of a stream has arrived."""
        call = self._calls.get(run_id)
        if call:
            # A chunk without text may be a tool call.
            call.take_chunk(token if isinstance(token, str) else field_at(chunk, "text"))

    def on_llm_end(self, response: Any, *, run_id: Any, **told: Any) -> None:
        """Called when a call has ended."""
        call = self._calls.pop(run_id)
        if not call:
            return
        if is_from_cache(response):
            call.discard()
        else:
            call.end(result_facts(response))

    def on_llm_error(self, error: BaseException, *, run_id: Any, response: Any = None, **told: Any) -> None:
        """Called when a call has failed, or nobody wants the rest of its stream."""
        call = self._calls.pop(run_id)
        if call:
            call.fail(error, result_facts(response))

    def _start(self, serialized: object, inputs: List[Any], run_id: object, told: Mapping[str, Any]) -> None:
        given = call_input(serialized, inputs[0] if inputs else "", told)
        call = start_call(self._placed(told), LANGCHAIN, given)
        if call:
            self._calls.add(run_id, call)

    def _placed(self, told: Mapping[str, Any]) -> CallScope:
        """Returns the scope of a call or a tool that starts with these keyword arguments."""
        place = self._runs.place(told.get("parent_run_id"), told.get("metadata"))
        return self._scope._replace(place=place)
