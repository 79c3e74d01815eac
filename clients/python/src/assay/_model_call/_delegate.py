"""Objects that stand for other objects."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any, Callable, Dict, Type, TypeVar

# Special names that every class has, or that concern making and destroying instances.
_OWN = frozenset(
    "__abstractmethods__ __annotate__ __annotate_func__ __annotations__ __class_getitem__ __del__ __dict__ "
    "__getattribute__ __init__ __init_subclass__ __module__ __new__ __slots__ __weakref__".split()
)


# Behaves exactly like the target, including its class (so `isinstance` works), except where a subclass
# differs. Made by `delegate_to`, which adds the special methods of the target's class. (A docstring here
# would hide the target's.)
class Delegate:
    __slots__ = ("_assay_target", "__weakref__")

    def __init__(self, target: Any) -> None:
        object.__setattr__(self, "_assay_target", target)

    __class__ = property(lambda self: self._assay_target.__class__)
    __doc__ = property(lambda self: self._assay_target.__doc__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._assay_target, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._assay_target, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._assay_target, name)

    def __dir__(self) -> Any:
        return dir(self._assay_target)

    def __repr__(self) -> str:
        return repr(self._assay_target)

    def __str__(self) -> str:
        return str(self._assay_target)

    def __eq__(self, other: object) -> Any:
        return self._assay_target == target_of(other)

    def __ne__(self, other: object) -> Any:
        return self._assay_target != target_of(other)

    def __hash__(self) -> int:
        return hash(self._assay_target)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._assay_target.__reduce_ex__(protocol)

    def __copy__(self) -> Any:
        return copy.copy(self._assay_target)

    def __deepcopy__(self, memo: Any) -> Any:
        return copy.deepcopy(self._assay_target, memo)


_Made = TypeVar("_Made", bound=Delegate)


def delegate_to(target: object, kind: Type[_Made]) -> _Made:
    """Makes a delegate of this kind."""
    classes: Any = _class_for
    return classes(kind, type(target))(target)  # type: ignore[no-any-return]


def target_of(value: Any) -> Any:
    """Returns a delegate's target, and any other value unchanged."""
    return value._assay_target if is_delegate(value) else value


def is_delegate(value: object, kind: Type[Delegate] = Delegate) -> bool:
    """Returns whether a value is a delegate, although it claims another class."""
    return issubclass(type(value), kind)


@lru_cache(maxsize=256)
def _class_for(kind: Type[Any], target_type: type) -> Any:
    special: Dict[str, Any] = {"__slots__": ()}
    for name in dir(target_type):
        is_special = name.startswith("__") and name.endswith("__")
        if not is_special or name in _OWN or hasattr(kind, name):
            continue
        method = getattr(target_type, name)
        if callable(method):
            special[name] = _enter_async(name) if name == "__aenter__" else _forward(name)
    return type(kind.__name__, (kind,), special)


def _forward(name: str) -> Callable[..., Any]:
    def forwarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        target = self._assay_target
        result = getattr(type(target), name)(target, *args, **kwargs)
        # If the target enters itself, the delegate is entered instead.
        return self if result is target else result

    return forwarded


def _enter_async(name: str) -> Callable[..., Any]:
    async def forwarded(self: Any) -> Any:
        target = self._assay_target
        result = await getattr(type(target), name)(target)
        return self if result is target else result

    return forwarded
