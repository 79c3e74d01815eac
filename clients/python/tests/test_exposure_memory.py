from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._config_snapshot import ConfigVariant
from assay._exposure_memory import ExposureMemory

SHORT = ConfigVariant("e", "short", None, {})
LONG = ConfigVariant("e", "long", None, {})


def test_claims_once_within_the_window_around_now() -> None:
    memory = ExposureMemory(600, 100)
    assert memory.claim(SHORT, "u", 1000)
    for now in (1000, 1599.999, 400.001):
        assert not memory.claim(SHORT, "u", now)
    assert memory.claim(SHORT, "u", 1600)
    assert memory.claim(SHORT, "u", 900)


def test_keeps_users_and_variants_apart() -> None:
    memory = ExposureMemory(600, 100)
    assert memory.claim(SHORT, "u", 0)
    assert memory.claim(LONG, "u", 0)
    assert memory.claim(SHORT, "v", 0)
    assert memory.claim(SHORT._replace(experiment_id="f"), "u", 0)


def test_knows_the_variant_of_another_config_version_again() -> None:
    memory = ExposureMemory(600, 100)
    assert memory.claim(SHORT, "u", 0)
    assert not memory.claim(SHORT._replace(prompt="New.", variables={"a": 1}), "u", 0)


def test_a_user_who_is_looked_up_does_not_lengthen_the_window() -> None:
    memory = ExposureMemory(600, 4)
    assert memory.claim(SHORT, "u", 0)
    for i in range(2):
        memory.claim(SHORT, f"other-{i}", 0)
    assert not memory.claim(SHORT, "u", 599)
    assert memory.claim(SHORT, "u", 600)


def test_a_forgotten_claim_can_be_made_again() -> None:
    memory = ExposureMemory(600, 4)
    for generation in range(2):
        memory.claim(SHORT, "u", 0)
        for i in range(generation * 2):
            memory.claim(SHORT, f"other-{i}", 0)
        memory.forget(SHORT, "u")
        assert memory.claim(SHORT, "u", 0)


@given(st.lists(st.integers(0, 12), max_size=80), st.sampled_from([2, 4, 6]))
def test_remembers_at_most_its_capacity_and_always_the_last_half_of_it(users: list, capacity: int) -> None:
    memory = ExposureMemory(600, capacity)
    for i, user in enumerate(users):
        last = list(dict.fromkeys(reversed(users[:i])))[: capacity // 2]
        is_new = memory.claim(SHORT, str(user), 0)
        if user in last:
            assert not is_new
        if user not in users[:i]:
            assert is_new
        assert len({*memory._young, *memory._old}) <= capacity


class Yielding(str):
    """A string that lets other threads run at each look-up."""

    def __hash__(self) -> int:
        time.sleep(0)
        return str.__hash__(self)


def test_one_of_many_threads_gets_the_claim() -> None:
    memory = ExposureMemory(600, 20_000)
    start = threading.Barrier(8)
    won = []

    def claim_all() -> None:
        start.wait()
        won.extend(user for user in range(300) if memory.claim(SHORT, Yielding(user), 0))

    threads = [threading.Thread(target=claim_all) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == list(range(300))


def test_code_that_runs_inside_may_come_back() -> None:
    memory = ExposureMemory(600, 20_000)

    class Returning(str):
        def __hash__(self) -> int:
            memory.forget(SHORT, "other")
            return str.__hash__(self)

    thread = threading.Thread(target=memory.claim, args=(SHORT, Returning("u"), 0), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_can_claim_while_a_thread_of_the_parent_holds_the_lock() -> None:
    memory = ExposureMemory(600, 4)
    release = threading.Event()
    is_held = threading.Event()

    def hold() -> None:
        with memory._lock:
            is_held.set()
            release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        os._exit(0 if memory.claim(SHORT, "u", 0) else 1)
    _, status = os.waitpid(child, 0)
    release.set()
    holder.join()
    assert status == 0
