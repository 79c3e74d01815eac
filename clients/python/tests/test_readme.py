"""The README's programs do what the README says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import pytest
from conftest import ScenarioServer
from readme_programs import Ended, ReadmePrograms
from sample_config import sample_config

PROMPT = "Answer in one sentence."
QUESTION = "What is a bucket?"
ANSWER = "A share of the users."

VARIANTS = [{"key": key, "prompt": PROMPT, "variables": {"temperature": 0.2}} for key in ("control", "short")]
CONFIG = sample_config(variants=VARIANTS)


def sse(events: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Makes the reply that streams these events, each named by its type."""
    return {
        "status": 200,
        "headers": {"content-type": "text/event-stream"},
        "chunks": [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events],
    }


CHAT = {
    "status": 200,
    "body": {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": ANSWER, "refusal": None},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "usage": {"prompt_tokens": 21, "completion_tokens": 6, "total_tokens": 27},
    },
}
MESSAGE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-20251001",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 21, "output_tokens": 1},
}
MESSAGE_STREAM = sse(
    [
        {"type": "message_start", "message": MESSAGE},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 6},
        },
        {"type": "message_stop"},
    ]
)
CONTENT = {
    "status": 200,
    "body": {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 21, "candidatesTokenCount": 6, "totalTokenCount": 27},
        "modelVersion": "gemini-2.5-flash-001",
    },
}


class Example(NamedTuple):
    """A program that asks a provider, whose `reply` is played at each of `paths`."""

    name: str
    paths: List[str]
    reply: Dict[str, Any]
    call: Tuple[str, str, str]
    """Requested model, model, finish reason."""


CHAT_PATH = "/openai/chat/completions"
OPENAI_CALL = ("gpt-4o-mini", "gpt-4o-mini-2024-07-18", "stop")
EXAMPLES = [
    Example("openai_chat.py", [CHAT_PATH], CHAT, OPENAI_CALL),
    Example(
        "anthropic_stream.py",
        ["/anthropic/v1/messages"],
        MESSAGE_STREAM,
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001", "end_turn"),
    ),
    Example(
        "google_genai.py",
        # The library chooses the version in it, and that changes.
        [f"/google/{version}/models/gemini-2.5-flash:generateContent" for version in ("v1", "v1beta")],
        CONTENT,
        ("gemini-2.5-flash", "gemini-2.5-flash-001", "STOP"),
    ),
]
# By tests/frameworks/test_readme_frameworks.py.
RUN_WITH_FRAMEWORKS = [
    "with_langchain.py",
    "with_litellm.py",
    "with_llama_index.py",
    "with_openai_agents.py",
    "with_openfeature.py",
    "with_pydantic_ai.py",
]
RUN_BY_THEMSELVES = [
    "agent_run.py",
    "async_openai.py",
    "conversation.py",
    "first_steps.py",
    "other.py",
    "unit_test.py",
]


@pytest.fixture
def programs(tmp_path: Path) -> ReadmePrograms:
    return ReadmePrograms(tmp_path)


def run(programs: ReadmePrograms, server: ScenarioServer, name: str, **replies: Dict[str, Any]) -> Ended:
    """Runs a program against a service that accepts everything; `replies` adds replies by path."""
    acknowledged = {"status": 202, "body": {"accepted": 1, "config_version": 1, "rejected": []}}
    service = {"/v1/config": [{"status": 200, "body": CONFIG}], "/v1/events": [acknowledged]}
    server.play({**service, **{path: [reply] for path, reply in replies.items()}})
    environment = {
        "ASSAY_API_KEY": "svc_pk_1",
        "ASSAY_BASE_URL": server.url,
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": f"{server.url}/openai",
        "OPENAI_API_BASE": f"{server.url}/openai",  # LlamaIndex's name for it
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": f"{server.url}/anthropic",
        "GOOGLE_API_KEY": "k",
        "GOOGLE_GEMINI_BASE_URL": f"{server.url}/google",
    }
    return programs.run(name, environment)


def of_type(event_type: str, server: ScenarioServer) -> List[Any]:
    return [event for event in server.events() if event["type"] == event_type]


