"""The delivery of events as a machine without I/O, locks, threads or clocks: its driver has those."""

from __future__ import annotations

from collections import Counter, deque
from typing import Callable, Deque, Iterable, List, Optional, Sequence, Tuple
from typing import Counter as Counts

from ._config_snapshot import fields_of
from ._delivery_steps import Batch, Keep, ReleaseReplay, Send, Step, TakeReplay, TouchReplay, Wait
from ._event_row import KeptEvent
from ._retry_policy import MAX_TRIES, PAUSE_MS, Answer, backoff_ms

MAX_EVENTS = 10_000
MAX_BYTES = 8 * 1024 * 1024
MAX_BATCH_EVENTS = 100
MAX_BATCH_BYTES = 256 * 1024
# Well within the 10 minutes after which another process takes a claim for abandoned.
_TOUCH_MS = 240_000.0


class Delivery:
    """
    What is tracked, until it is settled: delivered, kept in the store, or given up. Ask `next_step` what is
    to be done and tell what came of it. Times are monotonic milliseconds. Not safe for threads: its driver
    holds a lock around each call. What is to be logged waits in `notes` as (reason, count), since a logger
    must not be called under that lock.
    """

    def __init__(self, flush_interval_ms: float, random: Callable[[], float], has_store: bool) -> None:
        self.notes: Deque[Tuple[str, int]] = deque()
        # How many assignments were None for want of a config since the service last heard of them.
        self.nulls = 0
        # When the events that wait leave even if they fill no batch.
        self.flush_at: Optional[float] = None
        self._flush_interval_ms = flush_interval_ms
        self._random = random
        self._has_store = has_store
        self._queue: Deque[KeptEvent] = deque()
        self._queue_bytes = 0
        self._batch: Optional[Batch] = None
        self._batch_bytes = 0
        # On their way to the store; one of them may be the older half of a full queue.
        self._keeping: List[Keep] = []
        self._overflow: Optional[Keep] = None
        # How many events were ever queued; how many of the first are due even when they do not fill a batch.
        self._queued = 0
        self._due = 0
        # How many events were given up or went to the store.
        self._lost = 0
        # Lowered when the service finds a batch too large.
        self._max_batch_events = MAX_BATCH_EVENTS
        self._paused_until: Optional[float] = None
        self._has_ended = False
        # What was taken from the store last is done with when the first so many events are settled.
        self._replay_end: Optional[int] = None
        self._touch_at = 0.0
        self._is_release_due = False
        # Whether the store may hold events (an earlier process may have left some), and whether to look now.
        self._may_replay = has_store
        self._is_replay_due = False

    def add(self, event: KeptEvent, now: float) -> bool:
        """Queues an event; False when it is refused."""
        if self._has_ended:
            return False
        if not self._has_room(event) and not (self._make_room() and self._has_room(event)):
            self._note("event dropped, queue is full")
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
        """Whether the older half of a full queue is on its way to the store."""
        return self._overflow is not None

    def flush(self) -> Callable[[float], Optional[bool]]:
        """
        Makes everything queued now due. Returns a function that, given the time, tells the outcome: True once
        the service has answered for all of it, False when some of it was given up or went to the store, or
        sending is paused.
        """
        end, lost = self._queued, self._lost
        self._due = end

        def outcome(now: float) -> Optional[bool]:
            if self._settled >= end:
                return self._lost == lost
            return False if self._has_ended or self._is_paused(now) else None

        return outcome

    def note_reachable(self) -> None:
        """To be called when the service is known to answer: what the store may hold is sent again."""
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
            self._due = self._queued
        if self._is_paused(now):
            return self._wait(self._paused_until)
        if self._paused_until is not None:
            self._paused_until = None
            self._due = self._queued
        return self._next_delivery(now)

    def take_keep(self) -> Optional[Keep]:
        """Returns events that are to be put into the store, once; any thread may do that at any time."""
        for keep in self._keeping:
            if not keep.is_taken:
                keep.is_taken = True
                return keep
        return None

    def answered(self, answer: Answer, now: float) -> Optional[float]:
        """
        Takes the answer to the batch that was sent; returns the `config_version` that it acknowledges, if
        any.
        """
        batch = self._batch
        if batch is None:
            return None  # it ended meanwhile
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
        """Takes what came of `keep`: how many of its events found no room."""
        self._note(f"event kept for later, {keep.reason}", len(keep.events) - lost)
        self._note(f"event given up, {keep.reason}", lost)
        self._keeping.remove(keep)
        # The service has not answered for what it does not have, wherever that is now.
        self._lost += len(keep.events)
        if keep is self._overflow:
            self._overflow = None
        if lost > 0 and self._has_ended:
            self._replay_end = None  # rather send some of them twice
        self._check_replay()

    def replayed(self, events: Sequence[KeptEvent], now: float) -> bool:
        """Takes what the store gave; False when it must be given back, because this ended meanwhile."""
        if len(events) == 0:
            return True
        if self._has_ended:
            return False
        self._may_replay = True
        self._append(events)
        self._replay_end = self._due = self._queued
        self._touch_at = now + _TOUCH_MS
        return True

    def end(self, reason: str) -> None:
        """Ends it: the rest goes to the store (`take_keep`), or is given up."""
        self._has_ended = True
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
        """Whether nothing is left."""
        return self._settled == self._queued

    @property
    def _head(self) -> int:
        """How many events were queued before the first that waits."""
        return self._queued - len(self._queue)

    @property
    def _settled(self) -> int:
        """How many of the first events are settled."""
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
        self._queued += len(events)

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
        Moves the older half of a full queue towards the store at once, so that no single event costs a write.
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
        self._check_replay()
        self._is_replay_due = self._may_replay and self._replay_end is None
        version = answer.body.get("config_version")
        return version if isinstance(version, (int, float)) and not isinstance(version, bool) else None

    def _check_replay(self) -> None:
        if self._replay_end is not None and self._settled >= self._replay_end:
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
