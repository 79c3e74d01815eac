"""Clients in separate processes, and how the processes end and fork."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest
from recording_service import RecordingService

HERE = Path(__file__).resolve().parent
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


@pytest.fixture
def service() -> Iterator[RecordingService]:
    service = RecordingService()
    yield service
    service.stop()


def environment(service: RecordingService) -> Dict[str, str]:
    path = os.pathsep.join([str(HERE.parent / "src"), str(HERE / "processes")])
    return {**os.environ, "PYTHONPATH": path, "ASSAY_BASE_URL": service.url, "ASSAY_API_KEY": "svc_pk_p"}


def start(service: RecordingService, program: str, *args: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(HERE / "processes" / program)]
    return subprocess.Popen(
        [*command, *map(str, args)],
        env=environment(service),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )


def run(service: RecordingService, program: str, *args: object) -> Any:
    """Runs a program to its end; returns its exit code, its errors, and how long it took."""
    began = time.monotonic()
    process = start(service, program, *args)
    _, errors = process.communicate(timeout=240)
    return process.returncode, errors, time.monotonic() - began


def kept_in(folder: Path) -> List[str]:
    lines = [line for path in folder.glob("spill-*.ndjson") for line in path.read_text("utf-8").splitlines()]
    return [json.loads(line)["event"]["event_id"] for line in lines]


def files_of_events(folder: Path) -> List[str]:
    # The last config stays.
    return [path.name for path in folder.iterdir() if not path.name.startswith("config-")]


@pytest.mark.parametrize("how, code", [("end", 0), ("sys_exit", 3), ("error", 1), ("close", 0)])
def test_events_leave_however_the_process_ends(service: RecordingService, how: str, code: int) -> None:
    returned, errors, _ = run(service, "exits.py", how, 250)
    assert (returned, set(service.ids.values()), len(service.ids)) == (code, {1}, 250), errors
    assert ("nobody caught this" in errors) == (how == "error")
    assert "given up" not in errors


def test_of_9000_events_none_is_lost_at_the_end(service: RecordingService, tmp_path: Path) -> None:
    code, errors, _ = run(service, "exits.py", "end", 9_000, tmp_path)
    # On a busy machine, not all of them leave within 2 s.
    assert (code, len({*service.ids, *kept_in(tmp_path)})) == (0, 9_000), errors
    assert set(service.ids.values()) == {1}


def test_an_outage_does_not_hold_the_process_and_says_what_is_lost(service: RecordingService) -> None:
    service.status = 503
    code, errors, seconds = run(service, "exits.py", "end", 250)
    assert code == 0
    # By chance, all tries of the first batch may fit into the time.
    assert sum(map(int, re.findall(r"event given up, .*: (\d+)", errors))) == 250, errors
    assert seconds < 30


@pytest.mark.parametrize("how", ["end", "sys_exit", "error", "close"])
def test_an_outage_with_a_store_keeps_every_event(
    service: RecordingService, tmp_path: Path, how: str
) -> None:
    service.status = 503
    _, errors, seconds = run(service, "exits.py", how, 250, tmp_path)
    assert sorted(kept_in(tmp_path)) == sorted(f"{how}-{i}" for i in range(250)), errors
    assert seconds < 30


def test_a_service_that_never_answers_does_not_hold_the_process(
    service: RecordingService, tmp_path: Path
) -> None:
    service.is_silent = True
    code, errors, seconds = run(service, "exits.py", "end", 250, tmp_path)
    assert (code, len(kept_in(tmp_path))) == (0, 250), errors
    assert seconds < 30


def test_os_exit_loses_what_is_queued_and_nothing_hangs(service: RecordingService) -> None:
    code, _, _ = run(service, "exits.py", "os_exit", 5)
    assert (code, len(service.ids)) == (0, 0)


def test_what_a_killed_process_kept_is_sent_by_the_next(service: RecordingService, tmp_path: Path) -> None:
    service.status = 400 + 8  # tried again; five times take at most 15 s
    code, _, _ = run(service, "exits.py", "flush_kill", 30, tmp_path)
    assert (code, len(kept_in(tmp_path))) == (-9, 30)
    service.status = 202
    process = start(service, "replay.py", tmp_path)
    assert service.received(30)
    process.communicate("\n", timeout=120)
    assert set(service.ids.values()) == {1}
    assert files_of_events(tmp_path) == []


def test_two_processes_on_one_folder_send_each_event_once(service: RecordingService, tmp_path: Path) -> None:
    service.status = 503
    for part in ("end", "close", "sys_exit"):
        run(service, "exits.py", part, 300, tmp_path)
    service.status = 202
    processes = [start(service, "replay.py", tmp_path) for _ in range(2)]
    assert service.received(900)
    for process in processes:
        process.communicate("\n", timeout=120)
    assert (len(service.ids), set(service.ids.values())) == (900, {1})
    assert files_of_events(tmp_path) == []


@needs_fork
def test_a_forked_child_that_does_not_use_the_client_ends_without_a_word(service: RecordingService) -> None:
    code, errors, seconds = run(service, "exits.py", "fork", 150)
    assert (code, errors) == (0, "")
    assert (len(service.ids), set(service.ids.values())) == (150, {1})
    assert seconds < 30


@needs_fork
def test_a_forked_child_sends_its_own_events_and_the_parent_its_own(service: RecordingService) -> None:
    code, errors, _ = run(service, "fork.py")
    ids = service.ids
    tracked = Counter(key.split("-")[0] for key in ids)
    assert (code, tracked["parent"]) == (0, 50), errors
    assert [tracked[f"child{child}"] for child in range(5)] == [50] * 5
    assert set(ids.values()) == {1}


@pytest.mark.parametrize("where", ["", "module"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_send_before_they_end(
    service: RecordingService, method: str, where: str
) -> None:
    if method != "spawn" and not hasattr(os, "fork"):
        pytest.skip("the system has no fork")
    code, errors, _ = run(service, "pool.py", method, *([where] if where else []))
    wanted = {f"{child}-{i}" for child in range(3) for i in range(30)}
    if method == "fork":
        wanted.add("parent")
    assert (code, set(service.ids), set(service.ids.values())) == (0, wanted, {1}), errors


@needs_fork
def test_workers_of_gunicorn_use_the_client_of_the_application_they_were_forked_from(
    service: RecordingService,
) -> None:
    pytest.importorskip("gunicorn")
    command = [sys.executable, "-m", "gunicorn", "--preload", "-w", "2", "-b", "127.0.0.1:0", "gunicorn_app"]
    process = subprocess.Popen(
        command, env=environment(service), stderr=subprocess.PIPE, universal_newlines=True
    )
    try:
        assert process.stderr is not None
        listening = next(line for line in process.stderr if "Listening at" in line)
        url = listening.split("Listening at: ")[1].split()[0]
        answers = [ask(f"{url}/request-{i}") for i in range(60)]
        workers = {answer.split()[0] for answer in answers}
        assert {answer.split()[1] for answer in answers} == {"short"}
        assert service.received(60)
        # The last ones leave as the workers end.
        for i in range(60, 80):
            ask(f"{url}/request-{i}")
    finally:
        process.terminate()
        process.communicate(timeout=120)
    tracked = {key: times for key, times in service.ids.items() if key.startswith(("request", "master"))}
    assert sorted(tracked) == sorted([f"request-{i}" for i in range(80)] + [f"master-{process.pid}"])
    assert set(tracked.values()) == {1}
    assert str(process.pid) not in workers


def ask(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as response:
        return str(response.read().decode())


def test_greenlets_of_gevent(service: RecordingService) -> None:
    pytest.importorskip("gevent")
    code, errors, _ = run(service, "gevent_tasks.py")
    ids = {key: times for key, times in service.ids.items() if len(key) < 10}
    assert (code, len(ids), set(ids.values())) == (0, 1_000, {1}), errors


def test_tasks_of_asyncio(service: RecordingService) -> None:
    code, errors, _ = run(service, "asyncio_tasks.py")
    assert (code, len(service.ids), set(service.ids.values())) == (0, 2_000, {1}), errors
