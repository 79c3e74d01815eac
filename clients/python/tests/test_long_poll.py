"""A client whose requests for the config wait for a change, on real threads."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import Any, Iterator

import pytest
from recording_service import RecordingService
from sample_config import sample_config
from test_background import Owner, ended, event, make, needs_fork, threads, until
from test_processes import run

from assay._background import Background

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
# A request waits for 30 s, so what takes less was not held up by it.
SOON = 15.0


@pytest.fixture
def service() -> Iterator[RecordingService]:
    service = RecordingService()
    service.publish(sample_config(1), '"1"')
    yield service
    service.stop()


def waiting(service: RecordingService, **options: Any) -> Background:
    """Makes a client with an open wait."""
    background = make(service, long_poll=True, **options)
    until(lambda: service.waiting == 1)
    return background


def version(background: Background) -> int:
    assert background.snapshot is not None
    return int(background.snapshot.version)


def test_a_change_arrives_at_once_and_the_next_one_too(service: RecordingService) -> None:
    background = waiting(service)
    for number in (2, 3):
        until(lambda: service.waiting == 1)
        service.publish(sample_config(number), f'"{number}"')
        until(lambda number=number: version(background) == number, SOON)  # type: ignore[misc]
    background.close(5.0)


def test_closing_does_not_wait_for_a_change(service: RecordingService) -> None:
    background = waiting(service)
    background.add(event(1))
    began = time.monotonic()
    assert background.close(5.0)
    until(lambda: threads() == [], SOON)
    assert time.monotonic() - began < SOON
    assert service.ids == {"e1": 1}


def test_a_dropped_client_does_not_wait_for_a_change(service: RecordingService) -> None:
    owner = Owner(service, long_poll=True)
    until(lambda: service.waiting == 1)
    began = time.monotonic()
    del owner
    gc.collect()
    until(lambda: threads() == [], SOON)
    assert time.monotonic() - began < SOON


def test_a_full_queue_goes_to_the_store_while_both_requests_hang(
    service: RecordingService, tmp_path: Path
) -> None:
    service.is_silent = True
    background = waiting(service, offline_store=str(tmp_path))
    for number in range(25_000):
        assert background.add(event(number))
        if number % 1_000 == 0:
            until(lambda: not background._driver.delivery.has_overflow, 5.0)
    assert background._driver.is_busy
    assert service.waiting == 1
    assert len(list(tmp_path.glob("spill-*.ndjson"))) >= 2
    background.close(0.1)


@needs_fork
def test_parent_and_child_wait_each_on_its_own_connection(service: RecordingService) -> None:
    background = waiting(service)
    pid = os.fork()
    if pid == 0:
        is_fine = False
        try:
            background.ensure_running()
            until(lambda: version(background) == 2, SOON)
            is_fine = background.close(5.0)
        finally:
            os._exit(0 if is_fine else 1)
    until(lambda: service.waiting == 2, SOON)
    service.publish(sample_config(2), '"2"')
    assert ended(pid) == 0
    until(lambda: version(background) == 2, SOON)
    background.close(5.0)


@pytest.mark.parametrize("how", ["end", "close"])
def test_a_process_does_not_wait_for_a_change(service: RecordingService, how: str) -> None:
    code, errors, seconds = run(service, "waits.py", how)
    assert (code, errors, service.ids) == (0, "", {"e": 1})
    assert seconds < SOON
