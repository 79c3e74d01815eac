from __future__ import annotations

import asyncio
import math
import os
import threading
from typing import Any, Dict, List

import pytest
from core_fixture import MakeCore
from sample_config import EXPERIMENT_ID, sample_config

PAYLOAD = {"experiment_id": "greeting", "user_id": "u"}


def users_of(rows: List[Any]) -> List[str]:
    return [row["user_id"] for row in rows]


def config_with(name: str) -> Dict[str, Any]:
    """The sample config's next version, which has another experiment."""
    config = sample_config(2)
    config["experiments"] += sample_config(name=name, id=f"{name}-id")["experiments"]
    return config


def test_assign_is_none_until_the_config_is_loaded_and_says_so_once_a_minute(make_core: MakeCore) -> None:
    core = make_core(bootstrap=None)
    assert [core.client.assign("greeting", "u") for _ in range(3)] == [None] * 3
    assert core.client.find_assignment("greeting", "u") is None
    assert core.lines == ["warning [assay] assigned null, config not loaded: 1"]
    core.service.publish(sample_config())
    assert core.client.wait_ready(30)
    assert core.client.assign("greeting", "u") == "short"
    core.client.close()
    assert core.lines[1:] == ["warning [assay] assigned null, config not loaded: 3"]


def test_the_service_is_told_once_how_often_there_was_no_config(make_core: MakeCore) -> None:
    core = make_core(bootstrap=None)
    for _ in range(3):
        core.client.assign("greeting", "u")
    core.client.find_assignment("greeting", "u")
    core.service.publish(sample_config())
    assert core.client.wait_ready(30)
    for user in "ab":
        assert core.client.assign("greeting", user) == "short"
        assert core.client.flush()
    assert [batch.get("client") for batch in core.service.batches] == [{"null_before_ready": 4}, None]


def test_a_bootstrap_that_is_no_config_is_an_error_and_the_service_gives_one(make_core: MakeCore) -> None:
    core = make_core(bootstrap={"experiments": 5})
    assert core.lines == ["error [assay] bootstrap is invalid"]
    assert core.client.assign("greeting", "u") is None
    core.service.publish(sample_config())
    assert core.client.wait_ready(30)
    assert core.client.assign("greeting", "u") == "short"


def test_assign_records_one_exposure_by_the_canonical_id_for_name_and_id_alike(make_core: MakeCore) -> None:
    core = make_core(new_id=lambda: "id-1")
    for experiment in ("greeting", EXPERIMENT_ID, "greeting"):
        assert core.client.assign(experiment, "u") == "short"
    core.client.get_prompt("greeting", "u", "")
    core.client.get_variables("greeting", "u", {})
    assert core.rows == [
        {
            "event_id": "id-1",
            "type": "exposure",
            "experiment_id": EXPERIMENT_ID,
            "user_id": "u",
            "variant": "short",
            "timestamp": "2026-07-06T12:00:00.000Z",
        }
    ]


def test_assign_records_again_after_10_minutes_and_for_another_user(make_core: MakeCore) -> None:
    core = make_core()
    core.client.assign("greeting", "a")
    core.now += 599.999
    core.client.assign("greeting", "a")
    core.client.assign("greeting", "b")
    core.now += 0.001
    core.client.assign("greeting", "a")
    assert users_of(core.rows) == ["a", "b", "a"]


def test_assign_does_not_record_again_under_a_new_config_version(make_core: MakeCore) -> None:
    core = make_core(experiments=["late"])
    core.client.assign("greeting", "u")
    core.service.publish(config_with("late"))
    assert core.client.wait_ready(30)
    assert core.client.assign("greeting", "u") == "short"
    assert users_of(core.rows) == ["u"]


def test_assign_records_later_what_found_the_queue_full(make_core: MakeCore) -> None:
    core = make_core()
    core.service.is_silent = True
    for _ in range(10_000):
        core.client.track("business_event", {"user_id": "u", "business_metric": "m"})
    assert core.client.assign("greeting", "u") == "short"
    assert core.lines == ["warning [assay] event dropped, queue is full: 1"]
    core.service.speak()
    assert not core.client.flush(30)
    assert len(core.rows) == 10_000
    for _ in range(2):
        core.client.assign("greeting", "u")
    assert [row["type"] for row in core.rows[10_000:]] == ["exposure"]


