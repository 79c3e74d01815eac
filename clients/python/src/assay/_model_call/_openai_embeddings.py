"""Embeddings of OpenAI, Azure and compatible APIs. An embedding has no text and no output tokens."""

from __future__ import annotations

from ._foreign_value import field_at
from ._learn_facts import learn_facts
from ._openai_facts import openai_facts
from ._reading import ModelCallFormat, Reading

_ANSWER = openai_facts("prompt_tokens", "completion_tokens")


def _read(answer: object, reading: Reading) -> None:
    if field_at(answer, "data", 0, "object") != "embedding":
        return
    reading.facts["output_tokens"] = 0
    learn_facts(answer, _ANSWER, reading)


OPENAI_EMBEDDINGS = ModelCallFormat("openai", _read)
