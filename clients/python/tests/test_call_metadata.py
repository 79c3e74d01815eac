"""The caller's metadata for its model calls."""

from __future__ import annotations

from typing import Any, Dict, List

import openai
import pytest
from model_call_fixture import ABORTED, ASK, CHAT, HELLO, completion, event_stream
from sample_config import sample_config

from assay import TestClient, create_test_client


def client() -> TestClient:
    return create_test_client({"greeting": "short"})


def metadata_of(assay: TestClient) -> List[Any]:
    calls = [event for event in assay.events if event["type"] == "model_call"]
    assert not any("metadata" in event for event in assay.events if event["type"] == "exposure")
    return [call.get("metadata") for call in calls]


def ask(assay: TestClient, user: str = "ada") -> None:
    assay.intercept_model_call("greeting", user, lambda: "Hi")


def test_as_user_names_conversation_trace_and_more() -> None:
    assay = client()
    with assay.as_user("ada", conversation_id="c1", trace_id="t1", metadata={"page": 3, "trace_id": "x"}):
        ask(assay)
        with assay.as_user("ada", trace_id="t2"):
            ask(assay)
    ask(assay)
    assert metadata_of(assay) == [
        {"conversation_id": "c1", "trace_id": "t1", "page": 3},
        {"trace_id": "t2"},
        None,
    ]


def test_what_is_said_about_one_user_is_not_said_about_another() -> None:
    assay = client()
    with assay.as_user("ada", conversation_id="c1"):
        ask(assay, "bob")
    assert metadata_of(assay) == [None]


def test_the_metadata_is_a_copy() -> None:
    assay = client()
    given: Dict[str, Any] = {"page": 3}
    with assay.as_user("ada", metadata=given):
        given["page"] = 4
        ask(assay)
    assert (metadata_of(assay), given) == ([{"page": 3}], {"page": 4})


@pytest.mark.parametrize("given", [5, "text", ["x"]], ids=repr)
def test_what_is_no_metadata_is_left_out(given: Any) -> None:
    assay = client()
    with assay.as_user("ada", metadata=given, conversation_id=given):
        ask(assay)
    assert metadata_of(assay) == [{"conversation_id": "text"} if given == "text" else None]


def test_wrap_names_them_for_all_calls_and_as_user_for_some(observe: Any) -> None:
    stream = event_stream(HELLO)
    observed = observe({CHAT: [completion(), completion(), completion(), stream]})
    assay = observed.assay
    wrapped: openai.OpenAI = assay.wrap(
        observed.openai(), "greeting", user="ada", trace_id="t1", metadata={"page": 3}
    )
    wrapped.chat.completions.create(**ASK)
    with assay.as_user("ada", trace_id="t2"):
        wrapped.chat.completions.create(**ASK)
    again = assay.wrap(wrapped, "greeting", conversation_id="c1")
    again.chat.completions.create(**ASK)
    for _ in again.chat.completions.create(**ASK, stream=True):
        break
    del _
    assay.close()
    assert [call["user_id"] for call in observed.calls()] == ["ada"] * 4
    assert [call.get("metadata") for call in observed.calls()][:3] == [
        {"trace_id": "t1", "page": 3},
        {"trace_id": "t2", "page": 3},
        {"trace_id": "t1", "page": 3, "conversation_id": "c1"},
    ]
    assert observed.calls()[3]["metadata"] == {
        "trace_id": "t1",
        "page": 3,
        "conversation_id": "c1",
        **ABORTED,
    }


def test_overridden_calls_keep_their_metadata_beside_the_mark(make_core: Any) -> None:
    core = make_core(overrides={"greeting": "control"}, bootstrap=sample_config())
    with core.client.as_user("ada", trace_id="t1"):
        core.client.intercept_model_call("greeting", "ada", lambda: "Hi")
    assert [row["metadata"] for row in core.rows] == [
        {"assay_test": True},
        {"assay_test": True, "trace_id": "t1"},
    ]
