"""vectors/qa-users.json: users who get the variant for which the experiment lists them."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from conftest import vectors
from core_fixture import MakeCore

from assay._bucketing import user_digest

VECTORS = vectors("qa-users")
CASES = VECTORS["cases"]


@pytest.mark.parametrize("case", VECTORS["digests"], ids=[case["digest"] for case in VECTORS["digests"]])
def test_digest(case: Dict[str, Any]) -> None:
    user = case["user_id"] if "user_id" in case else "".join(map(chr, case["user_utf16"]))
    assert user_digest(case["salt"], case["experiment_id"], user) == case["digest"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_qa_user(case: Dict[str, Any], make_core: MakeCore) -> None:
    core = make_core(overrides=case["overrides"], bootstrap=VECTORS["config"])
    experiment, user, variant = case["experiment"], case["user_id"], case["variant"]
    assert core.client.assign(experiment, user) == variant
    choice = core.client.get_prompt(experiment, user, "")
    assert (choice.variant, choice.prompt) == (variant, (variant or "")[:1].upper())
    assert [(row["user_id"], row["variant"]) for row in core.rows] == ([(user, variant)] if variant else [])
