"""A client for an application's unit tests."""

from __future__ import annotations

import json
from collections.abc import Mapping as AbstractMapping
from typing import Any, Dict, List, Mapping, Optional, Union

from ._assay import Assay
from ._event_row import KeptEvent

FixedVariant = Union[str, None, Mapping[str, Any]]


class TestClient(Assay):
    """A client that gives everybody the same variants, makes no requests and keeps its events in a list."""

    __test__ = False  # Pytest collects classes by their names.

    def __init__(self, bootstrap: object) -> None:
        self.events: List[Dict[str, Any]] = []
        """The events so far, oldest first, as they would be sent."""
        super().__init__(offline=True, bootstrap=bootstrap)

    def _take(self, event: KeptEvent) -> None:
        self.events.append(json.loads(event.row))


def create_test_client(variants: Mapping[str, FixedVariant]) -> TestClient:
    """
    Makes a client for unit tests: it needs no key, makes no request, starts no thread, and has the events in
    its list `events`. `variants` has for each experiment, by name, the key of everybody's variant; None when
    nobody has one; or a dict with `variant`, `prompt` and `variables`. Names are ids too. Raises ValueError
    for anything else.

    >>> client = create_test_client({"greeting": {"variant": "short", "prompt": "Be brief."}})
    >>> client.get_prompt("greeting", "ann", "Answer.").prompt
    'Be brief.'
    >>> [event["type"] for event in client.events]
    ['exposure']
    """
    experiments = [_experiment(name, fixed) for name, fixed in variants.items()]
    return TestClient({"config_version": 0, "experiments": experiments})


def _experiment(name: str, fixed: FixedVariant) -> Dict[str, Any]:
    variant = _variant(name, fixed)
    return {
        "id": name,
        "name": name,
        "status": "running",
        "salt": "",
        "bucket_count": 1,
        "buckets": [[1, -1 if variant is None else 0]],
        "variants": [] if variant is None else [variant],
    }


def _variant(name: str, fixed: FixedVariant) -> Optional[Dict[str, Any]]:
    if fixed is None:
        return None
    content = dict(fixed) if isinstance(fixed, AbstractMapping) else {"variant": fixed}
    key = content.pop("variant", None)
    if not isinstance(key, str) or not content.keys() <= {"prompt", "variables"}:
        raise ValueError(f"{name}: a key, None, or a dict with variant, prompt and variables")
    return {"key": key, **content}
