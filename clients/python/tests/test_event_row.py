"""Cases for Python values, which event.json cannot contain."""

from __future__ import annotations

import enum
import json
import math
import types
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Any, Callable, Dict, Optional

import pytest
from core_fixture import NOW, MakeCore, settings_of

from assay._epoch_ms import epoch_ms_of
from assay._event_row import to_event_row


class Text(str):
    pass


class Flavour(str, enum.Enum):
    MINT = "mint"


class Level(enum.IntEnum):
    HIGH = 3


def payload(**fields: Any) -> Dict[str, Any]:
    return {"experiment_id": "greeting", "user_id": "u", **fields}


@pytest.fixture
def row_of(make_core: MakeCore) -> Callable[..., Any]:
    """Returns what the service gets of an event with these fields."""

    def send(**fields: Any) -> Any:
        core = make_core()
        core.client.track("business_event", payload(**fields))
        assert core.lines == []
        (row,) = core.rows
        return row

    return send


@pytest.fixture
def reason_against(make_core: MakeCore) -> Callable[[Any], str]:
    """Returns why an event with this payload is dropped."""

    def refuse(given: Any) -> str:
        core = make_core()
        core.client.track("business_event", given)
        assert core.rows == []
        (line,) = core.lines
        assert line.startswith("warning [assay] event dropped, ") and line.endswith(": 1")
        return line[len("warning [assay] event dropped, ") : -len(": 1")]

    return refuse


@pytest.mark.parametrize(
    "value, sent",
    [
        ((1, "two", (3,)), [1, "two", [3]]),
        (Text("t"), "t"),
        (Flavour.MINT, "mint"),
        (Level.HIGH, 3),
        (10**30, 10**30),
        (True, True),
        ({Text("k"): None}, {"k": None}),
    ],
)
def test_values_that_json_holds_are_sent(row_of: Callable[..., Any], value: Any, sent: Any) -> None:
    assert row_of(metadata={"value": value})["metadata"] == {"value": sent}


