"""The client, with the observation of model calls."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, TypeVar

from ._core_client import CoreClient
from ._model_call._call_record import CallHost
from ._model_call._known_results import result_format
from ._model_call._observe_call import CallScope, observe_call
from ._model_call._wrap_provider import wrap_provider
from ._user_context import AsUser

_Provider = TypeVar("_Provider")
_Result = TypeVar("_Result")


class Assay(CoreClient):
    """A `CoreClient` that also observes model calls."""

    def wrap(self, provider: _Provider, experiment: str, *, user: Optional[str] = None) -> _Provider:
        """
        Returns a view of a provider's object (a client of OpenAI, Anthropic or Google, for asyncio or not)
        that behaves as the object does, and records an exposure and a `model_call` for each model call made
        through it. They are those of `user`; default: of the user of `as_user`. Calls for which no user is
        known, or whose user has no variant, are made and not recorded. Of an object with no known call the
        object itself is returned, with a warning. The object is not changed; never raises.
        """
        try:
            return wrap_provider(provider, self._scope(experiment, user))
        except Exception:
            self._log.once("warning", "an object could not be wrapped")
            return provider

    def as_user(self, user: str) -> AsUser:
        """
        Makes a context manager, for `with` and `async with` alike: model calls inside through wrapped objects
        are those of `user`, over every `await` and in tasks started there. A new thread begins without a
        user. In a generator a `yield` inside would hand the user to the caller: leave it outside.
        """
        return AsUser(user)

    def intercept_model_call(
        self,
        experiment: str,
        user: str,
        call: Callable[[], _Result],
        extract: Optional[Callable[[Any], Optional[Mapping[str, Any]]]] = None,
    ) -> _Result:
        """
        Makes one model call with `call` and records it as `wrap` does. Returns or raises just what `call`
        does; an awaitable or an iterator, asynchronous or not, comes back as one that behaves alike.
        `extract` reads the result, or each chunk (`ModelCallFacts`); without it those of the providers that
        `wrap` knows are recognised.
        """
        scope = self._scope(experiment, user)
        return observe_call(scope, result_format(extract), {}, lambda _: call())

    def _scope(self, experiment: str, user: Optional[str]) -> CallScope:
        return CallScope(CallHost(self, self._settings.mask, self._log), experiment, user)
