"""vectors/clock.json: times of events on a machine whose clock is off."""

from __future__ import annotations

import time
from datetime import datetime
from email.utils import formatdate
from typing import Any, Dict, List

import pytest
from conftest import ScenarioServer, vectors
from recorded_log import RecordedLog
from sample_config import sample_config

from assay import Assay
from assay._client_log import ClientLog
from assay._service_clock import ServiceClock, Timing, offset_after

CASES = vectors("clock")["cases"]
HOUR = 3_600


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_clock(case: Dict[str, Any]) -> None:
    timing = Timing(case["sent_at_ms"], case["answered_at_ms"], case["date"])
    assert offset_after(case["known_offset_ms"], timing) == case["offset_ms"]


def reply(body: Any, status: int = 200, ahead: int = HOUR) -> Dict[str, Any]:
    return {"status": status, "headers": {"date": formatdate(time.time() + ahead, usegmt=True)}, "body": body}


ACK = {"accepted": 1, "config_version": 1, "rejected": []}


class Run:
    """A client that tracks three events: one before each of its batches is answered."""

    def __init__(self, server: ScenarioServer, config: Any, events: List[Any], **options: Any) -> None:
        server.play({"/v1/config": [config], "/v1/events": events})
        self.log = RecordedLog()
        self.client = Assay(api_key="svc_pk_1", base_url=server.url, logger=self.log.logger, **options)
        self.client.wait_ready(10)
        for _ in range(2):
            self.client.track("business_event", {"user_id": "ann", "business_metric": "m", "value": 1})
            self.client.flush(10)
        self.client.close()
        self.hours_ahead = [
            round((_seconds(event["timestamp"]) - time.time()) / HOUR) for event in server.events()
        ]

    @property
    def warnings(self) -> List[str]:
        return [line for line in self.log.lines if "the clock is" in line]


def _seconds(timestamp: str) -> float:
    return datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()


def test_a_config_corrects_the_clock(scenario_server: ScenarioServer) -> None:
    run = Run(scenario_server, reply(sample_config()), [reply(ACK, 202)])
    assert run.hours_ahead == [1, 1]
    assert len(run.warnings) == 1 and "s behind" in run.warnings[0]


def test_an_acknowledgement_corrects_the_clock(scenario_server: ScenarioServer) -> None:
    run = Run(scenario_server, reply(sample_config(), ahead=0), [reply(ACK, 202, ahead=-HOUR)])
    assert run.hours_ahead == [0, -1]
    assert len(run.warnings) == 1 and "s ahead:" in run.warnings[0]


def test_what_is_not_the_service_corrects_nothing(scenario_server: ScenarioServer) -> None:
    page = reply({"hello": 1})
    config = reply(sample_config(), ahead=0)
    run = Run(scenario_server, config, [reply({}, 400), reply({}, 413), page])
    assert run.hours_ahead[:2] == [0, 0] and run.warnings == []


def test_a_clock_of_the_caller_is_left_alone(scenario_server: ScenarioServer) -> None:
    run = Run(scenario_server, reply(sample_config()), [reply(ACK, 202)], now=time.time)
    assert run.hours_ahead == [0, 0] and run.warnings == []


def test_a_clock_that_is_right_again_is_used_again() -> None:
    log = RecordedLog()
    clock = ServiceClock(ClientLog(log.logger, time.monotonic))
    sent_at = int(time.time() * 1_000)
    for ahead, seen in ((HOUR, 1), (-HOUR, -1), (0, 0)):
        clock.note(Timing(sent_at, sent_at, formatdate(sent_at / 1_000 + ahead, usegmt=True)))
        assert round((clock.now() - time.time()) / HOUR) == seen
    clock.note(None)
    assert len(log.lines) == 1
