"""Runs `vectors/providers.json`."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from conftest import vectors

from assay._model_call._provider_name import HOSTS, provider_at, provider_of

FILE = vectors("providers")


def test_the_table_is_the_one_of_the_file() -> None:
    table = {row["provider"].replace("$", "\\"): row["host"] for row in FILE["table"]}
    assert {provider: hosts.pattern for provider, hosts in HOSTS.items()} == table
    assert list(HOSTS) == list(table)


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: str(case["base_url"]))
def test_case(case: Dict[str, Any]) -> None:
    assert provider_at(case["base_url"]) == case["provider"]


def test_an_object_that_does_not_tell_has_no_name() -> None:
    class Hostile:
        @property
        def base_url(self) -> str:
            raise KeyError

        def __str__(self) -> str:
            raise KeyError

    assert [provider_of(Hostile()), provider_of(object())] == [None, None]
