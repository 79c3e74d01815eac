"""
The delivery of events as a state machine without I/O, locks, threads or clocks: the driver provides those.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Callable, Deque, Iterable, List, Optional, Sequence, Tuple
from typing import Counter as Counts

from ._config_snapshot import fields_of
from ._delivery_steps import Batch, Keep, Rejection, ReleaseReplay, Send, Step, TakeReplay, TouchReplay, Wait
from ._event_row import KeptEvent
from ._retry_policy import MAX_TRIES, PAUSE_MS, Answer, acknowledgement_of, backoff_ms

MAX_EVENTS = 10_000
MAX_BYTES = 8 * 1024 * 1024
MAX_BATCH_EVENTS = 100
MAX_BATCH_BYTES = 256 * 1024
_MAX_REASONS = 100
# Well below the 10 minutes after which another process considers a claim abandoned.
_TOUCH_MS = 240_000.0


class Delivery:
    """
    Holds tracked events until they are settled: delivered, kept in the store, or given up. Call `next_step`
    for the next thing to do, then report its result. Times are monotonic milliseconds. Not thread-safe: the
    driver holds a lock around each call. Log lines wait in `notes` as (reason, count), because a logger must
    not be called under that lock.
    """

    def __init__(self, flush_interval_ms: float, random: Callable[[], float], has_store: bool) -> None:
        self.notes: Deque[Tuple[str, int]] = deque()
        # How many events the service has refused since the last report to the caller, by its reasons.
        self._rejected: Counts[str] = Counter()
        self._has_warned = False
        # Assignments that were None because no config was loaded, since the last report to the service.
        self.nulls = 0
        # When the waiting events are sent even if they fill no batch.
        self.flush_at: Optional[float] = None
        self._flush_interval_ms = flush_interval_ms
        self._random = random
        self._has_store = has_store
        self._queue: Deque[KeptEvent] = deque()
        self._queue_bytes = 0
        self._batch: Optional[Batch] = None
        self._batch_bytes = 0
        # Events moving to the store; one group may be the older half of a full queue.
        self._keeping: List[Keep] = []
        self._overflow: Optional[Keep] = None
        # How many events were ever queued.
        self.queued = 0
        # How many of the first are due even if they do not fill a batch.
        self._due = 0
        # How many events were dropped, given up or went to the store.
        self._lost = 0
        # How many of those the next flush ignores: the store has them, or an earlier flush was False.
        self._told = 0
        # Reduced when the service refuses a batch as too large.
        self._max_batch_events = MAX_BATCH_EVENTS
        self._paused_until: Optional[float] = None
        self._has_ended = False
        # The last replay is over when this many events, counted from the first, are settled.
        self._replay_end: Optional[int] = None
        self._touch_at = 0.0
        self._is_release_due = False
        # Whether the store may hold events (an earlier process may have left some), and whether to check now.
        self._may_replay = has_store
        self._is_replay_due = False

    def add(self, event: KeptEvent, now: float) -> bool:
        """Queues an event. False when there is no room."""
        if self._has_ended:
            return False
        if not self._has_room(event) and not (self._make_room() and self._has_room(event)):
            self._note("event dropped, queue is full")
            self._lost += 1
            return False
        self._append((event,))
        if self.flush_at is None:
            self.flush_at = now + self._flush_interval_ms
        return True

    @property
    def fills_batch(self) -> bool:
        """Whether a batch is full and need not wait."""
        return len(self._queue) >= MAX_BATCH_EVENTS or self._queue_bytes >= MAX_BATCH_BYTES

    @property
    def has_overflow(self) -> bool:
        """Whether the older half of a full queue is waiting to be moved to the store."""
        return self._overflow is not None

    def flush(self) -> Callable[[float], Optional[bool]]:
        """
        Makes everything queued now due. Returns a function that maps the time to the outcome. True once the
        service has answered for all of it. False when some of it went to the store, when an event was given
        up or did not fit into the queue since the last flush, or when sending is paused.
        """
        end, told = self.queued, self._told
        self._due = end

        def outcome(now: float) -> Optional[bool]:
            if self.settled >= end:
                self._told = self._lost
                return self._lost == told
            return False if self._has_ended or self._is_paused(now) else None

        return outcome

    def take_rejected(self) -> Tuple[Rejection, ...]:
        """Returns how many events the service has refused since the last call, by its reasons."""
        taken = tuple(Rejection(detail, count) for detail, count in self._rejected.items())
        self._rejected.clear()
        return taken

    def note_reachable(self) -> None:
        """Call this when the service is known to answer. Events in the store are then sent again."""
        self._may_replay = self._has_store
        self._is_replay_due = self._may_replay and self._replay_end is None

    def next_step(self, now: float) -> Step:
        """
        Returns the next thing to do. Send, keep or take before asking again.
        """
        keep = self.take_keep()
        if keep is not None:
            return keep
        if self._is_release_due:
            self._is_release_due = False
            return ReleaseReplay()
        if self._has_ended:
            return Wait(None)
        if self._replay_end is not None and now >= self._touch_at:
            self._touch_at = now + _TOUCH_MS
            return TouchReplay()
        if self.flush_at is not None and now >= self.flush_at:
            self.flush_at = None
            self._due = self.queued
        if self._is_paused(now):
            return self._wait(self._paused_until)
        if self._paused_until is not None:
            self._paused_until = None
            self._due = self.queued
        return self._next_delivery(now)

    def take_keep(self) -> Optional[Keep]:
        """Returns the events to put into the store, once. Any thread may write them, at any time."""
        for keep in self._keeping:
            if not keep.is_taken:
                keep.is_taken = True
                return keep
        return None

    def answered(self, answer: Answer, now: float) -> Optional[float]:
        """
        Takes the answer to the batch that was sent. Returns the `config_version` that it acknowledges, if
        any.
        """
        batch = self._batch
        if batch is None:
            return None  # it went to the store meanwhile
        given, answer = answer, acknowledgement_of(answer)
        if answer is not given and not self._has_warned:
            self._has_warned = True
            self._note(f"does base_url point to Assay? {answer.reason}")
        verdict = answer.verdict
        if verdict == "retry" and batch.tries < MAX_TRIES:
            batch.retry_at = now + backoff_ms(answer.retry_after_ms, batch.tries, self._random())
            return None
        self._batch = None
        self._batch_bytes = 0
        if verdict == "accept":
            return self._accept(answer)
        self.nulls += batch.nulls
        if verdict == "halve" and len(batch.events) > 1:
            self._max_batch_events = (len(batch.events) + 1) // 2
            self._put_back(batch)
        elif verdict == "refuse":
            self._put_back(batch)
            self._paused_until = now + PAUSE_MS
        elif verdict == "retry":
            self._keep(Keep(batch.events, batch.start, f"{answer.reason}, {batch.tries} times"))
        else:
            self._give_up(len(batch.events), answer.reason)
            if verdict == "exhaust":
                self._paused_until = now + (answer.retry_after_ms or PAUSE_MS)
        return None

    def kept(self, keep: Keep, lost: int) -> None:
        """Handles the result of `keep`: how many of its events did not fit."""
        self._note(f"event kept for later, {keep.reason}", len(keep.events) - lost)
        self._note(f"event given up, {keep.reason}", lost)
        self._keeping.remove(keep)
        # The service has not received these events, so it has not answered for them, wherever they are kept.
        self._lost += len(keep.events)
        self._told += len(keep.events) - lost
        if keep is self._overflow:
            self._overflow = None
        if lost > 0 and self._has_ended:
            self._replay_end = None  # some may be sent twice, but none is lost
        self._check_replay()

    def replayed(self, events: Sequence[KeptEvent], now: float) -> bool:
        """
        Accepts a replay from the store; False when it must be given back because the delivery has ended.
        """
        if len(events) == 0:
            return True
        if self._has_ended:
            return False
        self._may_replay = True
        self._append(events)
        self._replay_end = self._due = self.queued
        self._touch_at = now + _TOUCH_MS
        return True

    def end(self, reason: str) -> None:
        """Ends the delivery: remaining events go to the store (`take_keep`), or are given up."""
        self._has_ended = True
        self.spill(reason)

    def spill(self, reason: str) -> None:
        """Moves everything to the store, including what is being sent. Without a store, gives it up."""
        self.flush_at = None
        batch = self._batch
        self._batch = None
        self._batch_bytes = 0
        if batch is not None:
            self._put_back(batch)
        if len(self._queue) > 0:
            keep = Keep(list(self._queue), self._head, reason)
            self._queue.clear()
            self._queue_bytes = 0
            self._keep(keep)

    @property
    def has_settled(self) -> bool:
        """Whether no events remain."""
        return self.settled == self.queued

    @property
    def _head(self) -> int:
        """How many events were queued before the first one still waiting."""
        return self.queued - len(self._queue)

    @property
    def settled(self) -> int:
        """How many events, counted from the first, are settled."""
        starts = [self._head]
        if self._batch is not None:
            starts.append(self._batch.start)
        starts.extend(keep.start for keep in self._keeping)
        return min(starts)

    def _next_delivery(self, now: float) -> Step:
        batch = self._batch
        if batch is not None and now < batch.retry_at:
            return self._wait(batch.retry_at)
        if batch is None:
            if self._is_replay_due:
                self._is_replay_due = self._may_replay = False
                return TakeReplay()
            if self._head >= self._due and not self.fills_batch:
                return self._wait(self.flush_at)
            batch = self._cut_batch()
        batch.tries += 1
        return Send(batch.body)

    def _wait(self, until: Optional[float]) -> Wait:
        if self._replay_end is None:
            return Wait(until)
        return Wait(self._touch_at if until is None else min(until, self._touch_at))

    def _is_paused(self, now: float) -> bool:
        return self._paused_until is not None and now < self._paused_until

    def _has_room(self, event: KeptEvent) -> bool:
        in_batch = 0 if self._batch is None else len(self._batch.events)
        return (
            len(self._queue) + in_batch < MAX_EVENTS
            and self._queue_bytes + self._batch_bytes + len(event.row) <= MAX_BYTES
        )

    def _append(self, events: Sequence[KeptEvent]) -> None:
        self._queue.extend(events)
        self._queue_bytes += _bytes_of(events)
        self.queued += len(events)

    def _cut(self, max_events: int, max_bytes: int) -> List[KeptEvent]:
        """Takes the first events from the queue, at least one if there is any."""
        events: List[KeptEvent] = []
        size = 0
        while self._queue:
            size += len(self._queue[0].row)
            if events and (len(events) >= max_events or size > max_bytes):
                break
            events.append(self._queue.popleft())
        self._queue_bytes -= _bytes_of(events)
        return events

    def _cut_batch(self) -> Batch:
        start = self._head
        batch = Batch(self._cut(self._max_batch_events, MAX_BATCH_BYTES), start, self.nulls)
        self.nulls = 0
        self._batch = batch
        self._batch_bytes = _bytes_of(batch.events)
        return batch

    def _put_back(self, batch: Batch) -> None:
        self._queue.extendleft(reversed(batch.events))
        self._queue_bytes += _bytes_of(batch.events)

    def _make_room(self) -> bool:
        """
        Moves the older half of a full queue to the store in one write, instead of one write per event.
        """
        if not self._has_store or self._overflow is not None or len(self._queue) == 0:
            return False
        start = self._head
        keep = Keep(self._cut(len(self._queue) // 2, MAX_BYTES), start, "queue is full")
        self._overflow = keep
        self._keep(keep)
        return True

    def _keep(self, keep: Keep) -> None:
        if not self._has_store:
            self._give_up(len(keep.events), keep.reason)
            return
        self._may_replay = True
        self._keeping.append(keep)

    def _give_up(self, count: int, reason: str) -> None:
        self._lost += count
        self._note(f"event given up, {reason}", count)
        self._check_replay()

    def _accept(self, answer: Answer) -> Optional[float]:
        self._max_batch_events = min(MAX_BATCH_EVENTS, self._max_batch_events * 2)
        for detail, count in _rejections(answer).items():
            self._note(f"event rejected, {detail}", count)
            is_known = detail in self._rejected or len(self._rejected) < _MAX_REASONS
            self._rejected[detail if is_known else "other reasons"] += count
        self._check_replay()
        self._is_replay_due = self._may_replay and self._replay_end is None
        version = answer.body.get("config_version")
        return version if isinstance(version, (int, float)) and not isinstance(version, bool) else None

    def _check_replay(self) -> None:
        if self._replay_end is not None and self.settled >= self._replay_end:
            self._replay_end = None
            self._is_release_due = True

    def _note(self, reason: str, count: int = 1) -> None:
        """Queues a line for the log; repeated reasons add up."""
        if count == 0:
            return
        if self.notes and self.notes[-1][0] == reason:
            count += self.notes.pop()[1]
        self.notes.append((reason, count))


def _bytes_of(events: Iterable[KeptEvent]) -> int:
    return sum(len(event.row) for event in events)


def _rejections(answer: Answer) -> Counts[str]:
    rejected = answer.body.get("rejected")
    details = (fields_of(row).get("detail") for row in (rejected if isinstance(rejected, list) else ()))
    return Counter(detail if isinstance(detail, str) and detail else "no reason" for detail in details)
