"""The folder of waiting events."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path
from typing import Any, Callable, List, Optional

import pytest
from core_fixture import settings_of
from recorded_log import RecordedLog

from assay import _file_store
from assay._client_log import ClientLog
from assay._event_row import KeptEvent
from assay._file_store import FileStore
from assay._spill_files import parse_spill_line, parse_spill_name, to_spill_line

NOW = 1_783_339_200.0
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def event(event_id: str, size: int = 0) -> KeptEvent:
    row = f'{{"event_id":"{event_id}","timestamp":"2026-07-06T11:00:00.000Z","filler":"{"x" * size}"}}'
    return KeptEvent(event_id, 1_783_335_600_000, row.encode())


class Fixture:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = RecordedLog()

    def make(self, key: str = "svc_pk_1", now: Callable[[], float] = lambda: NOW) -> FileStore:
        return FileStore(str(self.folder), key, now, ClientLog(self.log.logger, time.monotonic))

    def open(self, folder: object) -> Optional[FileStore]:
        settings = settings_of(api_key="k", base_url="b", offline_store=folder, logger=self.log.logger)
        return FileStore.open(settings)

    @property
    def names(self) -> List[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def fixture(tmp_path: Path) -> Fixture:
    return Fixture(tmp_path)


def ids(events: List[KeptEvent]) -> List[str]:
    return [kept.event_id for kept in events]


class TestOpening:
    def test_makes_the_folder_for_its_owner_alone(self, fixture: Fixture) -> None:
        folder = fixture.folder / "a" / "b"
        assert fixture.open(folder) is not None
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    def test_without_the_option_there_is_none(self, fixture: Fixture) -> None:
        assert fixture.open(None) is None
        assert fixture.log.lines == []

    def test_a_folder_that_cannot_be_made_is_one_error(self, fixture: Fixture) -> None:
        (fixture.folder / "file").write_text("")
        assert fixture.open(fixture.folder / "file" / "below") is None
        assert fixture.log.lines == ["error [assay] offline_store is not used: Not a directory"]


class TestKeeping:
    def test_writes_a_line_per_event_for_its_owner_alone_and_neither_key_nor_temporary_file(
        self, fixture: Fixture
    ) -> None:
        assert fixture.make().keep([event("a"), event("b")]) == 0
        (name,) = fixture.names
        path = fixture.folder / name
        assert path.read_bytes() == to_spill_line(event("a")) + to_spill_line(event("b"))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert "svc_pk_1" not in name
        assert parse_spill_name(name, name.split("-")[1]) is not None

    def test_of_nothing_is_no_file(self, fixture: Fixture) -> None:
        assert fixture.make().keep([]) == 0
        assert fixture.names == []

    def test_ends_at_10_mib_the_oldest_come_first(self, fixture: Fixture) -> None:
        store = fixture.make()
        assert store.keep([event(str(i), 1_000_000) for i in range(15)]) == 5
        assert store.keep([event("one", 1_000_000)]) == 1
        assert fixture.make("svc_pk_2").keep([event("other key", 1_000_000)]) == 0
        assert ids(store.take()) == [str(i) for i in range(10)]
        # Claimed files do not count: they will be deleted soon.
        assert store.keep([event("now", 1_000_000)]) == 0

    def test_in_a_folder_that_is_gone_keeps_nothing_and_says_so_once(self, fixture: Fixture) -> None:
        store = fixture.make()
        fixture.folder.rmdir()
        assert store.keep([event("a")]) == 1
        assert store.take() == []
        assert fixture.log.lines == ["warning [assay] offline_store fails, No such file or directory: 1"]
        fixture.folder.mkdir()

    def test_is_safe_for_many_threads(self, fixture: Fixture) -> None:
        store = fixture.make()
        threads = [threading.Thread(target=store.keep, args=([event(str(i))],)) for i in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(fixture.names) == 20


class TestReplay:
    def test_takes_the_oldest_file_first_one_at_a_time(self, fixture: Fixture) -> None:
        store = fixture.make()
        for n in range(12):
            store.keep([event(str(n))])
        taken = []
        for _ in range(12):
            taken += ids(store.take())
            store.release()
        assert taken == [str(n) for n in range(12)]
        assert (store.take(), fixture.names) == ([], [])

    def test_gives_the_event_back_byte_for_byte(self, fixture: Fixture) -> None:
        store = fixture.make()
        time = "2026-07-06T11:00:00.5+01:00"
        row = f'{{"timestamp":"{time}","n":1e400,"event_id":"\u00e9","big":12345678901234567}}'
        store.keep([KeptEvent("\u00e9", 0, row.encode())])
        assert store.take() == [KeptEvent("\u00e9", 1_783_332_000_500, row.encode())]

    def test_is_not_seen_by_another_client_and_can_be_given_back(self, fixture: Fixture) -> None:
        first, second = fixture.make(), fixture.make()
        first.keep([event("a")])
        before = fixture.names
        assert ids(first.take()) == ["a"]
        assert second.take() == []
        first.give_back()
        assert fixture.names == before
        assert ids(second.take()) == ["a"]

    def test_of_a_race_goes_to_one_of_many(self, fixture: Fixture) -> None:
        fixture.make().keep([event("a")])
        taken: List[str] = []
        threads = [
            threading.Thread(target=lambda: taken.extend(ids(fixture.make().take()))) for _ in range(10)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert taken == ["a"]

    def test_is_fresh_when_it_is_claimed_and_touched(self, fixture: Fixture) -> None:
        store = fixture.make()
        store.keep([event("a")])
        age(fixture.folder / fixture.names[0], 5_000)
        store.take()
        claim = fixture.folder / fixture.names[0]
        assert time.time() - claim.stat().st_mtime < 100
        age(claim, 500)
        store.touch()
        assert time.time() - claim.stat().st_mtime < 100

    def test_of_the_parent_is_left_alone_by_a_forked_child(
        self, fixture: Fixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = fixture.make()
        store.keep([event("a")])
        store.take()
        before = fixture.names
        monkeypatch.setattr(_file_store.os, "getpid", lambda: 4_000_000)
        store.reset_after_fork()
        store.release()
        store.give_back()
        assert (store.take(), fixture.names) == ([], before)

    def test_with_a_clock_that_raises_is_put_off(self, fixture: Fixture) -> None:
        fixture.make().keep([event("a")])

        def broken() -> float:
            raise KeyError("no clock")

        store = fixture.make(now=broken)
        assert store.take() == []
        assert fixture.names[0].startswith("spill-")

    @pytest.mark.skipif(IS_ROOT, reason="root may read everything")
    def test_of_a_file_that_cannot_be_read_is_none(self, fixture: Fixture) -> None:
        store = fixture.make()
        store.keep([event("a")])
        (fixture.folder / fixture.names[0]).chmod(0)
        assert store.take() == []


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(str(path), (then, then))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "null",
        '{"v":1}',
        '{"v":true,"event":{"event_id":"a","timestamp":"2026-07-06T11:00:00Z"}}',
        '{"v":2,"event":{"event_id":"a","timestamp":"2026-07-06T11:00:00Z"}}',
        '{"v":1,"event":{"event_id":1,"timestamp":"2026-07-06T11:00:00Z"}}',
        '{"v":1,"event":{"event_id":"a","timestamp":"yesterday"}}',
        '{"v":1,"event":{"event_id":"a","timestamp":"2026-07-06T11:00:00Z","n":NaN}}',
        '{"v":1,"event":' + "[" * 100_000,
    ],
)
def test_a_line_that_is_no_event_is_none(line: str) -> None:
    assert parse_spill_line(line) is None


def test_a_line_written_otherwise_is_read_too() -> None:
    line = '{ "event": {"event_id":"a", "timestamp":"2026-07-06T11:00:00Z","s":"\\ud800"}, "x": 1, "v": 1 }'
    parsed = parse_spill_line(line)
    assert parsed is not None
    assert parsed.row == b'{"event_id":"a","timestamp":"2026-07-06T11:00:00Z","s":"\\ud800"}'


@pytest.mark.parametrize(
    "name, claimant",
    [
        ("spill-0123456789abcdef-1-2-3.ndjson", None),
        ("claim-0123456789abcdef-7-8-1-2-3.ndjson", "7-8"),
        ("spill-0123456789abcdef-1-2-3.ndjson.tmp", None),
    ],
)
def test_names_are_read(name: str, claimant: Any) -> None:
    parsed = parse_spill_name(name, "0123456789abcdef")
    assert parsed is not None
    assert (parsed.claimant, parsed.origin) == (claimant, "1-2-3")
    assert parsed.is_whole == (not name.endswith(".tmp"))


@pytest.mark.parametrize(
    "name",
    [
        "spill-0123456789abcdee-1-2-3.ndjson",
        "spill-0123456789abcdef-7-8-1-2-3.ndjson",
        "claim-0123456789abcdef-1-2-3.ndjson",
        "spill-0123456789abcdef-1-2.ndjson",
        "spill-0123456789abcdef-1-2-3.ndjson\n",
        "spill-0123456789abcdef-1-2-\u0663.ndjson",
        "xspill-0123456789abcdef-1-2-3.ndjson",
    ],
)
def test_other_names_are_not(name: str) -> None:
    assert parse_spill_name(name, "0123456789abcdef") is None
