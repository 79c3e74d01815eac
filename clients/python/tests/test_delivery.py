"""The delivery state machine where the vectors do not test it: the store, the bounds, the end."""

from __future__ import annotations

import json
from typing import Any, List, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._delivery import Delivery
from assay._delivery_steps import Keep, ReleaseReplay, Send, TakeReplay, TouchReplay, Wait
from assay._event_row import KeptEvent
from assay._retry_policy import Answer, no_answer, read_answer

ACCEPTED = read_answer(202, {}, b'{"accepted": 1}')
REFUSED = read_answer(400, {}, b"{}")
FAILED = no_answer("no answer")


def event(number: int, size: int = 0) -> KeptEvent:
    row = json.dumps({"event_id": f"e{number}", "filler": "x" * size}).encode()
    return KeptEvent(f"e{number}", 0, row)


def make(has_store: bool = True) -> Delivery:
    return Delivery(5_000.0, lambda: 0.5, has_store)


def fill(delivery: Delivery, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        assert delivery.add(event(number), 0.0)


def ids(step: Any) -> List[str]:
    if isinstance(step, Send):
        return [row["event_id"] for row in json.loads(step.body)["events"]]
    return [kept.event_id for kept in step.events]


def numbered(first: int, end: int) -> List[str]:
    return [f"e{number}" for number in range(first, end)]


def flushed(delivery: Delivery) -> Optional[bool]:
    outcome = delivery.flush()
    while outcome(0.0) is None:
        step = delivery.next_step(0.0)
        if isinstance(step, Send):
            delivery.answered(ACCEPTED, 0.0)
    return outcome(0.0)


def fail_five_times(delivery: Delivery) -> Keep:
    now = 0.0
    for _ in range(5):
        assert isinstance(delivery.next_step(now), Send)
        delivery.answered(FAILED, now)
        now += 20_000.0
    step = delivery.next_step(now)
    assert isinstance(step, Keep)
    return step


class TestStore:
    def test_takes_a_batch_after_five_tries_and_the_flush_is_false(self) -> None:
        delivery = make()
        fill(delivery, 3)
        outcome = delivery.flush()
        keep = fail_five_times(delivery)
        assert ids(keep) == numbered(0, 3)
        assert outcome(0.0) is None
        delivery.kept(keep, 1)
        assert outcome(0.0) is False
        assert list(delivery.notes) == [
            ("event kept for later, no answer, 5 times", 2),
            ("event given up, no answer, 5 times", 1),
        ]

    def test_is_not_asked_before_the_service_is_known_to_answer(self) -> None:
        delivery = make()
        assert delivery.next_step(0.0) == Wait(None)
        delivery.note_reachable()
        assert isinstance(delivery.next_step(0.0), TakeReplay)
        assert delivery.replayed([], 0.0)
        assert delivery.next_step(0.0) == Wait(None)

    def test_gives_one_portion_after_the_other_and_each_is_released_when_it_is_settled(self) -> None:
        delivery = make()
        delivery.note_reachable()
        for portion in range(2):
            assert isinstance(delivery.next_step(0.0), TakeReplay)
            assert delivery.replayed([event(portion)], 0.0)
            assert ids(delivery.next_step(0.0)) == [f"e{portion}"]
            delivery.answered(ACCEPTED, 0.0)
            assert isinstance(delivery.next_step(0.0), ReleaseReplay)
        assert isinstance(delivery.next_step(0.0), TakeReplay)

    def test_is_not_read_again_at_once_when_a_replay_fails(self) -> None:
        delivery = make()
        delivery.note_reachable()
        delivery.next_step(0.0)
        delivery.replayed([event(0)], 0.0)
        keep = fail_five_times(delivery)
        delivery.kept(keep, 0)
        assert isinstance(delivery.next_step(99_000.0), ReleaseReplay)
        assert delivery.next_step(99_000.0) == Wait(None)
        delivery.note_reachable()
        assert isinstance(delivery.next_step(99_000.0), TakeReplay)

    def test_hears_that_a_replay_goes_on(self) -> None:
        delivery = make()
        delivery.note_reachable()
        delivery.next_step(0.0)
        delivery.replayed([event(0)], 0.0)
        delivery.next_step(0.0)
        delivery.answered(read_answer(401, {}, b""), 0.0)
        assert delivery.next_step(1.0) == Wait(240_000.0)
        assert isinstance(delivery.next_step(240_000.0), TouchReplay)
        assert delivery.next_step(240_000.0) == Wait(300_000.0)

    def test_gets_what_is_left_at_the_end_the_batch_on_its_way_first(self) -> None:
        delivery = make()
        fill(delivery, 150)
        assert ids(delivery.next_step(0.0)) == numbered(0, 100)
        delivery.end("client closed")
        keep = delivery.next_step(0.0)
        assert ids(keep) == numbered(0, 150)
        assert delivery.answered(ACCEPTED, 0.0) is None
        assert not delivery.has_settled
        assert isinstance(keep, Keep)
        delivery.kept(keep, 0)
        assert delivery.has_settled
        assert not delivery.add(event(1), 0.0)

    def test_that_is_full_at_the_end_keeps_the_replay_rather_than_lose_some_of_it(self) -> None:
        delivery = make()
        delivery.note_reachable()
        delivery.next_step(0.0)
        delivery.replayed([event(0), event(1)], 0.0)
        delivery.end("client closed")
        keep = delivery.next_step(0.0)
        assert isinstance(keep, Keep)
        delivery.kept(keep, 1)
        # No release: the end of the process returns the claim.
        assert delivery.next_step(0.0) == Wait(None)

    def test_takes_a_replay_back_that_comes_after_the_end(self) -> None:
        delivery = make()
        delivery.note_reachable()
        delivery.next_step(0.0)
        delivery.end("client closed")
        assert not delivery.replayed([event(0)], 0.0)


class TestFullQueue:
    def test_moves_its_older_half_without_the_batch_on_its_way(self) -> None:
        delivery = make()
        fill(delivery, 10_000)
        assert ids(delivery.next_step(0.0)) == numbered(0, 100)
        assert delivery.add(event(10_000), 0.0)
        keep = delivery.take_keep()
        assert keep is not None
        assert ids(keep) == numbered(100, 5_050)
        assert delivery.take_keep() is None

    def test_is_bounded_while_the_disk_is_slower_than_the_caller(self) -> None:
        delivery = make()
        added = sum(delivery.add(event(number), 0.0) for number in range(30_000))
        assert added == 15_000
        keep = delivery.take_keep()
        assert keep is not None
        delivery.kept(keep, 0)
        assert delivery.add(event(1), 0.0)

    def test_without_a_store_drops_what_is_new(self) -> None:
        delivery = make(has_store=False)
        fill(delivery, 10_000)
        assert not delivery.add(event(1), 0.0)
        assert list(delivery.notes) == [("event dropped, queue is full", 1)]

    def test_makes_the_next_flush_false_for_what_did_not_fit(self) -> None:
        delivery = make(has_store=False)
        fill(delivery, 10_000)
        assert not delivery.add(event(10_000), 0.0)
        assert flushed(delivery) is False
        assert flushed(delivery) is True

    def test_holds_8_mib(self) -> None:
        delivery = make(has_store=False)
        added = sum(delivery.add(event(number, 1024 * 1024 - 100), 0.0) for number in range(10))
        assert added == 8

    def test_makes_the_next_flush_false_for_what_was_given_up_before_it(self) -> None:
        delivery = make(has_store=False)
        fill(delivery, 100)
        assert isinstance(delivery.next_step(0.0), Send)
        delivery.answered(REFUSED, 0.0)
        assert delivery.has_settled
        fill(delivery, 1)
        assert flushed(delivery) is False
        assert flushed(delivery) is True

    def test_is_no_reason_for_a_false_flush_once_the_store_has_it(self) -> None:
        delivery = make()
        fill(delivery, 10_001)
        keep = delivery.take_keep()
        assert keep is not None
        delivery.kept(keep, 0)
        assert flushed(delivery) is True

    def test_makes_a_flush_false(self) -> None:
        delivery = make()
        fill(delivery, 10_001)
        outcome = delivery.flush()
        keep = delivery.take_keep()
        assert keep is not None
        delivery.kept(keep, 0)
        while not delivery.has_settled:
            if isinstance(delivery.next_step(0.0), Send):
                delivery.answered(ACCEPTED, 0.0)
        assert outcome(0.0) is False


class TestHealth:
    def test_travels_once_beside_the_events(self) -> None:
        delivery = make(has_store=False)
        delivery.nulls = 7
        for wanted in ({"null_before_ready": 7}, None):
            fill(delivery, 1)
            delivery.flush()
            step = delivery.next_step(0.0)
            assert isinstance(step, Send)
            assert json.loads(step.body).get("client") == wanted
            delivery.answered(ACCEPTED, 0.0)

    def test_is_told_again_when_the_batch_was_not_taken(self) -> None:
        delivery = make(has_store=False)
        delivery.nulls = 7
        fill(delivery, 2)
        delivery.flush()
        delivery.next_step(0.0)
        delivery.answered(read_answer(413, {}, b""), 0.0)
        step = delivery.next_step(0.0)
        assert isinstance(step, Send)
        assert json.loads(step.body)["client"] == {"null_before_ready": 7}


def test_rejections_are_counted_by_reason() -> None:
    delivery = make()
    fill(delivery, 1)
    delivery.flush()
    delivery.next_step(0.0)
    rejected = [{"detail": "a"}, {"detail": "b"}, {"detail": "a"}, 3]
    body = {"accepted": 0, "rejected": rejected, "config_version": 9}
    assert delivery.answered(read_answer(202, {}, json.dumps(body).encode()), 0.0) == 9
    counts = {reason.replace("event rejected, ", ""): count for reason, count in delivery.notes}
    assert counts == {"a": 2, "b": 1, "no reason": 1}


ANSWERS = [
    ACCEPTED,
    FAILED,
    read_answer(413, {}, b""),
    read_answer(401, {}, b""),
    read_answer(400, {}, b""),
    read_answer(429, {}, b'{"type":"x/allowance-exhausted"}'),
]
ACTIONS = st.one_of(
    st.tuples(st.just("add"), st.integers(1, 300)),
    st.tuples(st.just("step"), st.sampled_from(ANSWERS)),
    st.tuples(st.just("pass"), st.floats(0, 400_000)),
    st.tuples(st.just("flush"), st.none()),
    st.tuples(st.just("reach"), st.none()),
)


class Driven:
    """Drives a delivery with a list as its store, and tracks where each event ended up."""

    def __init__(self) -> None:
        self.delivery = make()
        self.now = 0.0
        self.added: List[str] = []
        self.gone: List[str] = []
        self.store: List[KeptEvent] = []
        self.claimed: List[KeptEvent] = []

    def add(self, count: int) -> None:
        for _ in range(count):
            number = len(self.added)
            if self.delivery.add(event(number), self.now):
                self.added.append(f"e{number}")

    def step(self, answer: Optional[Answer]) -> bool:
        step = self.delivery.next_step(self.now)
        if isinstance(step, Send):
            assert answer is not None
            sent = ids(step)
            assert 1 <= len(sent) <= 100
            before = len(self.delivery.notes)
            self.delivery.answered(answer, self.now)
            is_given_up = any("given up" in reason for reason, _ in list(self.delivery.notes)[before:])
            if answer.verdict == "accept" or is_given_up:
                self.gone.extend(sent)
        elif isinstance(step, Keep):
            self.store.extend(step.events)
            self.delivery.kept(step, 0)
        elif isinstance(step, TakeReplay):
            self.claimed, self.store = self.store, []
            assert self.delivery.replayed(self.claimed, self.now)
        elif isinstance(step, ReleaseReplay):
            self.claimed = []
        self.delivery.notes.clear()
        return not isinstance(step, Wait)


@settings(max_examples=150, deadline=None)
@given(st.lists(ACTIONS, max_size=60))
def test_every_event_ends_in_one_place_whatever_happens(actions: List[Any]) -> None:
    driven = Driven()
    for kind, argument in actions:
        if kind == "add":
            driven.add(argument)
        elif kind == "step":
            driven.step(argument)
        elif kind == "pass":
            driven.now += argument
        elif kind == "flush":
            driven.delivery.flush()
        else:
            driven.delivery.note_reachable()
    driven.delivery.end("client closed")
    while driven.step(ACCEPTED):
        pass
    assert driven.delivery.has_settled
    kept = [kept.event_id for kept in driven.store]
    # Settled means that the claim was released: its events were delivered, given up or kept again.
    assert driven.claimed == []
    assert sorted(driven.gone + kept) == sorted(driven.added)


@pytest.mark.parametrize("fraction", [0, 1, 2.5, "2", None, True])
def test_a_config_version_is_a_number(fraction: Any) -> None:
    delivery = make()
    fill(delivery, 1)
    delivery.flush()
    delivery.next_step(0.0)
    body = json.dumps({"accepted": 1, "config_version": fraction}).encode()
    is_number = isinstance(fraction, (int, float)) and not isinstance(fraction, bool)
    assert delivery.answered(read_answer(202, {}, body), 0.0) == (fraction if is_number else None)
