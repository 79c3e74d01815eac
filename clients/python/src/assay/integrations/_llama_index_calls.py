"""The calls of LlamaIndex, from its spans and events."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple

from .._model_call._call_text import content_text
from .._model_call._foreign_value import field_at, text_at
from .._model_call._known_results import result_format
from .._model_call._observe_call import CallScope
from .._model_call._reading import ModelCallFormat, Reading
from ._framework_call import CallInput, OpenCalls, start_call

_KNOWN = result_format(None)
_STARTS = ("LLMChatStartEvent", "LLMCompletionStartEvent")
_CHUNKS = ("LLMChatInProgressEvent", "LLMCompletionInProgressEvent")
_ENDS = ("LLMChatEndEvent", "LLMCompletionEndEvent")
_BASE_URLS = ("azure_endpoint", "api_base", "base_url")


class _End(NamedTuple):
    """The last response of a call."""

    response: object


class _Span(NamedTuple):
    """A running method."""

    parent: object
    """The span of the calling method, or None."""
    instance: object
    """The object that has the method."""


def _format() -> ModelCallFormat:
    """
    Creates the format of one call. For most providers, LlamaIndex passes on the provider's own answer or
    chunk as `raw`.
    """
    has_text_only = False

    def read(told: object, reading: Reading) -> None:
        nonlocal has_text_only
        if isinstance(told, _End):
            _read_end(told.response, reading)
            return
        _KNOWN.read(field_at(told, "raw"), reading)
        delta = text_at(told, "delta")
        has_text_only = has_text_only or (bool(delta) and not reading.has_response())
        if has_text_only:
            reading.add_content(delta)

    return ModelCallFormat(None, read)


def _read_end(response: object, reading: Reading) -> None:
    # The chunks of a stream have been read; this is the last one again.
    if not reading.has_response():
        _KNOWN.read(field_at(response, "raw"), reading)
    # Some chunks lack the names of the called tools.
    told = _response_text(response)
    if told:
        reading.facts["response"] = told


def _response_text(response: object) -> str:
    blocks = field_at(response, "message", "blocks")
    if not isinstance(blocks, list):
        return text_at(response, "text")
    return content_text([_call_part(block) if text_at(block, "tool_name") else block for block in blocks])


def _call_part(block: object) -> Dict[str, Any]:
    return {"name": text_at(block, "tool_name"), "args": field_at(block, "tool_kwargs")}


class LlamaIndexCalls:
    """Records calls by the span that makes each one."""

    def __init__(self, scope: CallScope) -> None:
        self._scope = scope._replace(handler=self)
        self._calls = OpenCalls()
        self._spans: Dict[object, _Span] = {}

    def enter_span(self, span: object, parent: object, instance: object) -> None:
        """
        Called when a method of `instance` starts. It may be an LLM; its events do not name the provider.
        """
        self._spans[span] = _Span(parent, instance)

    def leave_span(self, span: object) -> None:
        """Called when the method has ended."""
        self._spans.pop(span, None)

    def take_event(self, event: Any) -> None:
        """Handles an event."""
        kind, span = type(event).__name__, event.span_id
        if kind in _STARTS:
            self._start(event, span)
        elif kind in _CHUNKS:
            call = self._calls.get(span)
            if call:
                call.take_chunk(event.response)
        elif kind in _ENDS:
            call = self._calls.pop(span)
            if call:
                call.end(_End(event.response))
        elif kind == "ExceptionEvent":
            self.take_error(span, event.exception)

    def take_error(self, span: object, error: object) -> None:
        """Called when a method, or the stream that it returned, has ended with an error."""
        self.leave_span(span)
        call = self._calls.pop(span)
        if call:
            call.fail(error)

    def _start(self, event: object, span: object) -> None:
        running = self._spans.get(span)
        base_url = _base_url_of(running.instance) if running else ""
        while running:
            # Some LLMs make a call through another of their methods, which is also reported.
            outer = self._calls.pop(running.parent)
            if outer:
                outer.let_go()
            running = self._spans.get(running.parent)
        call = start_call(self._scope, _format(), _input_of(event, base_url))
        if call:
            self._calls.add(span, call)
            if text_at(event, "model_dict", "class_name") == "structured_llm":
                # It makes its call through another LLM, perhaps after this method.
                call.let_go()


def _input_of(event: object, base_url: str) -> CallInput:
    model = field_at(event, "model_dict")
    asked = field_at(event, "messages")
    return CallInput(
        model=field_at(event, "additional_kwargs", "model")
        or field_at(model, "model_name")
        or field_at(model, "model"),
        messages=[_message(each) for each in asked] if isinstance(asked, list) else field_at(event, "prompt"),
        base_url=base_url,
        provider=text_at(model, "class_name").split("_")[0].lower() or None,
        settings=model,
    )


def _base_url_of(instance: object) -> str:
    urls = [text_at(instance, name) for name in _BASE_URLS]
    return next((url for url in urls if url), str(field_at(instance, "_client", "base_url") or ""))


def _message(message: object) -> Any:
    parts = field_at(message, "blocks")
    text = text_at(message, "content")
    return {"role": text_at(message, "role"), "content": text or parts or ""}
