"""The threads of a client. They deliver events and poll the config."""

from __future__ import annotations

import os
import random
import threading
import time
from typing import Callable, Iterable, Optional, Tuple

from ._config_polling import ConfigPolling, ConfigRequest
from ._config_snapshot import ConfigSnapshot, read_bootstrap
from ._delivery_driver import LONGEST_WAIT, DeliveryDriver, Outcome, now_ms
from ._delivery_steps import Rejection
from ._event_row import KeptEvent
from ._file_store import FileStore
from ._options import Settings
from ._process_hooks import Guest, unwatch, watch, watch_exit
from ._retry_policy import Answer
from ._sigterm import watch_sigterm
from ._transport import Transport
from ._weak_call import weak_call

# How long a client that was dropped without `close` may take to send the remaining events.
_DROPPED_SECONDS = 15.0


class Background(Guest):
    """
    Polls the config and sends events on two daemon threads. `assay-config` starts with the client,
    `assay-sender` with the first event, or when the store may hold events. A third, `assay-keeper`, writes
    the older half of a full queue if both are in a request. None of them keeps the owner of `on_load` alive:
    when the owner is dropped without `close`, they send the remaining events and end. Thread-safe. Only
    `flush`, `wait_for` and `close` block.
    """

    def __init__(self, settings: Settings, on_load: Callable[[], None]) -> None:
        self._log = settings.log
        self._clock = settings.clock
        self._store = FileStore.open(settings)
        if settings.durable and self._store is None:
            raise ValueError("durable=True needs an offline_store: a folder that this process can write to.")
        self._kept = None if self._store is None else self._store.kept_config(settings.base_url)
        self.snapshot: Optional[ConfigSnapshot] = read_bootstrap(settings.bootstrap, settings.log)
        if self.snapshot is None and self._kept is not None:
            self.snapshot = self._kept.begin()
        self._transports = tuple(Transport(settings.api_key, settings.base_url, self._log) for _ in range(2))
        self._polling = ConfigPolling(
            settings.poll_interval * 1_000,
            random.random,
            self.snapshot,
            now_ms(),
            long_poll=settings.long_poll,
        )
        self._driver = DeliveryDriver(
            settings.flush_interval,
            self._transports[0],
            self._store,
            durable=settings.durable,
            clock=settings.clock,
            on_version=self._note_version,
            on_step=self._log_notes,
        )
        self._is_closing = False
        self._has_ended = False
        self._is_dropped = False
        self._is_delivered = False
        self._begin()
        self._on_load = weak_call(on_load, self._note_dropped)
        watch(self)
        refusal = watch_sigterm(self) if settings.flush_on_sigterm else None
        if refusal is not None:
            settings.log.once("warning", f"flush_on_sigterm is not used: {refusal}")
        self.ensure_running()

    def _begin(self) -> None:
        """Makes the objects that each process needs for itself."""
        self._pid = os.getpid()
        self._config_wake = threading.Condition(self._driver.lock)
        self._sender: Optional[threading.Thread] = None
        self._config: Optional[threading.Thread] = None

    def ensure_running(self) -> None:
        """Starts the threads that are not running. In a forked child, none are. Otherwise cheap."""
        self._check_pid()
        if self._config is not None or self._is_closing:
            return
        with self._driver.lock:
            if self._config is None:
                self._config = self._start("assay-config", self._run_config)

    def add(self, event: KeptEvent) -> bool:
        """Queues an event. False when the queue is full or the client is closed. Never blocks."""
        self.ensure_running()
        driver = self._driver
        with driver.lock:
            if self._has_ended:
                return False
            delivery = driver.delivery
            was_idle = delivery.flush_at is None
            had_overflow = delivery.has_overflow
            is_added, failure = driver.add(event)
            if self._sender is None:
                self._ensure_sender()
            elif was_idle or delivery.fills_batch:
                driver.wake.notify()
            if delivery.has_overflow:
                # The sender may be in the middle of a request, so the first free thread writes it.
                self._config_wake.notify()
                if not had_overflow and self._polling.is_waiting:
                    self._start("assay-keeper", self._keep_overflow)
            notes = driver.take_notes()
        self._log_all(notes)
        if failure is not None:
            self._log.count(f"event is not durable, {failure}")
        return is_added

    def note_null(self) -> None:
        """Counts an assignment that was None because there was no config yet."""
        self._check_pid()
        with self._driver.lock:
            self._driver.delivery.nulls += 1

    def flush(self, timeout: float) -> bool:
        """
        Sends the events now in the queue. True once the service has answered for all of them. False when some
        were given up or went to the store, when sending is paused, or after `timeout` seconds.
        """
        self.ensure_running()
        with self._driver.lock:
            if not self._driver.delivery.has_settled:
                self._ensure_sender()
        return self._flush(time.monotonic() + timeout)

    def take_rejected(self) -> Tuple[Rejection, ...]:
        """Returns how many events the service has refused since the last call, by its reasons."""
        with self._driver.lock:
            return self._driver.delivery.take_rejected()

    def wait_for(self, timeout: float, outcome: Outcome) -> bool:
        """
        Waits until `outcome` is decided. Checks it after each load and at `close`. False after `timeout`
        seconds.
        """
        deadline = time.monotonic() + timeout
        self.ensure_running()
        return self._driver.wait(outcome, deadline)

    def close(self, timeout: float) -> bool:
        """
        Stops polling, flushes, and keeps or gives up events that could not be sent within `timeout` seconds.
        Returns as `flush` does.
        """
        self._check_pid()
        self._end("client closed", time.monotonic() + timeout)
        return self._is_delivered

    def begin_last_flush(self) -> None:
        self._check_pid()
        # A thread that the ending interpreter has stopped may hold it forever.
        if self._driver.lock.acquire(timeout=0.1):
            self._driver.flush()
            self._driver.lock.release()

    def finish(self, deadline: float) -> None:
        if self._driver.lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            self._driver.lock.release()
            self._end("the process ended", deadline)
            if not self._has_ended:
                # A `close` that is already running, here or on another thread, takes longer than the process
                # has.
                self._driver.spill("the process ended")

    def flush_before_end(self, deadline: float) -> None:
        if not self._driver.lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            return
        self._driver.lock.release()
        try:
            is_delivered = self._has_ended or self._flush(deadline)
        except Exception:
            is_delivered = False  # gevent may run signal handlers where nothing may wait
        if not is_delivered:
            self._driver.spill("SIGTERM")

    def reset_after_fork(self) -> None:
        """
        Starts again in a forked child. The parent delivers its own events and keeps its claims. The config
        stays.
        """
        self._driver.reset()
        self._begin()
        self._has_ended = self._is_closing
        self._polling.reset_after_fork(now_ms())
        for transport in self._transports:
            transport.reset_after_fork()
        if self._store is not None:
            self._store.reset_after_fork()
        self._log.reset_after_fork()

    def _check_pid(self) -> None:
        if self._pid != os.getpid():
            self.reset_after_fork()  # a fork that Python did not notice

    def _flush(self, deadline: float) -> bool:
        driver = self._driver
        with driver.lock:
            outcome = driver.flush()
            sender = self._sender
        # Without a sender thread (none can start, or the process is ending), this thread sends.
        is_own_work = sender is None or sender is threading.current_thread()
        return driver.deliver(outcome, deadline) if is_own_work else driver.wait(outcome, deadline)

    def _end(self, reason: str, deadline: float) -> None:
        """
        Sends events until the deadline and keeps or gives up the rest, once. A second call waits for the
        first.
        """
        driver = self._driver
        with driver.lock:
            is_first = not self._is_closing
            self._is_closing = True
            self._wake_all()
        if not is_first:
            driver.wait(lambda: True if self._has_ended else None, deadline)
            return
        self._is_delivered = self._flush(deadline)
        self._transports[1].end()
        driver.end(reason)
        with driver.lock:
            self._has_ended = True
            self._wake_all()
        unwatch(self)
        self._log_notes()
        self._log.close()

    def _note_dropped(self) -> None:
        """
        Called by the garbage collector when the owner is gone, possibly in the middle of another operation of
        the thread. It must not wait for a lock.
        """
        self._is_dropped = True
        self._transports[1].end()
        if self._driver.lock.acquire(blocking=False):
            self._wake_all()
            self._driver.lock.release()

    def _start(self, name: str, run: Callable[[], None]) -> Optional[threading.Thread]:
        thread = threading.Thread(target=run, name=name, daemon=True)
        try:
            watch_exit()
            thread.start()
            return thread
        except RuntimeError:
            # The process is ending, or it can start no more threads.
            self._log.once("error", "no thread could be started")
            return None

    def _ensure_sender(self) -> None:
        if self._sender is None and not self._has_ended:
            self._sender = self._start("assay-sender", self._run_sender)

    def _run_sender(self) -> None:
        try:
            self._driver.deliver(lambda: True if self._has_ended or self._is_dropped else None, float("inf"))
            if self._is_dropped:
                self._end("client dropped", time.monotonic() + _DROPPED_SECONDS)
        finally:
            self._transports[0].close()
            self._sender = None

    def _run_config(self) -> None:
        try:
            while not (self._is_closing or self._is_dropped):
                self._poll()
                self._log_notes()
        finally:
            self._transports[1].close()
            self._config = None
            with self._driver.lock:
                self._wake_all()  # the garbage collector may have found the lock taken

    def _poll(self) -> None:
        """
        Loads the config when a load is due, or writes the older half of a full queue if the sender is busy.
        """
        driver = self._driver
        with driver.lock:
            if self._is_closing or self._is_dropped:
                return
            keep = driver.delivery.take_keep() if driver.is_busy else None
            if keep is None:
                wait = self._until_load()
                if wait > 0:
                    self._config_wake.wait(wait)
                    return
                request = self._polling.begin(now_ms())
        if keep is not None:
            driver.keep(keep)
        else:
            self._load(request)

    def _keep_overflow(self) -> None:
        """The config thread's work between its requests, while one of them waits for a change."""
        driver = self._driver
        with driver.lock:
            keep = driver.delivery.take_keep() if driver.is_busy else None
        if keep is not None:
            driver.keep(keep)
            self._log_notes()

    def _until_load(self) -> float:
        """Returns for how many seconds the config thread has nothing to do."""
        now = time.monotonic()
        wait = min(self._polling.next_at / 1_000 - now, LONGEST_WAIT)
        tick = self._log.next_tick()
        # Not 0, which would start a load.
        return wait if tick is None or wait <= 0 else min(wait, max(0.01, tick - now))

    def _load(self, request: ConfigRequest) -> None:
        driver = self._driver
        answer = self._transports[1].get_config(request.etag, request.wait)
        with driver.lock:
            if self._is_closing or self._is_dropped:
                return
            is_loaded = self._polling.answered(answer, now_ms())
            self.snapshot = self._polling.snapshot
            if is_loaded and self._store is not None:
                driver.delivery.note_reachable()
                self._ensure_sender()
                driver.wake.notify()
        self._note_answer(answer, is_loaded)
        if is_loaded:
            try:
                self._on_load()
            except Exception:
                pass  # the owner is still being constructed
            with driver.lock:
                driver.changed.notify_all()

    def _note_answer(self, answer: Answer, is_loaded: bool) -> None:
        if is_loaded and self._clock is not None:
            self._clock.note(answer.timing)
        if self._kept is not None and not is_loaded:
            self._kept.note_failure()
        elif self._kept is not None and self.snapshot is not None:
            self._kept.keep(self.snapshot.body)

    def _note_version(self, version: float) -> None:
        if self._polling.note_version(version, now_ms()):
            self._config_wake.notify()

    def _wake_all(self) -> None:
        for condition in (self._driver.wake, self._driver.changed, self._config_wake):
            condition.notify_all()

    def _log_notes(self) -> None:
        with self._driver.lock:
            notes = [*self._driver.take_notes(), *self._polling.notes]
            self._polling.notes.clear()
        self._log_all(notes)
        self._log.tick()

    def _log_all(self, notes: Iterable[Tuple[str, int]]) -> None:
        # Never under the lock: a logger may block or call the client.
        for reason, count in notes:
            self._log.count(reason, count)
