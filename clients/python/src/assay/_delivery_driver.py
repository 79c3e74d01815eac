"""Drives a delivery: provides its lock and clock, and does its requests and writes."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from typing import Callable, Deque, Optional, Tuple

from ._delivery import Delivery
from ._delivery_steps import Keep, ReleaseReplay, Send, Step, TakeReplay, TouchReplay, Wait
from ._event_row import KeptEvent
from ._file_store import FileStore
from ._retry_policy import acknowledgement_of
from ._service_clock import ServiceClock
from ._transport import REQUEST_TIMEOUT, Transport

# Some platforms refuse longer waits. The waiting thread then checks again and waits on.
LONGEST_WAIT = 3_600.0
# How long the end of the client waits for a write that another thread has started.
_WRITE_SECONDS = 1.0

Outcome = Callable[[], Optional[bool]]
Notes = Deque[Tuple[str, int]]


class DeliveryDriver:
    """
    A delivery with its lock, for any number of threads. Conditions: `wake` when something may be due,
    `changed` when something may be decided.
    """

    def __init__(
        self,
        flush_interval: float,
        transport: Transport,
        store: Optional[FileStore],
        *,
        durable: bool,
        clock: Optional[ServiceClock],
        on_version: Callable[[float], None],
        on_step: Callable[[], None],
    ) -> None:
        """
        :param durable: events wait in the store's journal too
        :param clock: learns the time from acknowledgements
        :param on_version: called with the `config_version` of an acknowledgement, under the lock
        :param on_step: called after each step, without the lock
        """
        self._flush_interval = flush_interval
        self._transport = transport
        self._store = store
        self._journal = store.journal() if store is not None and durable else None
        self._clock = clock
        self._on_version = on_version
        self._on_step = on_step
        self.reset()

    def reset(self) -> None:
        """Starts again with nothing to deliver and with free locks."""
        # A signal handler or the garbage collector may call the client again on the thread that holds it.
        self.lock = threading.RLock()
        self.wake = threading.Condition(self.lock)
        self.changed = threading.Condition(self.lock)
        self.delivery = Delivery(self._flush_interval * 1_000, random.random, self._store is not None)
        if self._journal is not None:
            self._journal.abandon()
        # Whether a thread is doing the delivery's steps.
        self.is_busy = False

    def add(self, event: KeptEvent) -> Tuple[bool, Optional[str]]:
        """Queues an event. Returns whether it was queued, and why it is not durable. Needs the lock."""
        is_added = self.delivery.add(event, now_ms())
        if not is_added or self._journal is None:
            return is_added, None
        return True, self._journal.append(event, self.delivery.queued)

    def flush(self) -> Outcome:
        """Makes everything due; returns the function for the outcome. Needs the lock."""
        outcome = self.delivery.flush()
        self.wake.notify()
        return lambda: outcome(now_ms())

    def deliver(self, outcome: Outcome, deadline: float) -> bool:
        """
        Does the delivery's steps on this thread until the outcome is decided. False at the deadline
        (monotonic seconds), or once nothing is due before it. One thread does this at a time; other threads
        wait.
        """
        while True:
            with self.lock:
                decided = outcome()
                left = deadline - time.monotonic()
                if decided is not None or left <= 0:
                    return decided is True
                if self.is_busy:
                    self.changed.wait(min(left, LONGEST_WAIT))
                    continue
                step = self.delivery.next_step(now_ms())
                if isinstance(step, Wait):
                    until = float("inf") if step.until is None else step.until / 1_000
                    if until > deadline:
                        return False
                    longest = LONGEST_WAIT if self._journal is None else self._journal.touch()
                    self.wake.wait(min(max(0.0, until - time.monotonic()), longest))
                    continue
                self.is_busy = True
            try:
                self._perform(step, deadline)
            finally:
                with self.lock:
                    self.is_busy = False
                    self.changed.notify_all()
                self._on_step()

    def wait(self, outcome: Outcome, deadline: float) -> bool:
        """Waits until the outcome is decided; False at the deadline."""
        with self.lock:
            while True:
                decided = outcome()
                left = deadline - time.monotonic()
                if decided is not None or left <= 0:
                    return decided is True
                self.changed.wait(min(left, LONGEST_WAIT))

    def keep(self, keep: Keep) -> None:
        """Puts events into the store."""
        lost = len(keep.events) if self._store is None else self._store.keep(keep.events)
        with self.lock:
            self.delivery.kept(keep, lost)
            self._drop_settled()
            self.changed.notify_all()

    def spill(self, reason: str) -> None:
        """Moves everything that is not delivered to the store, if there is one."""
        if self._store is None:
            return
        with self.lock:
            self.delivery.spill(reason)
        deadline = time.monotonic() + _WRITE_SECONDS
        while True:
            with self.lock:
                keep = self.delivery.take_keep()
                if keep is None:
                    # Another thread may be writing.
                    left = deadline - time.monotonic()
                    if self.delivery.has_settled or left <= 0 or not self.changed.wait(left):
                        return
                    continue
            self.keep(keep)

    def end(self, reason: str) -> None:
        """Ends the delivery: remaining events go to the store or are given up."""
        with self.lock:
            self.delivery.end(reason)
        self._transport.end()
        deadline = time.monotonic() + _WRITE_SECONDS
        while True:
            with self.lock:
                step = self.delivery.next_step(now_ms())
                if isinstance(step, Wait):
                    # Another thread may be about to write events.
                    if self.delivery.has_settled or not self.changed.wait(deadline - time.monotonic()):
                        break
                    continue
            self._perform(step, deadline)
        if self._store is not None:
            self._store.give_back()
        with self.lock:
            self._drop_settled()
            if self._journal is not None:
                self._journal.give_back()
            if not self.is_busy:
                self._transport.close()

    def take_notes(self) -> Notes:
        """
        Takes the queued log lines. Needs the lock; release it before logging, because a logger may
        call the client.
        """
        notes = self.delivery.notes
        if notes:
            self.delivery.notes = deque()
        return notes

    def _drop_settled(self) -> None:
        """
        Deletes the files of the journal whose events are settled. Needs the lock: a caller that learns that
        they are settled must not find the files any more.
        """
        if self._journal is not None:
            self._journal.remove_settled(self.delivery.settled)

    def _perform(self, step: Step, deadline: float) -> None:
        store = self._store
        if isinstance(step, Send):
            self._send(step.body, min(REQUEST_TIMEOUT, deadline - time.monotonic()))
        elif isinstance(step, Keep):
            self.keep(step)
        elif store is None:
            pass
        elif isinstance(step, TakeReplay):
            events = store.take()
            with self.lock:
                is_wanted = self.delivery.replayed(events, now_ms())
            if not is_wanted:
                store.give_back()
        elif isinstance(step, TouchReplay):
            store.touch()
        elif isinstance(step, ReleaseReplay):
            store.release()

    def _send(self, body: bytes, timeout: float) -> None:
        answer = self._transport.post(body, timeout)
        if self._clock is not None and acknowledgement_of(answer).verdict == "accept":
            self._clock.note(answer.timing)
        with self.lock:
            version = self.delivery.answered(answer, now_ms())
            self._drop_settled()
            if version is not None:
                self._on_version(version)


def now_ms() -> float:
    """Returns the monotonic time in milliseconds."""
    return time.monotonic() * 1_000
