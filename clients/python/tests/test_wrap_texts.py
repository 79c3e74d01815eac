"""The texts of prompts and responses: the cases of the TypeScript client, and hostile shapes."""

from __future__ import annotations

import time
from typing import Any, Dict, List

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._model_call._call_text import TextWriter, append_bounded, bound_text, content_text, messages_text

MAX_BYTES = 65_536


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("text", "bounded"),
    [
        pytest.param("", "", id="keeps an empty text"),
        pytest.param("a" * MAX_BYTES, "a" * MAX_BYTES, id="keeps 64 KiB to the byte"),
        pytest.param(
            "a" * (MAX_BYTES + 1), "a" * (MAX_BYTES - 8) + "…[cut]", id="cuts what is a byte longer"
        ),
        pytest.param("日" * 21_845, "日" * 21_845, id="keeps a text of three bytes a unit that fits"),
        pytest.param("a" + "😀" * 20_000, "a" + "😀" * 16_381 + "…[cut]", id="cuts between characters"),
        pytest.param(
            f"see data:image/png;base64,{'A' * MAX_BYTES} here",
            "see [image/png removed] here",
            id="media first",
        ),
        pytest.param(
            "<data:text/plain;charset=utf-8;base64,SGk=>", "<[text/plain removed]>", id="parameters too"
        ),
        pytest.param("data:;base64,abc", "data:;base64,abc", id="keeps what only looks like one"),
        pytest.param("data:a/b;base64x,abc", "data:a/b;base64x,abc", id="keeps another encoding"),
        pytest.param("data:é/b;base64,abc", "data:é/b;base64,abc", id="keeps a type that is none"),
    ],
)
def test_bound_text(text: str, bounded: str) -> None:
    assert bound_text(text) == bounded


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=40), st.integers(1, 9_000))
def test_bounded_texts_are_within_the_limit_and_stay_the_same(unit: str, times: int) -> None:
    bounded = bound_text(unit * times)
    assert _bytes(bounded) <= MAX_BYTES
    assert bound_text(bounded) == bounded


def test_deltas_fold_into_what_the_whole_text_would_be_bounded_to() -> None:
    deltas = [f"{index}€😀" for index in range(30_000)]
    writer = TextWriter()
    for delta in deltas:
        writer.read(delta)
    assert bound_text(writer.text()) == bound_text("".join(deltas))
    assert len(writer.text()) == MAX_BYTES + 1 == writer.length


def test_no_more_is_held_than_is_kept() -> None:
    assert len(append_bounded("b" * MAX_BYTES, "a" * 10_000_000)) == MAX_BYTES + 1
    assert len(append_bounded("b" * (MAX_BYTES + 9), "a")) == MAX_BYTES + 9


IMAGE: Dict[str, Any] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
CALL = {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"q":1}'}}
CONTENTS: Dict[str, Any] = {
    "a plain string": ("Hi", "Hi"),
    "nothing": (None, ""),
    "something that is no content": (7, ""),
    "texts of a kind, joined as they are": (
        [
            {"type": "text", "text": "a"},
            {"type": "input_text", "text": " b"},
            {"type": "output_text", "text": " c"},
        ],
        "a b c",
    ),
    "a refusal": ([{"type": "refusal", "refusal": "No."}], "No."),
    "an image on a line of its own": (
        [{"type": "text", "text": "What?"}, IMAGE, {"type": "text", "text": "Tell."}],
        "What?\n[image]\nTell.",
    ),
    "audio": ([{"type": "input_audio", "input_audio": {"data": "AAAA"}}], "[audio]"),
    "a file": ([{"type": "input_file", "file_id": "f"}], "[file]"),
    "a document": ([{"type": "document", "source": {"data": "AAAA"}}], "[document]"),
    "a file that is an image": ([{"type": "file", "mediaType": "image/png"}], "[image]"),
    "inline video": ({"parts": [{"inlineData": {"mimeType": "video/mp4"}}]}, "[video]"),
    "inline video, in Python's names": ({"parts": [{"inline_data": {"mime_type": "video/mp4"}}]}, "[video]"),
    "inline PDF": ([{"inlineData": {"mimeType": "application/pdf"}}], "[file]"),
    "linked audio": ([{"fileData": {"mimeType": "audio/wav"}}], "[audio]"),
    "an image that a model made": ({"type": "image_generation_call", "result": "AA"}, "[image]"),
    "an unknown part": ([{"type": "web_search_call", "id": "w"}], "[web_search_call]"),
    "a data URL inside a text": ("a data:image/gif;base64,R0lG b", "a [image/gif removed] b"),
    "an OpenAI message that calls tools": (
        {"role": "assistant", "content": "Wait.", "tool_calls": [CALL]},
        'Wait.\n[tool_call find({"q":1})]',
    ),
    "an OpenAI message that refuses": (
        {"role": "assistant", "content": None, "refusal": "No.", "tool_calls": None},
        "No.",
    ),
    "an OpenAI message that speaks": (
        {"role": "assistant", "content": None, "audio": {"data": "AA", "transcript": "Hello."}},
        "Hello.",
    ),
    "items of the responses API": (
        [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
            {"type": "function_call", "name": "find", "arguments": "{}", "call_id": "1"},
            {"type": "function_call_output", "call_id": "1", "output": "42"},
        ],
        "Done.\n[tool_call find({})]\n42",
    ),
    "Anthropic blocks": (
        [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "tool_use", "id": "1", "name": "find", "input": {"q": 1}},
            {
                "type": "tool_result",
                "tool_use_id": "1",
                "content": [{"type": "text", "text": "42"}, {"type": "image"}],
            },
            {"type": "text", "text": "And?"},
        ],
        '[tool_call find({"q":1})]\n42\n[image]\nAnd?',
    ),
    "Google parts": (
        {
            "role": "model",
            "parts": [
                {"text": "Hm.", "thought": True},
                {"text": "Wait."},
                {"functionCall": {"name": "find", "args": {"q": 1}}},
                {"functionCall": {"name": "now"}},
                {"functionResponse": {"name": "find", "response": {"found": 42}}},
            ],
        },
        'Wait.\n[tool_call find({"q":1})]\n[tool_call now({})]\n{"found":42}',
    ),
    "AI SDK parts": (
        [
            {"type": "reasoning", "text": "Hm."},
            {"type": "tool-call", "toolCallId": "1", "toolName": "find", "input": '{"q":1}'},
            {"type": "tool-result", "toolName": "find", "output": {"type": "json", "value": {"found": 42}}},
            {
                "type": "tool-result",
                "toolName": "find",
                "output": {"type": "content", "value": [{"type": "text", "text": "a"}]},
            },
            {"type": "tool-result", "toolName": "find", "output": {"type": "text", "value": "b"}},
        ],
        '[tool_call find({"q":1})]\n{"found":42}\na\nb',
    ),
    # As JavaScript writes JSON.
    "numbers that are whole, and none": (
        {"name": "f", "input": {"a": 1.0, "b": [1.5, float("nan")], "c": "é\ud800", "d": None}},
        '[tool_call f({"a":1,"b":[1.5,null],"c":"é\\ud800","d":null})]',
    ),
    "an empty list is there, and tells nothing": ([{"text": "a", "content": []}, "b"], "a\nb"),
}


