"""
Plays a scenario on a clock that only the scenario moves: the state machines, their requests to the scripted
server, their log.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from conftest import ScenarioServer
from recorded_log import RecordedLog

from assay._client_log import ClientLog
from assay._config_polling import ConfigPolling
from assay._delivery import Delivery
from assay._delivery_steps import Keep, ReleaseReplay, Send, Step, TakeReplay, Wait
from assay._file_store import FileStore
from assay._retry_policy import Answer
from assay._transport import Transport

API_KEY = "svc_pk_scenario"
# How long to wait for a hanging reply in real time; on the scenario's clock it takes the time limit.
_HANG_SECONDS = 0.15
_TIMEOUT_MS = 10_000.0


class _Line:
    """One side's requests, one at a time."""

    def __init__(
        self, server: ScenarioServer, log: ClientLog, replies: List[Any], waits: Sequence[Any] = ()
    ) -> None:
        self.transport = Transport(API_KEY, server.url, log)
        self.sent_at: List[float] = []
        self.silent_until: Optional[float] = None
        self._replies = list(replies)
        self._waits = list(waits)

    def ask(self, now: float, request: Callable[[float], Answer], wait: int = 0) -> Answer:
        """Makes a request; when its reply hangs or takes time, the answer counts only at `silent_until`."""
        replies = self._waits if wait else self._replies
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        self.sent_at.append(now)
        hangs = reply == "hang" or (isinstance(reply, dict) and reply.get("end") == "hang")
        takes_ms = _TIMEOUT_MS + 1_000 * wait if hangs else isinstance(reply, dict) and reply.get("takes_ms")
        self.silent_until = now + takes_ms if takes_ms else None
        answer = request(_HANG_SECONDS if hangs else 10.0)
        assert not hangs or (answer.status, answer.reason) == (0, "no answer")
        return answer


class VirtualRun:
    """A client's state machines without its threads."""

    def __init__(
        self,
        server: ScenarioServer,
        random: float,
        events: List[Any],
        config: List[Any],
        open_store: Callable[[ClientLog], Optional[FileStore]] = lambda _: None,
        waits: Optional[List[Any]] = None,
    ) -> None:
        """
        `server` already plays the scripts of the paths. With `waits`, the script of requests for the config
        that wait, the client waits for changes.
        """
        self.now = 0.0
        self.log = RecordedLog()
        self.client_log = ClientLog(self.log.logger, lambda: self.now / 1_000)
        self.store = open_store(self.client_log)
        self.delivery = Delivery(5_000.0, lambda: random, has_store=self.store is not None)
        self.polling = ConfigPolling(
            60_000.0, lambda: random, None, 0.0 if config else 1e12, long_poll=waits is not None
        )
        self.posts = _Line(server, self.client_log, events)
        self.polls = _Line(server, self.client_log, config, waits or ())
        self._post: Optional[Answer] = None
        self._poll: Optional[Answer] = None
        self._agenda: List[Tuple[float, Callable[[], None]]] = []
        self._waits: List[Tuple[float, Callable[[], Optional[bool]], Callable[[bool], None]]] = []

    def at(self, ms: float, task: Callable[[], None]) -> None:
        self._agenda.append((ms, task))

    def wait(
        self, timeout_ms: float, outcome: Callable[[], Optional[bool]], note: Callable[[bool], None]
    ) -> None:
        """Notes the outcome once it is decided, or False at its deadline."""
        self._waits.append((self.now + timeout_ms, outcome, note))

    def flush(self, timeout_ms: float, note: Callable[[bool], None]) -> None:
        outcome = self.delivery.flush()
        self.wait(timeout_ms, lambda: outcome(self.now), note)

    def run_until(self, end: float) -> None:
        self._agenda.sort(key=lambda entry: entry[0])
        self._settle()
        while True:
            next_at = min(at for at in self._due_times() if at > self.now)
            if next_at > end:
                break
            self.now = next_at
            self._settle()

    def close(self) -> None:
        """Ends the client without a last flush."""
        self.delivery.end("client closed")
        while self._post_step():
            self._look()
        self.say_notes()
        if self.store is not None:
            self.store.give_back()
        self.client_log.close()
        self.posts.transport.close()
        self.polls.transport.close()

    def say_notes(self) -> None:
        for notes in (self.delivery.notes, self.polling.notes):
            while notes:
                self.client_log.count(*notes.popleft())

    def _settle(self) -> None:
        while self._agenda and self._agenda[0][0] <= self.now:
            self._agenda.pop(0)[1]()
            self._look()
        self.client_log.tick()
        while self._post_step() or self._poll_step():
            self._look()
        self._look()

    def _post_step(self) -> bool:
        """Does what is due now; False when nothing is due."""
        if self._post is None:
            step = self.delivery.next_step(self.now)
            self._next_step_at = getattr(step, "until", None)
            if not isinstance(step, Send):
                return self._store_step(step)
            post, body = self.posts.transport.post, step.body
            self._post = self.posts.ask(self.now, lambda timeout: post(body, timeout))
        if self.posts.silent_until is not None and self.now < self.posts.silent_until:
            self._next_step_at = self.posts.silent_until
            return False
        answer, self._post = self._post, None
        version = self.delivery.answered(answer, self.now)
        if version is not None:
            self.polling.note_version(version, self.now)
        return True

    def _store_step(self, step: Step) -> bool:
        if isinstance(step, Wait):
            return False
        assert self.store is not None
        if isinstance(step, Keep):
            self.delivery.kept(step, self.store.keep(step.events))
        elif isinstance(step, TakeReplay):
            assert self.delivery.replayed(self.store.take(), self.now)
        elif isinstance(step, ReleaseReplay):
            self.store.release()
        else:
            self.store.touch()
        return True

    def _poll_step(self) -> bool:
        if self._poll is None:
            if self.now < self.polling.next_at:
                return False
            etag, wait = self.polling.begin(self.now)
            self._poll = self.polls.ask(
                self.now, lambda timeout: self.polls.transport.get_config(etag, wait, timeout), wait
            )
        if self.polls.silent_until is not None and self.now < self.polls.silent_until:
            return False
        answer, self._poll = self._poll, None
        if self.polling.answered(answer, self.now):
            self.delivery.note_reachable()
        return True

    def _look(self) -> None:
        self.say_notes()
        for entry in list(self._waits):
            deadline, outcome, note = entry
            decided = outcome()
            if decided is None and self.now >= deadline:
                decided = False
            if decided is not None:
                self._waits.remove(entry)
                note(decided)

    def _due_times(self) -> List[float]:
        poll_at = self.polls.silent_until if self._poll is not None else self.polling.next_at
        tick = self.client_log.next_tick()
        times: List[Optional[float]] = [self._next_step_at, poll_at, tick and tick * 1_000, 1e15]
        return [
            *(at for at in times if at is not None),
            *(at for at, _ in self._agenda),
            *(at for at, _, _ in self._waits),
        ]


def expect_log(lines: List[str], expected: List[Dict[str, Any]]) -> None:
    """Expects exactly these lines in a `RecordedLog`, none with the API key."""
    levels = {"warn": "warning", "error": "error"}
    assert [line.split(" ")[0] for line in lines] == [levels[line["level"]] for line in expected]
    for line, wanted in zip(lines, expected):
        assert all(text in line for text in wanted["holds"])
    assert API_KEY not in "".join(lines)
