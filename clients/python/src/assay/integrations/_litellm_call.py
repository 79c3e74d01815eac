"""A call of LiteLLM, from what it passes to its callbacks."""

from __future__ import annotations

import threading
import weakref
from datetime import datetime
from time import perf_counter
from typing import Any, Dict, Mapping, Optional

from .._model_call._foreign_value import field_at, text_at
from .._model_call._known_results import result_format
from .._model_call._learn_facts import learn_facts
from .._model_call._observe_call import CallScope
from .._model_call._reading import ModelCallFormat, Reading
from ._framework_call import CallInput, FrameworkCall, start_call

_KNOWN = result_format(None)
_EMBEDDINGS = ("embedding", "aembedding")
_CALL_TYPES = ("completion", "acompletion", "text_completion", "atext_completion", *_EMBEDDINGS)
# LiteLLM's additions to OpenAI's format.
_USAGE = {
    "usage": {
        "prompt_tokens_details": {
            # Part of `cache_write_tokens`.
            "cache_creation_token_details": {
                "ephemeral_1h_input_tokens": "cache_write_1h_tokens-cache_write_5m_tokens"
            },
        }
    }
}


class _Result:
    """An answer with LiteLLM's data about it."""

    def __init__(self, answer: object, cost: object) -> None:
        self.answer = answer
        self.usage = {"cost_usd": cost}


def _read(told: object, reading: Reading) -> None:
    if not isinstance(told, _Result):
        _KNOWN.read(told, reading)
        return
    # The complete answer of a stream whose chunks are known.
    text = reading.response()
    whole = Reading({})
    _KNOWN.read(told.answer, whole)
    learn_facts(told.answer, _USAGE, whole)
    learn_facts(told.usage, {"cost_usd": "cost_usd"}, whole)
    reading.facts.update(whole.facts, response=whole.response() or text)


_FORMAT = ModelCallFormat(None, _read)


class LiteLlmCall:
    """
    LiteLLM keeps this object in the details of its call. Once the details are dropped, nobody can read on.
    LiteLLM itself does not report a stream that is left early.
    """

    def __init__(self, call: FrameworkCall) -> None:
        self._call = call
        self.has_ended = False
        # Several threads deliver the chunks of a stream, in any order.
        self._lock = threading.Lock()
        # Keeps the call outside of LiteLLM's details, whose parts may be finalized in any order.
        weakref.finalize(self, call.abandon).atexit = False

    def __copy__(self) -> LiteLlmCall:
        return self

    def __deepcopy__(self, memo: object) -> LiteLlmCall:
        # Other callbacks copy the details.
        return self

    def take_chunk(self, chunk: object) -> None:
        """A chunk of the stream has arrived."""
        with self._lock:
            self._call.take_chunk(chunk)

    def end(self, answer: object, details: Mapping[str, Any], ended_at: object) -> None:
        """Called when the call has ended; LiteLLM may report it later, in its own thread."""
        self.has_ended = True
        first = details.get("completion_start_time") if details.get("stream") else None
        self._call.end(_Result(answer, details.get("response_cost")), _clock(ended_at), _clock(first))

    def fail(self, error: object) -> None:
        """Called when the call has failed."""
        self.has_ended = True
        self._call.fail(error)


def begin_call(scope: CallScope, details: Dict[str, Any], messages: object, owner: int) -> None:
    """
    Begins a call and stores it in LiteLLM's details of it, once per callback, because a retry has the same
    details. A fallback to another model has the same details too, but is a call of its own. Never raises.
    """
    try:
        begun = running_call(details, owner)
        if (begun and not begun.has_ended) or details.get("call_type") not in _CALL_TYPES:
            return
        # Not announced: LiteLLM reports late, or not at all, that the provider has answered.
        call = start_call(scope, _FORMAT, _input_of(details, messages), is_announced=False)
        if call is not None:
            details[_key(owner)] = LiteLlmCall(call)
    except Exception:
        scope.host.warn("a model call could not be recorded")


def running_call(details: Mapping[str, Any], owner: int) -> Optional[LiteLlmCall]:
    """Finds the call; None for an answer from a cache, for which no call began."""
    found = details.get(_key(owner))
    return found if isinstance(found, LiteLlmCall) else None


def _clock(time: object) -> Optional[float]:
    """Converts LiteLLM's time to the clock of the records."""
    if not isinstance(time, datetime):
        return None
    return perf_counter() - max(0.0, (datetime.now(time.tzinfo) - time).total_seconds())


def _key(owner: int) -> str:
    return f"assay_call_{owner}"


def _input_of(details: Mapping[str, Any], messages: object) -> CallInput:
    given = field_at(details, "additional_args", "api_base") or field_at(
        details, "litellm_params", "api_base"
    )
    # The input of embeddings is here.
    asked = details.get("input") if details.get("call_type") in _EMBEDDINGS else messages
    return CallInput(
        model=details.get("model"),
        messages=asked,
        base_url=given,
        provider=text_at(details, "custom_llm_provider") or None,
        settings=details.get("optional_params"),
    )
