"""The threads of a client: what they keep alive, what they survive, and that they end."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest
from core_fixture import settings_of
from recorded_log import RecordedLog
from recording_service import RecordingService

from assay import _background, _process_hooks
from assay._background import Background
from assay._event_row import KeptEvent

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def service() -> Iterator[RecordingService]:
    service = RecordingService()
    yield service
    service.stop()


def make(service: RecordingService, on_load: Callable[[], None] = lambda: None, **options: Any) -> Background:
    log = options.pop("log", RecordedLog())
    given = {
        "api_key": "svc_pk_b",
        "base_url": service.url,
        "flush_interval": 60.0,
        "poll_interval": 60.0,
        "offline_store": None,
        "logger": log.logger,
        **options,
    }
    return Background(settings_of(**given), on_load)


def event(number: int) -> KeptEvent:
    return KeptEvent(f"e{number}", 0, f'{{"event_id":"e{number}"}}'.encode())


def threads() -> List[str]:
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("assay-"))


def until(condition: Callable[[], object], timeout: float = 30.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "this never came true"
        time.sleep(0.005)


def test_the_sender_starts_with_the_first_event_and_both_end_with_close(service: RecordingService) -> None:
    until(lambda: threads() == [])
    background = make(service)
    assert background.wait_for(30.0, lambda: True if background.snapshot else None)
    assert threads() == ["assay-config"]
    assert background.add(event(1))
    assert threads() == ["assay-config", "assay-sender"]
    assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("assay-"))
    assert background.close(5.0)
    until(lambda: threads() == [])
    assert service.ids == {"e1": 1}
    assert not background.add(event(2))
    assert background.close(5.0)


def test_track_never_waits_for_a_service_that_hangs_and_the_full_queue_goes_to_the_store(
    service: RecordingService, tmp_path: Path
) -> None:
    service.is_silent = True
    background = make(service, offline_store=str(tmp_path))
    longest = 0.0
    for number in range(25_000):
        began = time.perf_counter()
        assert background.add(event(number))
        longest = max(longest, time.perf_counter() - began)
        if number % 1_000 == 0:
            # While the caller does other work, the older half is written although the request hangs.
            until(lambda: not background._driver.delivery.has_overflow)
    assert longest < 5
    assert background._driver.is_busy
    assert len(list(tmp_path.glob("spill-*.ndjson"))) >= 2
    assert not background.close(0.1)
    kept = sum(path.read_bytes().count(b"\n") for path in tmp_path.glob("spill-*.ndjson"))
    assert kept == 25_000


def test_a_flush_covers_what_was_tracked_before_it_from_any_thread(service: RecordingService) -> None:
    background = make(service)
    results: List[bool] = []

    def work(first: int) -> None:
        for number in range(first, first + 500):
            background.add(event(number))
        results.append(background.flush(20.0))

    workers = [threading.Thread(target=work, args=(first,)) for first in range(0, 4_000, 500)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [True] * 8
    assert (len(service.ids), set(service.ids.values())) == (4_000, {1})
    background.close(5.0)


def test_a_newer_config_version_in_an_acknowledgement_loads_the_config(
    service: RecordingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_background.random, "random", lambda: 0.0)
    background = make(service)
    assert service.asked(1)
    until(lambda: background.snapshot)
    with background._driver.lock:
        background._note_version(2)
    assert service.asked(2)
    background.close(5.0)


def test_close_from_many_threads_ends_once_and_for_all(service: RecordingService) -> None:
    background = make(service)
    background.add(event(1))
    results: List[bool] = []
    closers = [threading.Thread(target=lambda: results.append(background.close(5.0))) for _ in range(10)]
    for closer in closers:
        closer.start()
    for closer in closers:
        closer.join()
    assert results == [True] * 10
    assert service.ids == {"e1": 1}


def test_a_signal_handler_may_call_in_while_its_thread_holds_the_lock(service: RecordingService) -> None:
    background = make(service)
    with background._driver.lock:
        assert background.add(event(1))
        assert background.flush(30.0)
    background.close(5.0)


def test_a_logger_that_calls_in_and_one_that_raises_do_no_harm(service: RecordingService) -> None:
    service.status = 400
    log = RecordedLog()
    background = make(service, log=log)
    log.logger.addFilter(lambda record: background.add(event(2)) or 1 / 0)
    background.add(event(1))
    assert not background.flush(5.0)
    background.close(5.0)


def test_where_no_thread_can_be_started_flush_and_close_send_on_their_own(
    service: RecordingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if thread.name.startswith("assay-"):
            raise RuntimeError("can't start new thread at interpreter shutdown")
        original(thread)

    log = RecordedLog()
    monkeypatch.setattr(threading.Thread, "start", start)
    background = make(service, log=log)
    background.add(event(1))
    assert background.flush(30.0)
    background.add(event(2))
    assert background.close(5.0)
    assert service.ids == {"e1": 1, "e2": 1}
    assert log.lines == ["error [assay] no thread could be started"]


def test_the_end_of_the_process_passes_by_a_lock_that_is_never_let_go(service: RecordingService) -> None:
    background = make(service)
    is_held = threading.Event()
    is_over = threading.Event()

    def hold() -> None:
        with background._driver.lock:
            is_held.set()
            is_over.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait(60)
    began = time.monotonic()
    background.begin_last_flush()
    background.finish(began + 0.5)
    assert time.monotonic() - began < 80
    is_over.set()
    holder.join()
    background.close(1.0)


class Owner:
    """What a client is to its threads."""

    def __init__(self, service: RecordingService, **options: Any) -> None:
        self.background = make(service, self.note_loaded, **options)

    def note_loaded(self) -> None:
        pass


def test_a_client_that_is_dropped_is_collected_its_events_leave_and_its_threads_end(
    service: RecordingService,
) -> None:
    owner = Owner(service)
    background = owner.background
    until(lambda: background.snapshot)
    for number in range(10):
        owner.background.add(event(number))
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
    assert service.received(10)
    until(lambda: threads() == [])


def test_a_dropped_client_that_sent_nothing_ends_too(service: RecordingService) -> None:
    owner = Owner(service)
    background = owner.background
    until(lambda: background.snapshot)
    del owner
    gc.collect()
    until(lambda: threads() == [])


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts files as Linux shows them")
def test_a_thousand_clients_leave_no_thread_file_or_guest_behind(service: RecordingService) -> None:
    for number in range(20):
        use_once(service, number)
    until(lambda: threads() == [])
    gc.collect()
    files, guests = open_files(), len(_process_hooks._guests)
    for number in range(1_000):
        use_once(service, number)
    until(lambda: threads() == [])
    gc.collect()
    assert len(_process_hooks._guests) <= guests
    # The service in this process closes its ends once it notices.
    until(lambda: open_files() <= files + 5)


def use_once(service: RecordingService, number: int) -> None:
    background = make(service)
    background.add(event(number))
    assert background.close(10.0)


@needs_fork
@pytest.mark.parametrize("lock", ["delivery", "log"])
def test_a_lock_held_across_a_fork_is_free_in_the_child(
    service: RecordingService, tmp_path: Path, lock: str
) -> None:
    background = make(service, offline_store=str(tmp_path))
    until(lambda: background.snapshot)
    is_held, is_over = threading.Event(), threading.Event()

    def hold() -> None:
        with background._log._lock if lock == "log" else background._driver.lock:
            is_held.set()
            is_over.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait(60)
    pid = os.fork()
    if pid == 0:
        is_fine = False
        try:
            background.add(event(os.getpid()))
            background._log.count("said in the child")
            is_fine = background.snapshot is not None and background.flush(10.0) and background.close(5.0)
        finally:
            os._exit(0 if is_fine else 1)
    try:
        assert ended(pid) == 0
        assert service.ids == {f"e{pid}": 1}
    finally:
        is_over.set()
        holder.join()
        background.close(5.0)


@needs_fork
def test_a_child_lets_go_of_the_connection_and_the_parent_keeps_it(service: RecordingService) -> None:
    background = make(service)
    background.add(event(1))
    assert background.flush(30.0)
    connection = background._transports[0]._connection
    assert connection is not None
    number = connection.http.sock.fileno()
    pid = os.fork()
    if pid == 0:
        try:
            os.fstat(number)
        except OSError:
            os._exit(0)
        os._exit(1)
    assert ended(pid) == 0
    connections = service.connections
    background.add(event(2))
    assert background.flush(30.0)
    assert service.connections == connections
    background.close(5.0)


@needs_fork
def test_a_child_forked_in_the_middle_of_a_request_sends_on_a_connection_of_its_own(
    service: RecordingService,
) -> None:
    service.is_silent = True
    background = make(service)
    background.add(event(1))
    threading.Thread(target=background.flush, args=(5.0,), daemon=True).start()
    until(lambda: background._driver.is_busy)
    until(lambda: service.connections >= 2)
    other = RecordingService()
    pid = os.fork()
    if pid == 0:
        is_fine = False
        try:
            background._transports[0]._base_url = other.url
            # Empty: the parent delivers its own.
            is_fine = background.flush(0.0) and background.add(event(2)) and background.flush(10.0)
        finally:
            os._exit(0 if is_fine else 1)
    try:
        assert ended(pid) == 0
        assert other.ids == {"e2": 1}
        # Whatever the child did, the parent's request goes on.
        assert background._driver.is_busy
    finally:
        other.stop()
        background.close(0.1)


def ended(pid: int, timeout: float = 25.0) -> int:
    """Waits for a child. A hanging child is killed and counts as a failure."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return -1
