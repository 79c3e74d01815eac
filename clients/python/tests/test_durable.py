"""`durable=True`: tracked events survive the process, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any, Iterator, List

import pytest
from core_fixture import MakeCore
from recording_service import RecordingService
from test_processes import run, start

from assay import Assay

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no locks of this kind")
PAYLOAD = {"experiment_id": "x", "user_id": "u"}


@pytest.fixture
def service() -> Iterator[RecordingService]:
    service = RecordingService()
    yield service
    service.stop()


def journals(folder: Path) -> List[str]:
    return sorted(path.name for path in folder.glob("claim-*.ndjson"))


@pytest.mark.parametrize("count, is_outage", [(2, False), (2, True), (2_300, True)])
def test_events_survive_kill_9_and_the_next_process_sends_them_at_once(
    service: RecordingService, tmp_path: Path, count: int, is_outage: bool
) -> None:
    service.status = 503 if is_outage else 202
    code, errors, _ = run(service, "durable.py", tmp_path, count)
    assert code == -9, errors
    service.status = 202
    process = start(service, "replay.py", tmp_path)
    wanted = {f"{thread}-{i}" for thread in range(2) for i in range(count)}
    assert service.received(len(wanted))
    process.communicate("\n", timeout=120)
    assert set(service.ids) == wanted
    assert list(tmp_path.glob("*.ndjson*")) == []


def test_what_is_acknowledged_leaves_no_file(make_core: MakeCore, tmp_path: Path) -> None:
    core = make_core(offline_store=tmp_path, durable=True)
    core.service.is_silent = True
    for i in range(2_500):
        core.client.track("business_event", {**PAYLOAD, "event_id": f"e{i}"})
    assert len(journals(tmp_path)) == 3
    assert (tmp_path / journals(tmp_path)[0]).stat().st_mode & 0o777 == 0o600
    core.service.speak()
    assert core.client.flush(30)
    assert journals(tmp_path) == []
    core.client.track("business_event", {**PAYLOAD, "event_id": "late"})
    assert len(journals(tmp_path)) == 1
    core.client.close()
    assert list(tmp_path.glob("*.ndjson*")) == []
    assert len(core.service.ids) == 2_501


def test_a_file_stays_until_all_of_it_is_answered_for(make_core: MakeCore, tmp_path: Path) -> None:
    core = make_core(offline_store=tmp_path, durable=True)
    core.service.is_silent = True
    core.client.track("business_event", {**PAYLOAD, "event_id": "first"})
    assert not core.client.flush(0.2)
    assert len(journals(tmp_path)) == 1
    core.service.speak()
    assert core.client.flush(30)
    assert journals(tmp_path) == []


def test_a_live_process_keeps_its_file_even_if_it_looks_stale(make_core: MakeCore, tmp_path: Path) -> None:
    core = make_core(offline_store=tmp_path, durable=True)
    core.client.track("business_event", {**PAYLOAD, "event_id": "mine"})
    (name,) = journals(tmp_path)
    os.utime(str(tmp_path / name), (0, 0))
    core.service.publish(core.client.config_snapshot())
    process = start(core.service, "replay.py", tmp_path)
    process.communicate("\n", timeout=120)
    assert process.returncode == 0
    assert journals(tmp_path) == [name]
    assert core.service.ids == {}


def test_a_forked_child_leaves_the_file_to_its_parent(make_core: MakeCore, tmp_path: Path) -> None:
    core = make_core(offline_store=tmp_path, durable=True)
    core.client.track("business_event", {**PAYLOAD, "event_id": "parent"})
    (name,) = journals(tmp_path)
    child = os.fork()
    if child == 0:
        core.client.track("business_event", {**PAYLOAD, "event_id": "child"})
        os._exit(0 if len(journals(tmp_path)) == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert name in journals(tmp_path)
    assert core.client.flush(30)
    assert name not in journals(tmp_path)
    # The child's own file may already have been taken over, because the child is gone.
    assert core.service.ids["parent"] == 1
    assert set(core.service.ids) <= {"parent", "child"}


def test_in_an_outage_it_ends_as_any_other(make_core: MakeCore, tmp_path: Path) -> None:
    core = make_core(offline_store=tmp_path, durable=True)
    core.service.status = 503
    core.client.track("business_event", {**PAYLOAD, "event_id": "kept"})
    core.client.close(0.1)
    assert journals(tmp_path) == []
    (spill,) = tmp_path.glob("spill-*.ndjson")
    assert b'"kept"' in spill.read_bytes()


def test_a_full_disk_is_a_warning_and_the_event_is_sent(
    make_core: MakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = make_core(offline_store=tmp_path, durable=True)

    def fail(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("assay._journal.to_spill_line", fail)
        core.client.track("business_event", {**PAYLOAD, "event_id": "sent"})
    assert [row["event_id"] for row in core.rows] == ["sent"]
    assert any("event is not durable, No space left on device: 1" in line for line in core.lines)


def test_without_a_folder_that_can_be_used_the_constructor_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (None, tmp_path / "file"):
        with pytest.raises(ValueError, match="offline_store"):
            Assay(api_key="k", base_url="http://127.0.0.1:1", offline_store=folder, durable=True)
