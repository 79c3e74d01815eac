"""The facts in answers: tables, sums, and shapes without facts."""

from __future__ import annotations

import enum
import math
from typing import Any, Dict, List

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._model_call._anthropic_messages import ANTHROPIC_MESSAGES
from assay._model_call._foreign_value import field_at
from assay._model_call._google_generate_content import GOOGLE_GENERATE_CONTENT
from assay._model_call._learn_facts import learn_facts
from assay._model_call._openai_chat import OPENAI_CHAT
from assay._model_call._openai_responses import OPENAI_RESPONSES
from assay._model_call._reading import ModelCallFormat, Reading

FIELDS = {
    "model": "model",
    "usage": {
        "a": "input_tokens",
        "b": "input_tokens",
        "c": "output_tokens",
        "d": "input_tokens+reasoning_tokens",
    },
}


class Model(str, enum.Enum):
    M = "m"


@pytest.mark.parametrize(
    ("answers", "known"),
    [
        pytest.param(
            [{"usage": {"a": 1, "b": 2}}, {"usage": {"a": 5}}], {"input_tokens": 7}, id="adds up counts"
        ),
        pytest.param(
            [{"usage": {"a": 1, "d": 3}}, {"usage": {"d": 4}}],
            {"input_tokens": 5, "reasoning_tokens": 4},
            id="in two",
        ),
        pytest.param([{"usage": {"b": 2}}], {"input_tokens": 2}, id="a part of a sum"),
        pytest.param(
            [{"model": "m", "usage": {"c": 3}}, {"model": None, "usage": None}, {}],
            {"model": "m", "output_tokens": 3},
            id="keeps what a later answer does not tell",
        ),
        pytest.param([{"usage": {"c": 0}}], {"output_tokens": 0}, id="takes a zero that is told"),
        *(
            pytest.param([{"usage": {"c": c}}], {}, id=f"takes no count from {c!r}")
            for c in (-1, math.nan, math.inf, "3", True, {})
        ),
        *(
            pytest.param([{"model": model}], {}, id=f"takes no text from {model!r}")
            for model in ("", 7, ["m"])
        ),
    ],
)
def test_learn_facts(answers: List[Any], known: Dict[str, Any]) -> None:
    reading = Reading({})
    for answer in answers:
        learn_facts(answer, FIELDS, reading)
    assert reading.facts == known


def test_a_member_of_an_enumeration_is_its_text() -> None:
    reading = Reading({})
    learn_facts({"model": Model.M}, FIELDS, reading)
    assert f"{reading.facts['model']}" == "m" and type(reading.facts["model"]) is str


class Camel:
    prompt_token_count = 3
    totalTokenCount = 4

    @property
    def broken(self) -> int:
        raise RuntimeError("mine")


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"promptTokenCount": 1}, ["promptTokenCount"], 1),
        ({"prompt_token_count": 2}, ["promptTokenCount"], 2),
        (Camel(), ["promptTokenCount"], 3),
        (Camel(), ["totalTokenCount"], 4),
        (Camel(), ["broken"], None),
        ({"a": [{"b": 5}]}, ["a", 0, "b"], 5),
        ({"a": []}, ["a", 0, "b"], None),
        ({"a": "text"}, ["a", 0], None),
        (None, ["a"], None),
        ({"items": None}, ["items"], None),
        ({}, ["items"], None),
    ],
)
def test_field_at(value: Any, path: List[Any], found: Any) -> None:
    assert field_at(value, *path) == found


NAMES = [
    "type",
    "message",
    "content",
    "delta",
    "candidates",
    "content_block",
    "index",
    "choices",
    "tool_calls",
]
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["message_start", "error"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


class Hostile:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("hostile")


@pytest.mark.parametrize(
    "known", [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GOOGLE_GENERATE_CONTENT]
)
class TestFormat:
    @settings(deadline=None)
    @given(values=st.lists(ODD, max_size=5))
    def test_raises_at_nothing_and_learns_no_counts_from_it(
        self, known: ModelCallFormat, values: List[Any]
    ) -> None:
        reading = Reading({})
        for value in values:
            known.read(value, reading)
            if known.to_request is not None:
                known.to_request({"contents": value, "config": value})
        assert not {"input_tokens", "output_tokens", "reasoning_tokens"} & set(reading.facts)

    def test_raises_at_no_getter_that_does(self, known: ModelCallFormat) -> None:
        reading = Reading({})
        known.read(Hostile(), reading)
        assert reading.facts == {} and reading.response() == ""
