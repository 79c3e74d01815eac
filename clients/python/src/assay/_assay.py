"""The client, which also observes model calls."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, TypeVar

from ._agent import Agent
from ._call_metadata import call_metadata
from ._core_client import CoreClient
from ._model_call._call_record import CallHost, UsageAsking
from ._model_call._known_results import result_format
from ._model_call._observe_call import CallScope, observe_call
from ._model_call._wrap_provider import wrap_provider
from ._user_context import AsUser, Within

_Provider = TypeVar("_Provider")
_Result = TypeVar("_Result")


class Assay(CoreClient):
    """A `CoreClient` that also observes model calls."""

    def wrap(
        self,
        provider: _Provider,
        experiment: str,
        *,
        user: Optional[str] = None,
        unit: Optional[str] = None,
        stream_usage: bool = True,
        conversation_id: Optional[str] = None,
        trace_id: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
    ) -> _Provider:
        """
        Returns a view of a provider's object (a client of OpenAI, Anthropic or Google, with or without
        asyncio). It behaves like the object, and records an exposure and a `model_call` for each model call.
        The calls belong to `user` (default: the user of `as_user`). In an experiment that assigns
        conversations or runs, they belong to the `unit` with this id (default: the id of `with_conversation`
        or `with_run`). A call without a known user, or whose user has no variant, is made but not recorded.
        The object itself is not changed. An object without known calls is returned unchanged, with a
        warning. By default, the usage of chat completion streams is requested until the provider rejects
        that; `stream_usage=False` never requests it. The events get `metadata`, which includes
        `conversation_id` and `trace_id`. Never raises.
        """
        try:
            scope = self._scope(experiment, user, unit)._replace(
                usage=UsageAsking(stream_usage is not False),
                metadata=call_metadata(conversation_id, trace_id, metadata, self._log),
            )
            return wrap_provider(provider, scope)
        except Exception:
            self._log.once("warning", "an object could not be wrapped")
            return provider

    def as_user(
        self,
        user: str,
        *,
        conversation_id: Optional[str] = None,
        trace_id: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
    ) -> AsUser:
        """
        Makes a context manager for `with` and `async with`. Model calls through wrapped objects inside it
        belong to `user`, also after an `await` and in tasks started inside. A new thread starts without a
        user. Do not `yield` inside it in a generator: that would pass the user to the caller. The user's
        `model_call`s get `metadata`, which includes `conversation_id` and `trace_id`. The innermost
        `as_user` counts.
        """
        return AsUser(user, call_metadata(conversation_id, trace_id, metadata, self._log))

    def with_conversation(self, id: str) -> Within:
        """
        Makes a context manager like `as_user`; both nest in any order. Inside it, experiments that assign
        conversations assign this one. The `model_call`s have it as `metadata.conversation_id`.
        """
        return Within(conversation=self._id_or_none("conversation", id))

    def with_run(self, id: str) -> Within:
        """
        Makes a context manager like `as_user`; both nest in any order. Inside it, experiments that assign
        runs of an agent assign this one. The events have it as `run_id`.
        """
        return Within(run=self._id_or_none("run", id))

    def intercept_model_call(
        self,
        experiment: str,
        user: str,
        call: Callable[[], _Result],
        extract: Optional[Callable[[Any], Optional[Mapping[str, Any]]]] = None,
        *,
        unit: Optional[str] = None,
    ) -> _Result:
        """
        Makes one model call with `call` and records it as `wrap` does. Returns or raises exactly what `call`
        does. For an awaitable or an iterator (asynchronous or not), returns one that behaves the same.
        `extract` reads facts (`ModelCallFacts`) from the result, or from each chunk. Without it, results of
        the providers that `wrap` knows are recognized.
        """
        scope = self._scope(experiment, user, unit)
        return observe_call(scope, result_format(extract), {}, lambda _: call())

    def agent(
        self,
        experiment: str,
        *,
        user: Optional[str] = None,
        unit: Optional[str] = None,
        agent_name: Optional[str] = None,
    ) -> Agent:
        """
        Returns a recorder for an agent's tool calls and ends of runs. They belong to `user` and `unit`, as
        calls of `wrap` do. Set `agent_name` in applications with several agents.
        """
        return Agent(self._scope(experiment, user, unit), agent_name)

    def _scope(self, experiment: str, user: Optional[str], unit: Optional[str]) -> CallScope:
        return CallScope(CallHost(self, self._settings.mask, self._log), experiment, user, unit)

    def _id_or_none(self, name: str, id: object) -> Optional[str]:
        if isinstance(id, str) and id:
            return id
        self._log.once("warning", f"the id of a {name} is not a non-empty str and was ignored")
        return None
