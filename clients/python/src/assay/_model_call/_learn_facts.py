"""Reads facts from answers by tables."""

from __future__ import annotations

import math
from typing import Any, Mapping

from ._foreign_value import field_at, text_or_none
from ._reading import Reading

FactFields = Mapping[Any, Any]
"""
The fields of an answer that hold facts, in the answer's own shape. Each value is a fact's name, two names
joined by `+` (or by `-`: the second count is reduced), or the fields inside. A count is the sum of all its
fields.
"""


def learn_facts(answer: object, fields: FactFields, reading: Reading) -> None:
    """
    Takes the facts of an answer or a chunk. The last value of a field counts; a missing field changes
    nothing.
    """
    for field, told in fields.items():
        value = field_at(answer, field)
        if value is None:
            continue
        if isinstance(told, str):
            sign = -1 if "-" in told else 1
            fact, _, other = told.partition("+" if sign == 1 else "-")
            _learn_fact(fact, value, field, reading)
            if other:
                _learn_fact(other, value, field, reading, sign)
        else:
            learn_facts(value, told, reading)


def _learn_fact(fact: str, value: object, field: str, reading: Reading, sign: int = 1) -> None:
    facts = reading.facts
    if fact != "cost_usd" and not fact.endswith("tokens"):
        text = text_or_none(value)
        if text:
            facts[fact] = text
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf:
        if fact == "cost_usd":
            facts[fact] = value
            return
        # A later chunk may repeat only some of the counts in the sum.
        counts = reading.counts.setdefault(fact, {})
        counts[field] = sign * value
        facts[fact] = max(0, sum(counts.values()))
