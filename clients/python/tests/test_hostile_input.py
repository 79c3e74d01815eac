"""No argument of a caller raises an exception."""

from __future__ import annotations

import asyncio
import collections.abc
from pathlib import Path
from typing import Any, Dict, Iterator

import pytest
from core_fixture import Core, MakeCore


class Thrower:
    """Raises whatever is asked of it."""

    def _raise(self, *_: object, **__: object) -> Any:
        raise RuntimeError("secret")

    __eq__ = __hash__ = __str__ = __repr__ = __bool__ = __len__ = __iter__ = __getattr__ = _raise
    __lt__ = __gt__ = __le__ = __ge__ = __int__ = __float__ = __format__ = __fspath__ = __call__ = _raise
    __class__ = property(_raise)  # type: ignore[assignment]


class ThrowingText(str):
    def _raise(self, *_: object, **__: object) -> Any:
        raise RuntimeError("secret")

    __eq__ = __hash__ = __str__ = __repr__ = __len__ = __iter__ = __format__ = encode = _raise  # type: ignore


class ThrowingDict(Dict[str, Any]):
    def _raise(self, *_: object, **__: object) -> Any:
        raise RuntimeError("secret")

    __eq__ = __iter__ = __getitem__ = __len__ = get = items = keys = copy = _raise  # type: ignore


class ThrowingMapping(collections.abc.Mapping):  # type: ignore[type-arg]
    def __getitem__(self, _key: object) -> Any:
        raise RuntimeError("secret")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("secret")

    def __len__(self) -> int:
        raise RuntimeError("secret")


CYCLE: Dict[str, Any] = {}
CYCLE["self"] = CYCLE

HOSTILE = {
    "None": None,
    "an int": 5,
    "a float": float("nan"),
    "bytes": b"greeting",
    "a list": ["greeting"],
    "a dict": {"a": object()},
    "a cycle": CYCLE,
    "a function": lambda: 1,
    "a class": object,
    "a thrower": Thrower(),
    "a throwing text": ThrowingText("greeting"),
    "a throwing dict": ThrowingDict(a=1),
    "a throwing mapping": ThrowingMapping(),
    "a generator": (i for i in range(2)),
}


@pytest.fixture(params=[pytest.param(value, id=name) for name, value in HOSTILE.items()])
def hostile(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["loaded", "not loaded"])
def core(make_core: MakeCore, request: pytest.FixtureRequest) -> Core:
    return make_core(**({} if request.param == "loaded" else {"bootstrap": None}))


def is_secret_kept(core: Core) -> bool:
    return not any("secret" in line for line in core.lines)


def test_as_an_experiment(core: Core, hostile: Any) -> None:
    client = core.client
    assert client.assign(hostile, "u") is None
    assert client.find_assignment(hostile, "u") is None
    assert client.get_prompt(hostile, "u", "d") == (None, "d", True)
    assert client.get_variables(hostile, "u", {"a": 1}) == {"a": 1}
    assert asyncio.run(client.aassign(hostile, "u")) is None
    assert is_secret_kept(core)


def test_as_a_user(core: Core, hostile: Any) -> None:
    client = core.client
    # A string subclass counts as a string.
    expected = "short" if type(hostile) is ThrowingText and client.config_snapshot() else None
    assert client.assign("greeting", hostile) == expected
    assert client.get_prompt("greeting", hostile, "d").variant == expected
    assert client.get_variables("greeting", hostile, {"a": 1}) == {"a": 1}
    found = client.find_assignment("greeting", hostile)
    assert (found.variant.key if found else None) == expected
    assert is_secret_kept(core)


def test_as_a_default(core: Core, hostile: Any) -> None:
    client = core.client
    assert client.get_prompt("unknown", "u", hostile).prompt is hostile
    assert type(client.get_variables("greeting", "u", hostile)) is dict
    assert is_secret_kept(core)


def test_as_an_event_or_a_payload(core: Core, hostile: Any) -> None:
    client = core.client
    payload = {"experiment_id": "greeting", "user_id": "u"}
    client.track(hostile, payload)
    client.track("exposure", hostile)
    asyncio.run(client.atrack("exposure", hostile))
    for field in ("event_id", "timestamp", "metadata", "user_id"):
        client.track("exposure", {**payload, field: hostile})
    client.track("exposure", {**payload, "user_id": "harmless"})
    assert core.rows[-1]["user_id"] == "harmless"
    assert is_secret_kept(core)


def test_as_a_timeout(core: Core, hostile: Any) -> None:
    client = core.client
    client.track("exposure", {"experiment_id": "greeting", "user_id": "u"})
    # Once the client is closed, nobody waits for a config that does not come.
    for method in (client.flush, client.close, client.wait_ready):
        assert isinstance(method(hostile), bool)
    assert isinstance(asyncio.run(client.aflush(hostile)), bool)
    assert isinstance(asyncio.run(client.aclose(hostile)), bool)
    assert is_secret_kept(core)


OPTIONS = ["base_url", "experiments", "track_exposures", "flush_interval", "poll_interval", "bootstrap"]
OPTIONS += [
    "long_poll",
    "offline_store",
    "durable",
    "flush_on_sigterm",
    "mask",
    "logger",
    "now",
    "new_id",
    "unknown",
]


@pytest.mark.parametrize("option", OPTIONS)
def test_as_an_option(
    make_core: MakeCore, option: str, hostile: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some of these are folder names.
    monkeypatch.chdir(tmp_path)
    core = make_core(**{option: hostile})
    core.client.assign("greeting", "u")
    core.client.track("exposure", {"experiment_id": "greeting", "user_id": "u"})
    # Some of these are addresses without a server.
    core.client.close(0.1)
    assert is_secret_kept(core)


@pytest.mark.parametrize("callback", ["now", "new_id"])
def test_from_a_callback_that_raises(make_core: MakeCore, callback: str) -> None:
    core = make_core(**{callback: Thrower()})
    assert core.client.assign("greeting", "u") == "short"
    core.client.track("exposure", {"experiment_id": "greeting", "user_id": "u"})
    assert core.rows == []
    assert core.lines and all(line.startswith("warning [assay] event dropped, ") for line in core.lines)


def test_but_an_interrupt_comes_through(make_core: MakeCore) -> None:
    def interrupt() -> float:
        raise KeyboardInterrupt

    core = make_core(now=interrupt)
    with pytest.raises(KeyboardInterrupt):
        core.client.track("exposure", {"experiment_id": "greeting", "user_id": "u"})
