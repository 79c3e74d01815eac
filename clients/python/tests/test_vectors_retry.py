"""vectors/retry.json: how tracked events are sent."""

from __future__ import annotations

import functools
import json
from typing import Any, Dict, List

import pytest
from conftest import ScenarioServer, vectors
from core_fixture import settings_of
from virtual_run import API_KEY, VirtualRun, expect_log

from assay._event_row import UnsendableEvent, to_event_row

CASES = vectors("retry")["cases"]


def event(number: int, filler_bytes: int) -> Dict[str, Any]:
    payload = {"event_id": f"e{number}", "experiment_id": "x", "user_id": "u", "business_metric": "m"}
    return {**payload, "metadata": {"filler": "x" * filler_bytes}} if filler_bytes else payload


class Play:
    """One case: what it tracks and flushes, and the results of the flushes."""

    def __init__(self, server: ScenarioServer, case: Dict[str, Any]) -> None:
        server.play({"/v1/events": case["replies"]})
        self.run = VirtualRun(server, case["random"], case["replies"], [])
        self.outcomes: List[Any] = [None] * len(case["flushes"])
        self._tracked = 0
        self._settings = settings_of(api_key=API_KEY, base_url="unused")
        for track in case["tracks"]:
            count, filler_bytes = track["count"], track.get("filler_bytes", 0)
            self.run.at(track["at_ms"], functools.partial(self._track, count, filler_bytes))
        for index, flush in enumerate(case["flushes"]):
            self.run.at(flush["at_ms"], functools.partial(self._flush, index, flush))
        self.run.run_until(case.get("run_ms", 1_000_000))
        self.lines = list(self.run.log.lines)
        self.run.close()

    def _track(self, count: int, filler_bytes: int) -> None:
        for _ in range(count):
            payload = event(self._tracked, filler_bytes)
            self._tracked += 1
            try:
                self.run.delivery.add(to_event_row("business_event", payload, self._settings), self.run.now)
            except UnsendableEvent as error:
                self.run.client_log.count(f"event dropped, {error}")
            self.run.say_notes()

    def _flush(self, index: int, flush: Dict[str, Any]) -> None:
        def note(delivered: bool) -> None:
            outcome = {"delivered": delivered, "answered_at_ms": self.run.now}
            if "rejected" in flush:
                rejected = self.run.delivery.take_rejected()
                outcome["rejected"] = [{"detail": each.detail, "count": each.count} for each in rejected]
            self.outcomes[index] = outcome

        self.run.flush(flush["timeout_ms"], note)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_retry(case: Dict[str, Any], scenario_server: ScenarioServer) -> None:
    play = Play(scenario_server, case)
    requests = scenario_server.requests()
    assert {(request["method"], request["path"]) for request in requests} <= {("POST", "/v1/events")}
    sent = [[row["event_id"] for row in json.loads(request["body"])["events"]] for request in requests]
    assert sent == [
        [f"e{number}" for number in range(wanted["first"], wanted["first"] + wanted["count"])]
        for wanted in case["requests"]
    ]
    assert play.run.posts.sent_at == [pytest.approx(wanted["at_ms"], abs=1) for wanted in case["requests"]]
    for request in requests:
        assert request["headers"]["x-api-key"] == API_KEY
        assert request["headers"]["content-type"] == "application/json"
    for before, after, ids, next_ids in zip(requests, requests[1:], sent, sent[1:]):
        assert ids != next_ids or before["body"] == after["body"]
    assert play.outcomes == [
        {
            **{name: flush[name] for name in ("delivered", "rejected") if name in flush},
            "answered_at_ms": pytest.approx(flush["answered_at_ms"], abs=1),
        }
        for flush in case["flushes"]
    ]
    expect_log(play.lines, case["log"])
