"""A callback handler for LangChain, and thus for LangGraph. Needs `langchain-core`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from langchain_core.callbacks import BaseCallbackHandler

from .._model_call._foreign_value import field_at
from ._framework_call import OpenCalls, framework_scope, start_call
from ._langchain_facts import LANGCHAIN, call_input, is_from_cache, result_facts

if TYPE_CHECKING:
    from .._assay import Assay


class AssayCallbackHandler(BaseCallbackHandler):
    """
    Records an exposure and a `model_call` for each model call, from any chain, agent or graph. The options
    are those of `Assay.wrap`. Answers from LangChain's cache are not calls. Never raises.
    """

    # In the caller's own thread and context, where the user is known.
    run_inline = True

    def __init__(
        self,
        assay: Assay,
        experiment: str,
        *,
        user: Optional[str] = None,
        unit: Optional[str] = None,
        conversation_id: Optional[str] = None,
        trace_id: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self._scope = framework_scope(
            assay, experiment, user, unit, conversation_id, trace_id, metadata, handler=self
        )
        self._calls = OpenCalls()

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
        call = start_call(self._scope, LANGCHAIN, given)
        if call:
            self._calls.add(run_id, call)