def test_assign_is_none_for_an_unknown_or_a_stopped_experiment_and_records_nothing(
    make_core: MakeCore,
) -> None:
    core = make_core(bootstrap=sample_config(status="stopped"))
    assert [core.client.assign(name, "u") for name in ("greeting", "unknown")] == [None, None]
    assert (core.rows, core.lines) == ([], ["warning [assay] config has no experiment unknown"])


def test_assign_warns_once_of_each_name_that_the_config_does_not_have_and_of_1000_at_most(
    make_core: MakeCore,
) -> None:
    core = make_core()
    for name in ("greting", "greting", "greetings"):
        assert core.client.assign(name, "u") is None
    assert core.lines == [
        f"warning [assay] config has no experiment {name}" for name in ("greting", "greetings")
    ]
    for index in range(2_000):
        core.client.assign(f"{index} {'x' * 10_000}", "u")
    assert len(core.lines) == 1_000
    assert max(map(len, core.lines)) < 400


def test_assign_without_the_name_of_an_experiment_is_counted(make_core: MakeCore) -> None:
    core = make_core()
    assert core.client.assign(None, "u") is None  # type: ignore[arg-type]
    assert core.lines == [
        "warning [assay] assigned null, experiment is not a str or user is not a str of 1-256 characters: 1"
    ]


def test_assign_records_nothing_when_told_so(make_core: MakeCore) -> None:
    core = make_core(track_exposures=False)
    assert core.client.assign("greeting", "u") == "short"
    assert core.rows == []


def test_assign_records_no_exposure_to_a_shipped_variant_which_everybody_gets(make_core: MakeCore) -> None:
    core = make_core(bootstrap=sample_config(shipped=True))
    assert core.client.assign("greeting", "u") == "short"
    assert core.client.get_prompt("greeting", "u", "").variant == "short"
    assert core.rows == []


def test_find_assignment_records_nothing(make_core: MakeCore) -> None:
    core = make_core()
    found = core.client.find_assignment("greeting", "u")
    assert found is not None
    assert (found.experiment_id, found.variant.key, found.variant.prompt) == (
        EXPERIMENT_ID,
        "short",
        "Be brief.",
    )
    assert core.rows == []


def test_of_20_000_users_at_most_and_10_000_at_least_the_exposure_is_remembered(make_core: MakeCore) -> None:
    core = make_core()
    for i in range(20_001):
        core.client.assign("greeting", f"user-{i}")
        if i % 5_000 == 0:
            assert core.client.flush()
    for i in [*range(10_001, 20_001), 0]:
        core.client.assign("greeting", f"user-{i}")
    assert users_of(core.rows) == [f"user-{i}" for i in [*range(20_001), 0]]


def test_track_sends_the_fields_as_given_with_an_id_made_once(make_core: MakeCore) -> None:
    ids = iter(["id-1", "id-2"])
    core = make_core(new_id=lambda: next(ids))
    core.client.track(
        "model_call", {"experiment_id": "greeting", "user_id": "u", "latency_ms": 12.5, "error": False}
    )
    assert core.rows == [
        {
            "experiment_id": "greeting",
            "user_id": "u",
            "latency_ms": 12.5,
            "error": False,
            "type": "model_call",
            "timestamp": "2026-07-06T12:00:00.000Z",
            "event_id": "id-1",
        }
    ]
    assert next(ids) == "id-2"


def test_after_close_track_does_nothing_and_assign_answers_without_exposures(make_core: MakeCore) -> None:
    core = make_core()
    assert core.client.close()
    for _ in range(3):
        core.client.track("exposure", PAYLOAD)
    assert core.client.assign("greeting", "u") == "short"
    assert core.rows == []
    assert core.lines == ["warning [assay] track after close ignored"]


def test_ready_waits_for_the_named_experiments_and_says_which_one_is_missing(make_core: MakeCore) -> None:
    core = make_core(bootstrap=None, experiments=["greeting", "other"], poll_interval=0.01)
    core.service.publish(sample_config())
    # A second poll means that the first answer was taken.
    assert core.service.asked(3)
    assert not core.client.wait_ready(0)
    core.service.publish(config_with("other"))
    assert core.client.wait_ready(30)
    assert core.lines == ["warning [assay] config has no experiment other"]


def test_ready_is_false_once_the_client_is_closed_before(make_core: MakeCore) -> None:
    core = make_core(bootstrap=None)
    results: List[bool] = []
    waiter = threading.Thread(target=lambda: results.append(core.client.wait_ready(math.inf)), daemon=True)
    waiter.start()
    core.client.close()
    waiter.join(60)
    assert results == [False]
    assert core.client.wait_ready() is False


