"""Views of providers' objects that observe model calls."""

from __future__ import annotations

from typing import Any, Dict, TypeVar

from .._user_context import current_context
from ._delegate import Delegate, delegate_to, is_delegate
from ._foreign_value import field_at
from ._observe_call import CallScope, observe_call
from ._provider_name import provider_of
from ._reading import ModelCallFormat, Request
from ._routes import CALLS, CHATS, HELPERS, RAW, ROUTES, Route

_Provider = TypeVar("_Provider")


def wrap_provider(provider: _Provider, scope: CallScope) -> _Provider:
    """
    Returns a view of the provider's object whose model calls are observed. Everything else passes through,
    and the object itself is not changed. If it has no known calls, warns and returns the object itself.
    """
    view: Any = provider
    if is_delegate(provider, _View) and _is_same(view._assay_scope, scope):
        # Wrapping twice has no further effect. Only the user, the unit and the metadata may differ.
        if scope.user is None and scope.unit is None and not scope.metadata:
            return provider
        inner: _Provider = view._assay_target
        before: CallScope = view._assay_scope
        user = before.user if scope.user is None else scope.user
        unit = before.unit if scope.unit is None else scope.unit
        metadata = {**before.metadata, **scope.metadata}
        return wrap_provider(
            inner, scope._replace(user=user, unit=unit, usage=before.usage, metadata=metadata)
        )
    if not _has_call(provider, ROUTES):
        scope.host.warn("wrap does not support this object")
        return provider
    return _make_view(provider, ROUTES, scope)  # type: ignore[no-any-return]


def _is_same(scope: CallScope, other: CallScope) -> bool:
    return scope.experiment == other.experiment and scope.host.client is other.host.client


def _has_call(value: object, route: Route) -> bool:
    """Returns whether the object has a model call, according to its own route."""
    if value is None:
        return False
    if route.format is not None:
        return callable(field_at(value, route.call))
    return any(_has_call(field_at(value, name), further) for name, further in route.further.items())


def _make_view(target: object, route: Route, scope: CallScope, root: Any = None) -> Any:
    view = delegate_to(target, _View)
    root = view if root is None else root
    for name, value in (("route", route), ("scope", scope), ("root", root), ("views", {})):
        object.__setattr__(view, f"_assay_{name}", value)
    return view


class _View(Delegate):
    """A provider's client, or an object between it and its model calls."""

    __slots__ = ("_assay_route", "_assay_scope", "_assay_root", "_assay_views")

    _assay_route: Route
    _assay_scope: CallScope
    _assay_root: Any
    _assay_views: Dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._assay_target, name)
        route = self._assay_route
        further = route.further.get(name)
        if further is not None:
            return self._assay_view(name, value, further)
        if name == CHATS and "models" in route.further:
            # A chat keeps the models that it is made with, so it must get the view's models.
            return _remake(value, self.models)
        if name in RAW:
            # Its calls then go through this view.
            return _remake(value, self)
        if value is self._assay_root._assay_target:
            return self._assay_root
        if name == "_post":
            return self._assay_views.get(name, value)
        is_call = route.format is not None and (name in CALLS or name in HELPERS)
        is_copy = route is ROUTES and name in ("copy", "with_options")
        return _make_method(value, self, name) if (is_call or is_copy) and callable(value) else value

    def _assay_view(self, name: str, value: Any, further: Route) -> Any:
        known = self._assay_views.get(name)
        if known is not None and known._assay_target is value:
            return known
        # With another provider, this attribute may be something else.
        if not _has_call(value, further):
            return value
        view = _make_view(value, further, self._assay_scope, self._assay_root)
        # Shared by all threads.
        self._assay_views[name] = view
        return view

    def __copy__(self) -> Any:
        return wrap_provider(super().__copy__(), self._assay_scope)

    def __deepcopy__(self, memo: Any) -> Any:
        return wrap_provider(super().__deepcopy__(memo), self._assay_scope)


def _remake(value: Any, owner: Any) -> Any:
    try:
        return type(value)(owner)
    except Exception:
        return value


def _make_method(method: Any, view: _View, name: str) -> Any:
    made = delegate_to(method, _Method)
    object.__setattr__(made, "_assay_view", view)
    object.__setattr__(made, "_assay_name", name)
    return made


class _Method(Delegate):
    """A method of a provider's object."""

    __slots__ = ("_assay_view", "_assay_name")

    _assay_view: Any
    _assay_name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        method, view = self._assay_target, self._assay_view
        scope, format_ = view._assay_scope, view._assay_route.format
        if format_ is None:
            # The clients of OpenAI and Anthropic can copy themselves with other options.
            return wrap_provider(method(*args, **kwargs), scope)
        if self._assay_name in CALLS:
            format_ = _named(format_, view)
            return observe_call(scope, format_, kwargs, lambda request: method(*args, **request))
        function = getattr(method, "__func__", None)
        if function is None:
            return method(*args, **kwargs)
        return function(_pin(view), *args, **kwargs)


def _pin(view: Any) -> Any:
    """Makes a view for calls that are made later, outside this context. It carries the current context."""
    scope = view._assay_scope
    pinned = scope if scope.context is not None else scope._replace(context=current_context())
    root = _make_view(view._assay_root._assay_target, ROUTES, pinned)
    made = _make_view(view._assay_target, view._assay_route, pinned, root)
    post = getattr(view._assay_target, "_post", None)
    if callable(post):
        made._assay_views["_post"] = _ObservedPost(post, pinned, _named(view._assay_route.format, view))
    return made


def _named(format_: ModelCallFormat, view: Any) -> ModelCallFormat:
    """Returns the format with the provider's name."""
    provider = provider_of(view._assay_root._assay_target)
    return format_ if provider is None else format_._replace(provider=provider)


class _ObservedPost:
    """A helper of Anthropic's library sends its request with this method and bypasses `create`."""

    __slots__ = ("_post", "_scope", "_format")

    def __init__(self, post: Any, scope: CallScope, format_: ModelCallFormat) -> None:
        self._post = post
        self._scope = scope
        self._format = format_

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        body = kwargs.get("body")
        request: Request = body if isinstance(body, dict) else {}
        return observe_call(self._scope, self._format, request, lambda _: self._post(*args, **kwargs))