@pytest.mark.parametrize(("content", "text"), list(CONTENTS.values()), ids=list(CONTENTS))
def test_content_text(content: Any, text: str) -> None:
    assert content_text(content) == text


USER = {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    ("messages", "system", "text"),
    [
        pytest.param("Hi", None, "Hi", id="a lone string is itself"),
        pytest.param([USER], None, "Hi", id="a lone message of the user is its text"),
        pytest.param([{"role": "tool", "content": "x"}], None, "tool: x", id="another role has it"),
        pytest.param(
            [{**USER, "content": [{"text": "Hi"}]}], None, "user: Hi", id="parts are not a plain string"
        ),
        pytest.param(
            [USER, {"role": "assistant", "content": "Yo"}], None, "user: Hi\n\nassistant: Yo", id="set apart"
        ),
        pytest.param("Hi", "Be kind.", "system: Be kind.\n\nuser: Hi", id="the system comes first"),
        pytest.param(
            [USER], [{"type": "text", "text": "B"}], "system: B\n\nuser: Hi", id="a system may be blocks"
        ),
        pytest.param(
            [USER, {"type": "function_call", "name": "f", "arguments": "{}"}],
            None,
            "user: Hi\n\n[tool_call f({})]",
            id="an item without a role has none",
        ),
        pytest.param(None, None, "", id="nothing is nothing"),
    ],
)
def test_messages_text(messages: Any, system: Any, text: str) -> None:
    assert messages_text(messages, system) == text


class Thrower:
    def __getattr__(self, name: str) -> Any:
        raise ValueError("hostile")

    def __bool__(self) -> bool:
        raise ValueError("hostile")


def _ring() -> List[Any]:
    ring: List[Any] = []
    for _ in range(50):
        ring.extend(({"role": "user", "content": ring}, ring, ""))
    return ring


def _deep() -> Any:
    deep: Any = "x"
    for _ in range(5_000):
        deep = {"content": [deep]}
    return deep


CYCLE: Dict[str, Any] = {}
CYCLE.update(self=CYCLE, too=CYCLE)
BUSH: Any = []
for _ in range(60):
    BUSH = [BUSH, BUSH]
HOSTILE: Dict[str, Any] = {
    "a ring": _ring(),
    "deep nesting": _deep(),
    "getters that raise": ["before", Thrower()],
    "arguments that are a ring": [{"type": "tool_use", "name": "f", "input": CYCLE}],
    "arguments that are all over the place": [{"type": "tool_use", "name": "f", "input": BUSH}],
    "deep arguments": [{"type": "tool_use", "name": "f", "input": _deep()}],
    "10 MB of text": "data:" * 2_000_000,
    "10 MB of an image inside a text": f"data:image/png;base64,{'A' * 10_000_000}",
    "10 MB of a type": "data:" + "a" * 10_000_000,
    "10 MB of parameters": f"data:a/b{';a' * 5_000_000};base64,",
    "10 MB of parameters without an end": f"data:a/b{';base64' * 1_400_000}",
    "a million messages": [USER] * 1_000_000,
    "a million empty parts": [""] * 1_000_000,
    "a type that is no text": {"type": object()},
    "bytes": b"\xff",
    "a class": dict,
}


@pytest.mark.parametrize("value", list(HOSTILE.values()), ids=list(HOSTILE))
def test_hostile_shapes_neither_raise_nor_take_long(value: Any) -> None:
    started = time.perf_counter()
    for read in (
        content_text,
        messages_text,
        lambda content: messages_text([{"role": "user", "content": content}]),
    ):
        assert _bytes(bound_text(read(value))) <= MAX_BYTES
    assert time.perf_counter() - started < 160


def test_what_was_read_before_the_trouble_is_kept() -> None:
    assert content_text(["before", Thrower()]) == "before"


def test_long_arguments_are_cut_like_any_text() -> None:
    arguments = {"list": list(range(100_000))}
    text = bound_text(content_text({"name": "f", "input": arguments}))
    assert text.startswith('[tool_call f({"list":[0,1,2,') and text.endswith("…[cut]")
    assert _bytes(text) == MAX_BYTES and "null" not in text
