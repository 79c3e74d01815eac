"""Handlers for LlamaIndex. Needs `llama-index-core`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler

from ._framework_call import framework_scope
from ._llama_index_calls import LlamaIndexCalls

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._assay import Assay
    from ._framework_call import CallOptions


def observe_llama_index(assay: Assay, experiment: str, **options: Unpack[CallOptions]) -> Callable[[], None]:
    """
    Records an exposure and a `model_call` for each LLM call that LlamaIndex makes in this process. The
    options are those of `Assay.wrap`. Returns a function that stops the recording. The handlers never raise.
    """
    calls = LlamaIndexCalls(framework_scope(assay, experiment, None, **options))
    events, spans = _Events(), _Spans()
    events._calls = spans._calls = calls
    root = get_dispatcher("root")
    root.add_event_handler(events)
    root.add_span_handler(spans)

    def end() -> None:
        # Other threads may be iterating over the lists.
        root.event_handlers = [handler for handler in root.event_handlers if handler is not events]
        root.span_handlers = [handler for handler in root.span_handlers if handler is not spans]

    return end


class _Events(BaseEventHandler):
    """Receives the start, the chunks and the end of calls."""

    _calls: Any = None

    @classmethod
    def class_name(cls) -> str:
        """Returns the class name, which LlamaIndex requires."""
        return "AssayEventHandler"

    def handle(self, event: Any, **_: Any) -> None:
        """Handles an event."""
        self._calls.take_event(event)


class _Spans(BaseSpanHandler[Any]):
    """Receives the objects that make calls, and the errors. Events have only the errors' texts."""

    _calls: Any = None

    @classmethod
    def class_name(cls) -> str:
        """Returns the class name, which LlamaIndex requires."""
        return "AssaySpanHandler"

    def span_enter(self, *args: Any, **kwargs: Any) -> None:
        """Called when a method starts."""
        self._calls.enter_span(kwargs.get("id_"), kwargs.get("parent_id"), kwargs.get("instance"))

    def span_exit(self, *args: Any, **kwargs: Any) -> None:
        """Called when a method has ended."""
        self._calls.leave_span(kwargs.get("id_"))

    def span_drop(self, *args: Any, **kwargs: Any) -> None:
        """Called when a method has failed."""
        self._calls.take_error(kwargs.get("id_"), kwargs.get("err"))

    def new_span(self, *args: Any, **kwargs: Any) -> None:
        """Creates no span."""

    def prepare_to_exit_span(self, *args: Any, **kwargs: Any) -> None:
        """Ends no span."""

    def prepare_to_drop_span(self, *args: Any, **kwargs: Any) -> None:
        """Drops no span."""
