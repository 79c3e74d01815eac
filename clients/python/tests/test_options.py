from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import Any, Dict

import pytest
from core_fixture import MakeCore, settings_of
from recorded_log import RecordedLog

from assay._core_client import CoreClient
from assay._options import seconds_or


@pytest.fixture(autouse=True)
def address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_BASE_URL", "http://unused.invalid")


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("str")

    __repr__ = __str__
    __fspath__ = __str__

    def __iter__(self) -> Any:
        raise RuntimeError("iter")


@pytest.mark.parametrize("key", [None, "", " ", 5, b"k"], ids=repr)
def test_construction_raises_without_a_key(key: Any) -> None:
    with pytest.raises(ValueError, match="ASSAY_API_KEY"):
        CoreClient(api_key=key, logger=logging.Logger("silent", logging.CRITICAL + 1))


def test_key_and_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", "svc_pk_env\n")
    monkeypatch.setenv("ASSAY_BASE_URL", "http://127.0.0.1:9//")
    settings = settings_of(api_key=None, base_url=None)
    assert (settings.api_key, settings.base_url) == ("svc_pk_env", "http://127.0.0.1:9")


def test_an_option_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", "svc_pk_env")
    monkeypatch.setenv("ASSAY_BASE_URL", "http://127.0.0.1:9")
    settings = settings_of(api_key="svc_pk_1", base_url="http://127.0.0.1:10/")
    assert (settings.api_key, settings.base_url) == ("svc_pk_1", "http://127.0.0.1:10")


def test_defaults() -> None:
    log = RecordedLog()
    settings = settings_of(logger=log.logger)
    assert (settings.flush_interval, settings.poll_interval, settings.long_poll) == (5.0, 60.0, False)
    assert (settings.experiments, settings.track_exposures) == ((), True)
    assert (settings.offline_store, settings.mask, settings.bootstrap) == (None, None, None)
    assert log.lines == []


def test_a_forgotten_base_address_is_said_with_the_one_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_BASE_URL", raising=False)
    log = RecordedLog()
    settings = settings_of(logger=log.logger, base_url=None)
    assert settings.base_url == "https://api.assay.dev"
    assert log.lines == [
        "warning [assay] neither base_url nor ASSAY_BASE_URL is set: using https://api.assay.dev"
    ]


def test_the_default_logger_is_named_after_the_package(
    make_core: MakeCore, caplog: pytest.LogCaptureFixture
) -> None:
    make_core(logger=None, flavour="mint")
    assert [(record.name, record.getMessage()) for record in caplog.records] == [
        ("assay", "[assay] unknown option: flavour")
    ]


def test_unknown_options_are_one_warning_each(make_core: MakeCore) -> None:
    core = make_core(apikey="x", timeout=5)
    assert core.lines == ["warning [assay] unknown option: apikey", "warning [assay] unknown option: timeout"]


@pytest.mark.parametrize(
    "given, taken",
    [
        ({"experiments": "greeting"}, {"experiments": ("greeting",)}),
        ({"experiments": ["a", "b"]}, {"experiments": ("a", "b")}),
        ({"track_exposures": False}, {"track_exposures": False}),
        ({"flush_interval": 1}, {"flush_interval": 1.0}),
        ({"poll_interval": math.inf}, {"poll_interval": 86_400.0}),
        ({"offline_store": Path("/x/y")}, {"offline_store": "/x/y"}),
        ({"offline_store": b"/x/y"}, {"offline_store": "/x/y"}),
    ],
    ids=str,
)
def test_options_are_taken(given: Dict[str, Any], taken: Dict[str, Any]) -> None:
    log = RecordedLog()
    settings = settings_of(**given, logger=log.logger)
    assert {name: getattr(settings, name) for name in taken} == taken
    assert log.lines == []


@pytest.mark.parametrize(
    "name, value",
    [
        ("base_url", 5),
        ("base_url", Unprintable()),
        ("experiments", 5),
        ("experiments", [b"greeting"]),
        ("experiments", Unprintable()),
        ("track_exposures", 0),
        ("track_exposures", "no"),
        ("flush_interval", 0),
        ("flush_interval", -1),
        ("flush_interval", math.nan),
        ("poll_interval", "60"),
        ("long_poll", 1),
        ("poll_interval", Unprintable()),
        ("offline_store", 5),
        ("offline_store", Unprintable()),
        ("now", 5),
        ("new_id", "id"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_option_that_cannot_be_used_is_a_warning_and_its_default(
    make_core: MakeCore, name: str, value: Any
) -> None:
    core = make_core(**{name: value})
    assert core.lines == [f"warning [assay] invalid option ignored: {name}"]
    if name not in ("now", "new_id"):
        assert getattr(settings_of(**{name: value}), name) == getattr(settings_of(), name)
    core.client.track("exposure", {})
    assert len(core.rows) == 1


@pytest.mark.parametrize(
    "value, seconds",
    [
        (0, 0.0),
        (2, 2.0),
        (1e9, 86_400.0),
        (math.inf, 86_400.0),
        (math.nan, 7.0),
        (-1, 7.0),
        ("1", 7.0),
        (None, 7.0),
    ],
    ids=repr,
)
def test_waits_are_bounded(value: Any, seconds: float) -> None:
    assert seconds_or(value, 7.0) == seconds