@pytest.mark.parametrize(
    "value",
    [
        Decimal("1.5"),
        datetime(2026, 1, 1, tzinfo=timezone.utc),
        date(2026, 1, 1),
        b"bytes",
        {1, 2},
        1j,
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_json_does_not_hold_drop_the_event(
    reason_against: Callable[[Any], str], value: Any
) -> None:
    assert reason_against(payload(metadata={"value": value})) == "not JSON"


@pytest.mark.parametrize("key", [1, None, True, 1.5], ids=repr)
def test_keys_that_are_no_texts_drop_the_event(reason_against: Callable[[Any], str], key: Any) -> None:
    assert reason_against({**payload(), key: 1}) == "payload has a key that is not a str"
    assert reason_against(payload(metadata=[({"deep": {key: 1}},)])) == "payload has a key that is not a str"


def test_any_mapping_is_a_payload(make_core: MakeCore) -> None:
    core = make_core()
    core.client.track("exposure", types.MappingProxyType(payload()))
    assert len(core.rows) == 1


def test_a_payload_too_deep_for_the_writer_is_dropped(reason_against: Callable[[Any], str]) -> None:
    deep: Any = {}
    for _ in range(200_000):
        deep = [deep]
    assert reason_against(payload(metadata={"deep": deep})) == "not JSON"


def test_later_changes_do_not_reach_the_event(make_core: MakeCore) -> None:
    core = make_core()
    given = payload(metadata={"a": [1]})
    core.client.track("exposure", given)
    given["metadata"]["a"].append(2)
    given["user_id"] = "v"
    (row,) = core.rows
    assert (row["metadata"], row["user_id"]) == ({"a": [1]}, "u")
    assert "event_id" not in given


def test_the_row_is_utf8_with_only_unpaired_surrogates_escaped() -> None:
    event = to_event_row("exposure", payload(user_id="日😀\ud83d", variant="\ud83d\ude00"), settings_of())
    assert '"日😀\\ud83d"'.encode("utf-8") in event.row
    assert json.loads(event.row.decode("utf-8"))["variant"] == "😀"


@pytest.mark.parametrize(
    "given, event_id, occurred_at",
    [
        ({}, "made", NOW * 1000),
        ({"event_id": "own", "timestamp": "1970-01-01T01:00:00.005+01:00"}, "own", 5),
        ({"timestamp": datetime(1970, 1, 2, tzinfo=timezone.utc)}, "made", 86_400_000),
    ],
)
def test_an_event_waits_under_the_id_and_time_that_its_row_has(
    given: Dict[str, Any], event_id: str, occurred_at: int
) -> None:
    event = to_event_row("exposure", payload(**given), settings_of(now=lambda: NOW, new_id=lambda: "made"))
    assert (event.event_id, event.occurred_at) == (event_id, occurred_at)
    assert json.loads(event.row.decode("utf-8"))["event_id"] == event_id


class Broken(tzinfo):
    def utcoffset(self, _when: Optional[datetime]) -> timedelta:
        raise RuntimeError("zone")


@pytest.mark.parametrize(
    "timestamp, sent",
    [
        (datetime(2026, 1, 2, 3, 4, 5, 6999, timezone.utc), "2026-01-02T03:04:05.006Z"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=-5))), "2026-01-02T08:04:05.000Z"),
        (datetime.max.replace(tzinfo=timezone.utc), "9999-12-31T23:59:59.999Z"),
        (datetime.min.replace(tzinfo=timezone.utc), "0001-01-01T00:00:00.000Z"),
        ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
        (-1.5, "1969-12-31T23:59:59.999Z"),
        (253402300799999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_timestamps_are_sent_in_utc_with_milliseconds(
    row_of: Callable[..., Any], timestamp: Any, sent: str
) -> None:
    assert row_of(timestamp=timestamp)["timestamp"] == sent


@pytest.mark.parametrize(
    "timestamp, reason",
    [
        (
            datetime(2026, 1, 1),
            "timestamp is a datetime without a time zone: use datetime.now(timezone.utc)",
        ),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))), "timestamp is not a date"),
        (datetime(2026, 1, 1, tzinfo=Broken()), "not JSON"),
        (date(2026, 1, 1), "timestamp is not a date"),
        (253402300800000, "timestamp is not a date"),
        (10**400, "timestamp is not a date"),
        (1e300, "timestamp is not a date"),
        (Decimal(1), "timestamp is not a date"),
        ("2026-01-02T03:04:05", "timestamp is not RFC 3339 with an offset"),
        ("２０２６-01-02T03:04:05Z", "timestamp is not RFC 3339 with an offset"),
        ("2026-01-02T03:04:05Z\n", "timestamp is not RFC 3339 with an offset"),
        ("2026-01-02T03:04:05+24:00", "timestamp is not RFC 3339 with an offset"),
        ("9999-12-31T23:59:59-01:00", "timestamp is not a date"),
    ],
)
def test_what_names_no_instant_is_dropped(
    reason_against: Callable[[Any], str], timestamp: Any, reason: str
) -> None:
    assert reason_against(payload(timestamp=timestamp)) == reason


@pytest.mark.parametrize("clock", [math.nan, math.inf, "12", None, 1e300], ids=repr)
def test_a_clock_without_a_time_drops_the_event(make_core: MakeCore, clock: Any) -> None:
    core = make_core(now=lambda: clock)
    core.client.track("exposure", payload())
    assert core.rows == []
    (line,) = core.lines
    assert line.startswith("warning [assay] event dropped, ")


def test_ids_are_uuids_of_version_7_that_tell_the_time_of_the_clock(make_core: MakeCore) -> None:
    core = make_core(now=lambda: 1_700_000_000.001)
    core.client.track("exposure", payload())
    event_id = core.rows[0]["event_id"]
    assert int(event_id.replace("-", "")[:12], 16) == 1_700_000_000_001
    assert event_id[14] == "7" and event_id[19] in "89ab" and len(event_id) == 36


@pytest.mark.parametrize("made", [None, 7, "", "x" * 129], ids=repr)
def test_an_id_maker_that_makes_none_drops_the_event(make_core: MakeCore, made: Any) -> None:
    core = make_core(new_id=lambda: made)
    core.client.track("exposure", payload())
    assert core.rows == []
    assert core.lines == ["warning [assay] event dropped, event_id is not a str of 1-128 characters: 1"]


def test_seconds_become_milliseconds_without_an_error_of_binary_fractions() -> None:
    for ms in range(1_767_323_045_000, 1_767_323_046_000):
        assert epoch_ms_of(ms / 1000) == ms
    assert epoch_ms_of(1.9999) == 1999
    assert epoch_ms_of(-0.0001) == -1
