"""Clients that make no requests."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from conftest import client_threads
from sample_config import sample_config

import assay
from assay import Assay, TestClient, create_test_client


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a request")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_an_offline_client_needs_no_key_and_starts_no_thread(caplog: pytest.LogCaptureFixture) -> None:
    threads = client_threads()
    with Assay(offline=True, bootstrap=sample_config(), experiments=["greeting"]) as client:
        assert client.wait_ready() and client.assign("greeting", "ann") == "short"
        client.track("business_event", {"user_id": "ann", "business_metric": "m", "value": 1})
        assert client.flush() and client.flush_report() == (True, ())
        assert client_threads() == threads
    assert client.close()
    assert caplog.records == []


def test_an_offline_client_without_a_config_gives_the_defaults_at_once() -> None:
    client = Assay(offline=True)
    assert client.wait_ready(3_600) is False
    assert client.assign("greeting", "ann") is None
    assert client.get_prompt("greeting", "ann", "Answer.") == (None, "Answer.", True)


def test_an_offline_client_takes_overrides() -> None:
    client = Assay(offline=True, bootstrap=sample_config(), overrides={"greeting": "control"})
    assert client.assign("greeting", "ann") == "control"


def test_a_test_client_gives_fixed_variants_and_keeps_the_events() -> None:
    client = create_test_client(
        {
            "greeting": "short",
            "tone": {"variant": "warm", "prompt": "Be warm.", "variables": {"temperature": 0.2}},
            "nobody": None,
        }
    )
    assert isinstance(client, TestClient) and client.wait_ready()
    assert [client.assign("greeting", user) for user in ("ann", "bob")] == ["short", "short"]
    assert client.get_prompt("tone", "ann", "") == ("warm", "Be warm.", False)
    assert client.get_variables("tone", "ann", {"temperature": 1.0}) == {"temperature": 0.2}
    assert client.assign("nobody", "ann") is client.assign("unknown", "ann") is None
    client.track("business_event", {"experiment_id": "tone", "user_id": "ann", "value": 1})
    assert [(event["type"], event.get("variant"), event["user_id"]) for event in client.events] == [
        ("exposure", "short", "ann"),
        ("exposure", "short", "bob"),
        ("exposure", "warm", "ann"),
        ("business_event", None, "ann"),
    ]
    assert {event["experiment_id"] for event in client.events} == {"greeting", "tone"}


def test_a_test_client_records_model_calls() -> None:
    client = create_test_client({"greeting": "short"})
    with client.as_user("ann"):
        answer = client.intercept_model_call("greeting", "ann", lambda: "Hi", lambda text: {"response": text})
    assert answer == "Hi"
    assert [event["type"] for event in client.events] == ["exposure", "model_call"]
    assert (client.events[1]["response"], client.events[1]["variant"]) == ("Hi", "short")


def test_a_test_client_works_with_asyncio() -> None:
    async def run() -> Any:
        async with create_test_client({"greeting": "short"}) as client:
            assert await client.await_ready()
            return await client.aassign("greeting", "ann"), await client.aflush()

    assert asyncio.run(run()) == ("short", True)


@pytest.mark.parametrize("fixed", [5, {}, {"variant": 5}, {"variant": "short", "promt": "x"}], ids=str)
def test_a_variant_that_is_none_is_an_error(fixed: Any) -> None:
    with pytest.raises(ValueError, match="greeting: a key"):
        assay.create_test_client({"greeting": fixed})
