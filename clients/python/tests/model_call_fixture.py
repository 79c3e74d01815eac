"""
Shared by the tests of model calls: a client with a loaded config, and providers' clients of the scenario
server.
"""

from __future__ import annotations

import json
import ssl
from typing import Any, Dict, List

import anthropic
import openai
from conftest import ScenarioServer
from sample_config import sample_config

from assay._assay import Assay

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
MESSAGES = "/v1/messages"
EXPERIMENT_ID = "0190a6c2-7b5e-7c3d-9f10-000000000001"
IDENTITY = {"experiment_id": EXPERIMENT_ID, "user_id": "ada", "variant": "short"}
CONFIG = sample_config(id=EXPERIMENT_ID, variants=[{"key": key} for key in ("control", "short")])
ASK: Dict[str, Any] = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Hi"}]}
ASK_CLAUDE: Dict[str, Any] = {**ASK, "model": "claude-1", "max_tokens": 9}
ABORTED = {"outcome": "aborted"}
# Each of the providers' clients would read all certificates again, which takes 40 ms of CPU.
CERTIFICATES = ssl.create_default_context()
ACK = {"status": 202, "body": {"accepted": 1, "config_version": 1, "rejected": []}}


def usage(prompt: int = 9, completion: int = 3) -> Dict[str, int]:
    """Usage of a chat completion."""
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def completion(text: str = "Hello you") -> Dict[str, Any]:
    """A reply with a whole chat completion."""
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    body = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5-mini-2026",
        "usage": usage(),
    }
    return {"status": 200, "body": {**body, "choices": [choice]}}


def chunk(text: str, finish: Any = None, **more: Any) -> Dict[str, Any]:
    """A chunk of a streamed chat completion."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5-mini-2026"}
    return {**head, "choices": [choice], **more}


HELLO: List[Dict[str, Any]] = [chunk("Hello"), chunk(" you"), chunk("", "stop")]
USAGE_CHUNK = {**chunk(""), "choices": [], "usage": usage()}


def event_stream(chunks: List[Any], end: str = "end", done: bool = True) -> Dict[str, Any]:
    """A reply that streams chunks as OpenAI does."""
    texts = [f"data: {json.dumps(each)}\n\n" for each in chunks] + (["data: [DONE]\n\n"] if done else [])
    return {"status": 200, "headers": {"content-type": "text/event-stream"}, "chunks": texts, "end": end}


def claude_stream(texts: List[str], end: str = "end") -> Dict[str, Any]:
    """A reply that streams a message as Anthropic does."""
    message = {"id": "m", "type": "message", "role": "assistant", "model": "claude-1", "content": []}
    message.update(
        {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}
    )
    block = {"type": "text", "text": ""}
    events: List[Dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
            for text in texts
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ]
    chunks = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return {"status": 200, "headers": {"content-type": "text/event-stream"}, "chunks": chunks, "end": end}


def claude_message(text: str = "Hello you", **more: Any) -> Dict[str, Any]:
    """A reply with a whole message of Anthropic."""
    body = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 3},
    }
    return {"status": 200, "body": {**body, **more}}


class Observed:
    """A client on the scenario server, and what it has sent."""

    def __init__(self, server: ScenarioServer, scenario: Dict[str, List[Any]], **options: Any) -> None:
        self.server = server
        config = options.pop("config", CONFIG)
        server.play({"/v1/config": [{"status": 200, "body": config}], "/v1/events": [ACK], **scenario})
        self.assay = Assay(api_key="svc_pk_1", base_url=server.url, **options)
        assert self.assay.wait_ready(10)

    def openai(self, retries: int = 0) -> openai.OpenAI:
        return openai.OpenAI(
            api_key="k",
            base_url=f"{self.server.url}/v1",
            max_retries=retries,
            http_client=openai.DefaultHttpxClient(verify=CERTIFICATES),
        )

    def async_openai(self, retries: int = 0) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            api_key="k",
            base_url=f"{self.server.url}/v1",
            max_retries=retries,
            http_client=openai.DefaultAsyncHttpxClient(verify=CERTIFICATES),
        )

    def anthropic(self, retries: int = 0) -> anthropic.Anthropic:
        return anthropic.Anthropic(
            api_key="k",
            base_url=self.server.url,
            max_retries=retries,
            http_client=anthropic.DefaultHttpxClient(verify=CERTIFICATES),
        )

    def async_anthropic(self, retries: int = 0) -> anthropic.AsyncAnthropic:
        return anthropic.AsyncAnthropic(
            api_key="k",
            base_url=self.server.url,
            max_retries=retries,
            http_client=anthropic.DefaultAsyncHttpxClient(verify=CERTIFICATES),
        )

    def events(self) -> List[Dict[str, Any]]:
        """Returns all events sent, in order, without id and time."""
        assert self.assay.flush(10)
        return [
            {name: value for name, value in event.items() if name not in ("event_id", "timestamp")}
            for event in self.server.events()
        ]

    def calls(self) -> List[Dict[str, Any]]:
        """Returns the `model_call`s; each has its exposure."""
        events = self.events()
        calls = [event for event in events if event["type"] == "model_call"]
        assert len(events) == 2 * len(calls), events
        return calls
