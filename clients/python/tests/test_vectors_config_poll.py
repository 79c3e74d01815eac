"""vectors/config-poll.json: how the config is polled."""

from __future__ import annotations

import functools
from typing import Any, Dict, List, Optional

import pytest
from conftest import ScenarioServer, vectors
from virtual_run import API_KEY, VirtualRun, expect_log

from assay._event_row import KeptEvent

CASES = vectors("config-poll")["cases"]
EVENT = KeptEvent("e", 0, b'{"event_id":"e"}')


class Play:
    """One case: what its checks found, and the result of waiting until ready."""

    def __init__(self, server: ScenarioServer, case: Dict[str, Any]) -> None:
        acks = [
            {"status": 202, "body": {"accepted": 1, "config_version": ack["config_version"], "rejected": []}}
            for ack in case["acks"]
        ]
        waits = case["waits"] if case.get("long_poll") else None
        scripts = {"/v1/config": case["replies"], "/v1/config?wait=30": waits, "/v1/events": acks}
        server.play({path: replies for path, replies in scripts.items() if replies})
        self.run = VirtualRun(server, case["random"], acks, case["replies"], waits=waits)
        self.found: List[Optional[str]] = []
        self.readiness: List[Any] = []
        for ack in case["acks"]:
            self.run.at(ack["at_ms"], self._track)
        for check in case["checks"]:
            self.run.at(check["at_ms"], functools.partial(self._check, check["experiment"]))
        if "ready" in case:
            self.run.wait(case["ready"]["timeout_ms"], self._is_ready, self._note_ready)
        self.run.run_until(case["run_ms"])
        self.lines = list(self.run.log.lines)
        self.run.close()

    def _track(self) -> None:
        self.run.delivery.add(EVENT, self.run.now)
        self.run.delivery.flush()

    def _check(self, name: str) -> None:
        snapshot = self.run.polling.snapshot
        experiment = None if snapshot is None else snapshot.experiments.get(name)
        variant = None if experiment is None else experiment.find_variant("u")
        self.found.append(None if variant is None else variant.key)

    def _is_ready(self) -> Optional[bool]:
        return None if self.run.polling.snapshot is None else True

    def _note_ready(self, result: bool) -> None:
        self.readiness.append({"result": result, "answered_at_ms": self.run.now})


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_config_poll(case: Dict[str, Any], scenario_server: ScenarioServer) -> None:
    play = Play(scenario_server, case)
    requests = scenario_server.requests()
    polls = [request for request in requests if request["path"] != "/v1/events"]
    assert [(poll["method"], poll["path"]) for poll in polls] == [
        ("GET", f"/v1/config?wait={wanted['wait_seconds']}" if "wait_seconds" in wanted else "/v1/config")
        for wanted in case["requests"]
    ]
    assert play.run.polls.sent_at == [pytest.approx(wanted["at_ms"], abs=1) for wanted in case["requests"]]
    assert [poll["headers"].get("if-none-match") for poll in polls] == [
        wanted["if_none_match"] for wanted in case["requests"]
    ]
    assert {poll["headers"]["x-api-key"] for poll in polls} == {API_KEY}
    assert len(requests) - len(polls) == len(case["acks"])
    assert play.found == [check["variant"] for check in case["checks"]]
    ready = case.get("ready")
    wanted_readiness = ready and {"result": ready["result"], "answered_at_ms": ready["answered_at_ms"]}
    assert play.readiness == ([wanted_readiness] if ready else [])
    expect_log(play.lines, case["log"])
