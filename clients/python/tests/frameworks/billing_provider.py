"""
A provider that speaks the wire formats of OpenAI, Anthropic and Google, and keeps a ledger of what it billed.
Each call costs a different number of tokens, so mixed-up or double-counted calls are visible.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Iterator, List, Tuple

TEXT = ["A share ", "of all ", "the users ", "of it."]

Bill = Dict[str, int]
"""The tokens of one call, by the names of a `model_call`."""
Json = Dict[str, Any]


class BillingProvider:
    """
    It answers with text, with one call of each tool that it is offered (until it gets the results), and with
    an object when the request has a schema. `one_by_one`: it calls the tools in turn.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ledger: List[Bill] = []
        self._count = 0
        provider = self

        class Handler(_Handler):
            pass

        Handler.provider = provider
        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.reset()
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    def reset(self, failures: int = 0, status: int = 500, **special: bool) -> None:
        """
        Starts a new ledger. The first `failures` requests get the `status`. `special`: `reasons`, `caches`,
        and `stalls`, which means that streams stop after their first text.
        """
        self.ledger = []
        self.failures = failures
        self.status = status
        self.reasons = special.get("reasons", False)
        self.caches = special.get("caches", False)
        self.stalls = special.get("stalls", False)
        self.one_by_one = special.get("one_by_one", False)
        self.has_stalled = threading.Event()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def bill(self, kind: str) -> Bill:
        """Adds a call to the ledger."""
        with self.lock:
            self._count += 1
            bill = {"input_tokens": 1000 + 7 * self._count}
            if kind != "embedding":
                bill["output_tokens"] = 100 + self._count
            if self.caches:
                bill["cached_input_tokens"] = 300 + self._count
                if kind == "anthropic":
                    bill["cache_write_5m_tokens"] = 200 + self._count
            if self.reasons:
                bill["reasoning_tokens"] = 40 + self._count
            self.ledger.append(bill)
        return bill


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # The client has left.


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    provider: BillingProvider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        provider = self.provider
        with provider.lock:
            fails = provider.failures > 0
            provider.failures -= fails
        if fails:
            error = {"type": "server_error", "message": "out of order", "code": provider.status}
            self._send(provider.status, json.dumps({"type": "error", "error": error}).encode())
        elif "mbedContent" in self.path:
            self.provider.bill("embedding")
            self._send(200, json.dumps({"embeddings": [{"values": [0.1, 0.2]}]}).encode())
        elif self.path.endswith("/embeddings"):
            self._send(200, json.dumps(_embeddings(body, provider.bill("embedding"))).encode())
        else:
            self._answer(body)

    def _answer(self, body: Json) -> None:
        if "/messages" in self.path:
            bill, is_stream = self.provider.bill("anthropic"), bool(body.get("stream"))
            whole, events = _message(body, bill), _message_events
        elif "enerateContent" in self.path:
            bill, is_stream = self.provider.bill("google"), ":stream" in self.path
            whole, events = _content(body, bill, self.path), _content_events
        else:
            bill, is_stream = self.provider.bill("openai"), bool(body.get("stream"))
            is_chat = self.path.endswith("/chat/completions")
            body = _with_next_tool(body) if self.provider.one_by_one else body
            whole = _completion(body, bill) if is_chat else _text_completion(body, bill)
            has_usage = (body.get("stream_options") or {}).get("include_usage") is True

            def events(whole: Json) -> Iterator[Json]:
                return _chunks(whole, has_usage)

        if is_stream:
            self._stream(events(whole), is_openai="chat/completions" in self.path)
        else:
            self._send(200, json.dumps(whole).encode())

    def _stream(self, events: Iterator[Json], is_openai: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            if self.provider.stalls and TEXT[0] in json.dumps(event):
                self.provider.has_stalled.set()
                time.sleep(5)
        if is_openai:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _embeddings(body: Json, bill: Bill) -> Json:
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    data = [
        {"object": "embedding", "index": index, "embedding": [0.1, 0.2] if index else [0.3, 0.4]}
        for index in range(len(texts))
    ]
    usage = {"prompt_tokens": bill["input_tokens"], "total_tokens": bill["input_tokens"]}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _filled(schema: Json) -> Json:
    """An object that has the schema's fields, all texts."""
    return {name: "yes" for name in schema.get("properties", {})}


def _with_next_tool(body: Json) -> Json:
    """The request as if it offered only the tool that has not answered yet, and had no answers."""
    answered = sum(message["role"] == "tool" for message in body["messages"])
    return {
        **body,
        "tools": (body.get("tools") or [])[answered : answered + 1],
        "messages": [{"role": "user"}],
    }


def _completion(body: Json, bill: Bill) -> Json:
    message: Json = {"role": "assistant", "content": "".join(TEXT), "refusal": None}
    reason = "stop"
    tools = [tool["function"] for tool in body.get("tools") or ()]
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    if tools and body["messages"][-1]["role"] != "tool":
        reason = "tool_calls"
        message["content"] = None
        message["tool_calls"] = [
            {
                "id": f"call_{tool['name']}",
                "type": "function",
                "function": {"name": tool["name"], "arguments": json.dumps(_filled(tool["parameters"]))},
            }
            for tool in tools
        ]
    elif schema:
        message["content"] = json.dumps(_filled(schema))
    choices = [
        {"index": index, "message": message, "finish_reason": reason, "logprobs": None}
        for index in range(body.get("n") or 1)
    ]
    usage: Json = {"prompt_tokens": bill["input_tokens"], "completion_tokens": bill["output_tokens"]}
    usage["total_tokens"] = sum(usage.values())
    if "cached_input_tokens" in bill:
        usage["prompt_tokens_details"] = {"cached_tokens": bill["cached_input_tokens"]}
    if "reasoning_tokens" in bill:
        usage["completion_tokens_details"] = {"reasoning_tokens": bill["reasoning_tokens"]}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
    return {**head, "choices": choices, "usage": usage}


def _text_completion(body: Json, bill: Bill) -> Json:
    choice = {"index": 0, "text": "".join(TEXT), "finish_reason": "stop", "logprobs": None}
    chat = _completion({**body, "messages": []}, bill)
    return {**chat, "object": "text_completion", "choices": [choice]}


def _chunks(whole: Json, has_usage: bool) -> Iterator[Json]:
    head = {**whole, "object": "chat.completion.chunk"}
    usage = head.pop("usage")
    if has_usage:
        head["usage"] = None

    def chunk(choice: Json, delta: Json, reason: Any = None) -> Json:
        return {**head, "choices": [{"index": choice["index"], "delta": delta, "finish_reason": reason}]}

    for choice in whole["choices"]:
        message = choice["message"]
        yield chunk(choice, {"role": "assistant", "content": ""})
        for index, call in enumerate(message.get("tool_calls") or ()):
            yield chunk(choice, {"tool_calls": [{**call, "index": index}]})
        text = message["content"] or ""
        for piece in TEXT if text == "".join(TEXT) else [text]:
            if piece:
                yield chunk(choice, {"content": piece})
        yield chunk(choice, {}, choice["finish_reason"])
    if has_usage:
        yield {**head, "choices": [], "usage": usage}


def _message(body: Json, bill: Bill) -> Json:
    content: List[Json] = [{"type": "text", "text": "".join(TEXT)}]
    reason = "end_turn"
    last = body["messages"][-1]["content"]
    has_results = isinstance(last, list) and any(part.get("type") == "tool_result" for part in last)
    if body.get("tools") and not has_results:
        reason = "tool_use"
        content = [
            {
                "type": "tool_use",
                "id": f"call_{tool['name']}",
                "name": tool["name"],
                "input": _filled(tool["input_schema"]),
            }
            for index, tool in enumerate(body["tools"])
        ]
    elif body.get("output_format") or (body.get("output_config") or {}).get("format"):
        schema = (body.get("output_format") or body["output_config"]["format"])["schema"]
        content = [{"type": "text", "text": json.dumps(_filled(schema))}]
    read, written = bill.get("cached_input_tokens", 0), bill.get("cache_write_5m_tokens", 0)
    usage: Json = {
        "input_tokens": bill["input_tokens"] - read - written,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": bill["output_tokens"],
    }
    if "reasoning_tokens" in bill:
        usage["output_tokens_details"] = {"thinking_tokens": bill["reasoning_tokens"]}
    head = {"id": "m1", "type": "message", "role": "assistant", "model": body["model"]}
    return {**head, "content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage}


def _message_events(whole: Json) -> Iterator[Json]:
    usage = {**whole["usage"], "output_tokens": 1}
    yield {
        "type": "message_start",
        "message": {**whole, "content": [], "stop_reason": None, "usage": usage},
    }
    for index, block in enumerate(whole["content"]):
        empty = {"text": ""} if block["type"] == "text" else {"input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _deltas(block: Json) -> List[Json]:
    if block["type"] == "tool_use":
        return [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
    pieces = TEXT if block["text"] == "".join(TEXT) else [block["text"]]
    return [{"type": "text_delta", "text": piece} for piece in pieces]


def _content(body: Json, bill: Bill, path: str) -> Json:
    declared: List[Json] = [
        tool for tools in body.get("tools") or () for tool in tools.get("functionDeclarations") or ()
    ]
    has_results = any("functionResponse" in part for part in body["contents"][-1]["parts"])
    config = body.get("generationConfig") or {}
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    parts: List[Json] = [{"text": "".join(TEXT)}]
    if declared and not has_results:
        parts = [
            {"functionCall": {"name": tool["name"], "args": _filled(_parameters(tool))}} for tool in declared
        ]
    elif schema:
        parts = [{"text": json.dumps(_filled(schema))}]
    candidates = [
        {"index": index, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
        for index in range(config.get("candidateCount") or 1)
    ]
    thought = bill.get("reasoning_tokens", 0)
    usage = {
        "promptTokenCount": bill["input_tokens"],
        "candidatesTokenCount": bill["output_tokens"] - thought,
        "totalTokenCount": bill["input_tokens"] + bill["output_tokens"],
    }
    if thought:
        usage["thoughtsTokenCount"] = thought
    if "cached_input_tokens" in bill:
        usage["cachedContentTokenCount"] = bill["cached_input_tokens"]
    model = path.split("models/")[-1].split(":")[0]
    return {"candidates": candidates, "usageMetadata": usage, "modelVersion": model}


def _parameters(tool: Json) -> Json:
    return tool.get("parametersJsonSchema") or tool.get("parameters_json_schema") or {}


def _content_events(whole: Json) -> Iterator[Json]:
    (first, *_) = whole["candidates"]
    parts: List[Tuple[Json, ...]] = [(part,) for part in first["content"]["parts"]]
    if first["content"]["parts"] == [{"text": "".join(TEXT)}]:
        parts = [({"text": piece},) for piece in TEXT]
    for part in parts:
        yield {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": list(part)}}],
            "modelVersion": whole["modelVersion"],
        }
    yield {
        **whole,
        "candidates": [{"index": 0, "content": {"role": "model", "parts": []}, "finishReason": "STOP"}],
    }