def expect_call(event: Dict[str, Any], user: str, call: Tuple[str, str, Optional[str]]) -> None:
    requested_model, model, finish_reason = call
    expected = {
        "user_id": user,
        "variant": "short",
        "provider": "localhost",
        "requested_model": requested_model,
        "model": model,
        "finish_reason": finish_reason,
        "input_tokens": 21,
        "output_tokens": 6,
        "error": False,
        "response": ANSWER,
    }
    assert {name: event.get(name) for name in expected} == expected
    assert QUESTION in event["prompt"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_program_with_a_provider_answers_and_its_call_is_reported(
    example: Example, programs: ReadmePrograms, scenario_server: ScenarioServer
) -> None:
    if example.name == "google_genai.py" and sys.version_info < (3, 9):
        pytest.skip("google-genai has no version for Python 3.8")
    replies = {path: example.reply for path in example.paths}
    assert run(programs, scenario_server, example.name, **replies) == Ended(0, f"{ANSWER}\n", "")
    asked = [request for request in scenario_server.requests() if request["path"] in example.paths]
    assert len(asked) == 1 and PROMPT in asked[0]["body"]
    assert {event["variant"] for event in of_type("exposure", scenario_server)} == {"short"}
    (call,) = of_type("model_call", scenario_server)
    expect_call(call, "ann", example.call)


def test_the_asyncio_program_keeps_its_users_apart(
    programs: ReadmePrograms, scenario_server: ScenarioServer
) -> None:
    ended = run(programs, scenario_server, "async_openai.py", **{CHAT_PATH: CHAT})
    assert ended == Ended(0, f"ann: {ANSWER}\nbob: {ANSWER}\n", "")
    assert ["Be brief." in request["body"] for request in scenario_server.requests(CHAT_PATH)] == [True, True]
    calls = sorted(of_type("model_call", scenario_server), key=lambda event: event["user_id"])
    assert len(calls) == 2
    for call, user in zip(calls, ["ann", "bob"]):
        expect_call(call, user, OPENAI_CALL)
    outcomes = of_type("business_event", scenario_server)
    assert sorted(event["user_id"] for event in outcomes) == ["ann", "bob"]


def test_the_first_steps_assign_read_content_and_deliver_the_outcome(
    programs: ReadmePrograms, scenario_server: ScenarioServer
) -> None:
    assert run(programs, scenario_server, "first_steps.py") == Ended(0, f"short {PROMPT} 0.2\n", "")
    assert [event["type"] for event in scenario_server.events()] == ["exposure", "business_event"]


def test_the_call_of_something_else_is_reported_with_what_the_extractor_read(
    programs: ReadmePrograms, scenario_server: ScenarioServer
) -> None:
    assert run(programs, scenario_server, "other.py") == Ended(0, "Really? Yes.\n", "")
    assert [event["type"] for event in scenario_server.events()] == ["exposure", "model_call"]
    (call,) = of_type("model_call", scenario_server)
    expected = {"model": "in-house-1", "input_tokens": 4, "output_tokens": 1, "response": "Really? Yes."}
    assert {name: call.get(name) for name in expected} == expected


def test_a_conversation_is_assigned_and_named(
    programs: ReadmePrograms, scenario_server: ScenarioServer
) -> None:
    config = {"status": 200, "body": sample_config(variants=VARIANTS, unit="conversation")}
    ended = run(programs, scenario_server, "conversation.py", **{"/v1/config": config})
    assert ended == Ended(0, f"{PROMPT}\nshort\n", "")
    named = [(event["unit_id"], event.get("run_id")) for event in scenario_server.events()]
    assert named == [("conversation-17", "run-4"), ("conversation-18", None)]


def test_the_agent_reports_its_tool_call_and_the_end_of_its_run(
    programs: ReadmePrograms, scenario_server: ScenarioServer
) -> None:
    assert run(programs, scenario_server, "agent_run.py") == Ended(0, "3 hits\n", "")
    call, end = scenario_server.events()
    for event in (call, end):
        assert (event["user_id"], event["run_id"]) == ("ann", "run-4")
    assert (call["type"], call["tool_name"], call["agent_name"]) == ("tool_call", "search", "support")
    assert (call["tool_arguments"], call["tool_result"]) == ('{"query":"buckets"}', "3 hits")
    assert (end["type"], end["completed"]) == ("run_end", True)


def test_the_unit_test_needs_no_service(programs: ReadmePrograms) -> None:
    assert programs.run("unit_test.py", {}) == Ended(0, "", "")


def test_every_program_of_the_readme_is_run_here(programs: ReadmePrograms) -> None:
    with_providers = [example.name for example in EXAMPLES]
    assert programs.names == sorted([*RUN_BY_THEMSELVES, *RUN_WITH_FRAMEWORKS, *with_providers])
