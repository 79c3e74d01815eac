"""The whole client against a service on this machine."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any, Dict, List

import pytest
from conftest import ScenarioServer, vectors
from marked import unmark
from recorded_log import RecordedLog
from sample_config import EXPERIMENT_ID, sample_config

from assay import Assay

ACK = {"status": 202, "body": {"accepted": 1, "config_version": 1, "rejected": []}}


@pytest.fixture
def service(scenario_server: ScenarioServer) -> ScenarioServer:
    config = {"status": 200, "body": sample_config(), "headers": {"etag": '"1"'}}
    scenario_server.play({"/v1/config": [config], "/v1/events": [ACK]})
    return scenario_server


def test_key_and_address_from_the_environment(
    service: ScenarioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", "svc_pk_env")
    monkeypatch.setenv("ASSAY_BASE_URL", f"{service.url}/")
    with Assay(experiments=["greeting"]) as client:
        assert client.wait_ready(30)
        assert client.assign("greeting", "u") == "short"
        assert client.get_prompt("greeting", "u", "d") == ("short", "Be brief.", False)
    assert service.requests("/v1/config")[0]["headers"]["x-api-key"] == "svc_pk_env"
    (exposure,) = service.events()
    assert (exposure["experiment_id"], exposure["user_id"]) == (EXPERIMENT_ID, "u")


def test_events_of_event_json_arrive(service: ScenarioServer) -> None:
    given = vectors("event")
    log = RecordedLog()
    client = Assay(
        api_key="k",
        base_url=service.url,
        logger=log.logger,
        now=lambda: given["now"] / 1000,
        new_id=lambda: given["new_id"],
    )
    with client:
        for case in given["cases"]:
            client.track(case["type"], unmark(case["payload"]))
        assert client.flush()
    expected = [unmark(case["row"]) for case in given["cases"] if case["row"] is not None]
    assert sorted(map(canonical, service.events())) == sorted(map(canonical, expected))
    assert all(line.startswith("warning [assay] event dropped, ") for line in log.lines)


def test_async_with(service: ScenarioServer) -> None:
    async def use() -> None:
        async with Assay(api_key="k", base_url=service.url) as client:
            assert client.wait_ready(30)
            assert await client.aassign("greeting", "u") == "short"
            await client.atrack("business_event", {"user_id": "u", "business_metric": "m"})
            assert await client.aflush()
            assert len(service.events()) == 2
            await client.atrack("business_event", {"user_id": "u", "business_metric": "m"})

    asyncio.run(use())
    assert len(service.events()) == 3


def test_assign_and_track_from_8_threads_while_the_config_loads(service: ScenarioServer) -> None:
    client = Assay(api_key="k", base_url=service.url, logger=RecordedLog().logger)
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for i in range(200):
            client.assign("greeting", f"user-{i}")
            client.track("business_event", {"user_id": f"{number}-{i}", "business_metric": "m"})
        client.wait_ready()
        for i in range(200):
            assert client.assign("greeting", f"user-{i}") == "short"

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.close()
    events = service.events()
    users: Dict[str, List[str]] = {"exposure": [], "business_event": []}
    for event in events:
        users[event["type"]].append(event["user_id"])
    assert sorted(users["exposure"]) == sorted(f"user-{i}" for i in range(200))
    assert sorted(users["business_event"]) == sorted(f"{n}-{i}" for n in range(8) for i in range(200))
    assert len({event["event_id"] for event in events}) == len(events)


def test_assignments_before_the_config_are_reported(service: ScenarioServer) -> None:
    service.play({"/v1/config": ["hang"], "/v1/events": [ACK]})
    with Assay(api_key="k", base_url=service.url, logger=RecordedLog().logger) as client:
        assert [client.assign("greeting", "u") for _ in range(3)] == [None] * 3
        client.track("business_event", {"user_id": "u", "business_metric": "m"})
        assert client.flush()
    (batch,) = service.requests("/v1/events")
    assert json.loads(batch["body"])["client"] == {"null_before_ready": 3}


@pytest.mark.parametrize(
    "base_url", ["not an address", "http://", "ftp://127.0.0.1", "http://127.0.0.1:port", "http://\u0000"]
)
def test_an_address_that_is_none_raises_nothing(base_url: str) -> None:
    client = Assay(api_key="k", base_url=base_url, logger=RecordedLog().logger)
    client.track("exposure", {"experiment_id": "greeting", "user_id": "u"})
    assert client.assign("greeting", "u") is None
    assert not client.wait_ready(0.01)
    assert not client.close(0.1)


@pytest.mark.parametrize("api_key", ["k\nx: y", "schl\u00fcssel \U0001f600", "\ud83d"], ids=ascii)
def test_a_key_that_no_header_can_carry_raises_nothing(api_key: str, service: ScenarioServer) -> None:
    log = RecordedLog()
    client = Assay(api_key=api_key, base_url=service.url, logger=log.logger)
    client.track("exposure", {"experiment_id": "greeting", "user_id": "u"})
    assert isinstance(client.flush(0.2), bool)
    client.close(0.1)
    assert not any(api_key in line for line in log.lines)
    assert not any("x" in request["headers"] for request in service.requests())


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