def test_a_config_snapshot_begins_another_client(make_core: MakeCore) -> None:
    first = make_core()
    assert make_core(bootstrap=None).client.config_snapshot() is None
    second = make_core(bootstrap=first.client.config_snapshot())
    assert second.client.assign("greeting", "u") == "short"


@pytest.mark.parametrize("timeout", [3, None, "x", math.inf], ids=repr)
def test_any_timeout_leaves_time_for_an_answer(make_core: MakeCore, timeout: Any) -> None:
    core = make_core(bootstrap=None)
    core.service.publish(sample_config())
    assert core.client.wait_ready(timeout)
    core.client.track("exposure", PAYLOAD)
    assert core.client.flush(timeout)
    core.client.track("exposure", PAYLOAD)
    assert core.client.close(timeout)
    assert len(core.service.rows) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_assign_in_a_forked_child_starts_the_polling_again(make_core: MakeCore) -> None:
    core = make_core(track_exposures=False)
    assert core.service.asked(1)
    end, other_end = os.pipe()
    child = os.fork()
    if child == 0:
        is_assigned = False
        try:
            os.close(other_end)
            is_assigned = core.client.assign("greeting", "u") == "short"
            os.read(end, 1)
        finally:
            os._exit(0 if is_assigned else 1)
    try:
        assert core.service.asked(2)
    finally:
        os.close(other_end)
        os.close(end)
        _, status = os.waitpid(child, 0)
    assert status == 0


def test_with_closes_the_client(make_core: MakeCore) -> None:
    core = make_core()
    with core.client as client:
        assert client is core.client
        client.track("exposure", PAYLOAD)
    client.track("exposure", PAYLOAD)
    assert users_of(core.service.rows) == ["u"]
    assert core.lines == ["warning [assay] track after close ignored"]


def test_async_with_closes_the_client(make_core: MakeCore) -> None:
    core = make_core()

    async def use() -> None:
        async with core.client as client:
            assert await client.aassign("greeting", "a") == "short"
            await client.atrack("exposure", {**PAYLOAD, "user_id": "b"})
            assert await client.aflush(2)
            assert users_of(core.service.rows) == ["a", "b"]
            await client.atrack("exposure", {**PAYLOAD, "user_id": "c"})
        await client.atrack("exposure", PAYLOAD)

    asyncio.run(use())
    assert users_of(core.service.rows) == ["a", "b", "c"]
    assert core.lines == ["warning [assay] track after close ignored"]


def test_an_error_inside_with_comes_out_of_it(make_core: MakeCore) -> None:
    core = make_core()
    with pytest.raises(KeyError, match="own"), core.client as client:
        client.track("exposure", PAYLOAD)
        raise KeyError("own")
    assert len(core.service.rows) == 1


def test_aflush_leaves_the_event_loop_free(make_core: MakeCore) -> None:
    core = make_core()
    core.service.is_silent = True
    core.client.track("exposure", PAYLOAD)

    async def flush_and_speak() -> bool:
        flushing = asyncio.ensure_future(core.client.aflush())
        await asyncio.sleep(0)
        # If the loop were blocked, this would not run: the flush would have failed first.
        core.service.speak()
        return await flushing

    assert asyncio.run(flush_and_speak()) is True
    assert len(core.service.rows) == 1


def test_aflush_works_without_an_event_loop_of_asyncio(make_core: MakeCore) -> None:
    core = make_core()
    core.client.track("exposure", PAYLOAD)
    flushing = core.client.aflush()
    with pytest.raises(StopIteration) as end:
        flushing.send(None)
    assert end.value.value is True
    assert len(core.service.rows) == 1


def test_assign_and_track_from_8_threads(make_core: MakeCore) -> None:
    core = make_core()
    start = threading.Barrier(8)
    failures: List[BaseException] = []

    def work(number: int) -> None:
        try:
            start.wait()
            for i in range(500):
                assert core.client.assign("greeting", f"user-{i}") == "short"
                core.client.track("business_event", {"user_id": f"{number}-{i}", "business_metric": "m"})
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    rows = core.rows
    exposures = [row for row in rows if row["type"] == "exposure"]
    assert sorted(users_of(exposures)) == sorted(f"user-{i}" for i in range(500))
    assert len(rows) == 500 + 8 * 500
    assert len({row["event_id"] for row in rows}) == len(rows)
