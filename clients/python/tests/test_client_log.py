from __future__ import annotations

import logging
import threading
from typing import Any, List, Tuple

from recorded_log import RecordedLog

from assay._client_log import ClientLog


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def make_log() -> Tuple[ClientLog, List[str], Clock]:
    recorded = RecordedLog()
    clock = Clock()
    return ClientLog(recorded.logger, clock), recorded.lines, clock


def test_says_a_message_once() -> None:
    log, lines, _ = make_log()
    for _ in range(3):
        log.once("error", "the key is refused")
        log.once("warning", "100 %s")
    assert lines == ["error [assay] the key is refused", "warning [assay] 100 %s"]


def test_counts_at_once_and_then_together_at_the_end_of_each_minute() -> None:
    log, lines, clock = make_log()
    log.count("lost")
    log.count("lost", 2)
    log.count("lost", 3)
    clock.now += 59.9
    log.tick()
    assert lines == ["warning [assay] lost: 1"]
    assert log.next_tick() == 160.0
    clock.now += 0.1
    log.tick()
    log.count("lost", 4)
    assert lines == ["warning [assay] lost: 1", "warning [assay] lost: 5"]
    clock.now += 60
    log.tick()
    assert lines[2:] == ["warning [assay] lost: 4"]


def test_says_a_reason_at_once_again_after_a_minute_without_it() -> None:
    log, lines, clock = make_log()
    log.count("lost")
    assert log.next_tick() is None
    clock.now += 60
    log.count("lost")
    assert lines == ["warning [assay] lost: 1"] * 2


def test_needs_nobody_to_tick_as_long_as_something_is_counted() -> None:
    log, lines, clock = make_log()
    log.count("lost")
    log.count("lost", 6)
    clock.now += 61
    log.count("other")
    assert lines[1:] == ["warning [assay] lost: 6", "warning [assay] other: 1"]


def test_nothing_is_no_count() -> None:
    log, lines, _ = make_log()
    log.count("lost", 0)
    assert lines == []


def test_bounds_reasons_in_number_and_length() -> None:
    log, lines, _ = make_log()
    for i in range(100):
        log.count(f"{i} " + "x" * 1000)
    assert len(lines) == 51
    assert lines[50] == "warning [assay] other reasons: 1"
    assert max(map(len, lines)) < 230


def test_says_what_is_left_when_closed() -> None:
    log, lines, _ = make_log()
    log.count("lost")
    log.count("lost", 2)
    log.close()
    log.close()
    assert lines == ["warning [assay] lost: 1", "warning [assay] lost: 2"]
    assert log.next_tick() is None


def test_a_broken_logger_breaks_nobody() -> None:
    class Broken(logging.Logger):
        def warning(self, *_: Any, **__: Any) -> None:
            raise RuntimeError("disk full")

        error = warning

    log = ClientLog(Broken("broken"), Clock())
    log.once("warning", "a")
    log.once("error", "b")
    log.count("c")


def test_a_logger_may_come_back_to_the_client() -> None:
    recorded = RecordedLog()
    log = ClientLog(recorded.logger, Clock())

    class Reentrant(logging.Handler):
        def emit(self, _record: logging.LogRecord) -> None:
            log.count("lost")

    recorded.logger.addHandler(Reentrant())
    log.count("lost")
    log.close()
    # The handler counted the first line; what it counts while the log closes starts its own minute.
    assert recorded.lines[:2] == ["warning [assay] lost: 1", "warning [assay] lost: 1"]


def test_code_that_runs_inside_may_come_back() -> None:
    log, lines, _ = make_log()

    class Returning(str):
        def __hash__(self) -> int:
            log.count("lost")
            return str.__hash__(self)

    thread = threading.Thread(target=log.once, args=("warning", Returning("once")), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert lines == ["warning [assay] lost: 1", "warning [assay] once"]


def test_works_after_a_fork_in_which_another_thread_held_the_lock() -> None:
    log, lines, _ = make_log()
    thread = threading.Thread(target=log._lock.acquire)
    thread.start()
    thread.join()
    log.reset_after_fork()
    log.count("lost")
    assert lines == ["warning [assay] lost: 1"]
