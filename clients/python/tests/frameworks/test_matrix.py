"""
Python's part of the matrix in `docs/clients.md`: each framework and case, compared with what a provider
billed. ASSAY_WRITE_MATRIX=1 writes the document instead.
"""

from __future__ import annotations

import gc
import os
import time
from typing import Any, Dict, Iterator, List, Type

import pytest
from billing_provider import Bill, BillingProvider
from conftest import ROOT
from drivers import USERS, AnthropicWrap, Driver, GoogleWrap, OpenAiWrap
from framework_drivers import (
    LangChain,
    LangChainAnthropic,
    LiteLlm,
    LiteLlmAnthropic,
    LlamaIndex,
    LlamaIndexAnthropic,
)

from assay import create_test_client

DOCUMENT = ROOT / "docs" / "clients.md"
# The tests run without the client's environment variables.
IS_WRITTEN = os.environ.get("ASSAY_WRITE_MATRIX") == "1"
BEGIN, END = "<!-- matrix: python -->\n", "<!-- /matrix -->"
DRIVERS: List[Type[Driver]] = [
    OpenAiWrap,
    AnthropicWrap,
    GoogleWrap,
    LangChain,
    LangChainAnthropic,
    LlamaIndex,
    LlamaIndexAnthropic,
    LiteLlm,
    LiteLlmAnthropic,
]
# By case: its column, and how the provider behaves.
CASES: Dict[str, Any] = {
    "whole": ("whole", {}),
    "stream": ("stream", {}),
    "early_break": ("early break", {}),
    "abort": ("abort", {"stalls": True}),
    "error": ("error", {"failures": 99, "status": 400}),
    "tools": ("tools", {}),
    "parallel_tools": ("parallel tools", {}),
    "structured": ("structured output", {}),
    "several": ("n > 1", {}),
    "retries": ("retries", {"failures": 1}),
    "reasoning": ("reasoning", {"reasons": True}),
    "cache": ("cache read and write", {"caches": True}),
    "nested": ("nested", {}),
    "concurrent": ("concurrent users", {}),
    "embeddings": ("embeddings", {}),
}
NOT_EVERYWHERE = ("several", "embeddings")
TOKENS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
    "reasoning_tokens",
)


@pytest.fixture
def provider() -> Iterator[BillingProvider]:
    made = BillingProvider()
    yield made
    made.stop()


def test_the_document_says_what_is_recorded(provider: BillingProvider) -> None:
    titles = [title for title, _ in CASES.values()]
    rows = [["", *titles], ["---"] * (len(titles) + 1), *(_row(kind, provider) for kind in DRIVERS)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    table = table.replace("|  |", "| |", 1).replace("| --- " * (len(titles) + 1), "|---" * (len(titles) + 1))
    document = DOCUMENT.read_text(encoding="utf-8")
    before, begin, after = document.partition(BEGIN)
    part, end, rest = after.partition(END)
    assert begin and end, "the document has no marks for the matrix of Python"
    # The notes below the table are written by hand.
    _, mark, notes = part.partition("\n\nPython: ")
    written = f"{before}{begin}\n{table}{mark}{notes}{end}{rest}"
    if IS_WRITTEN:
        DOCUMENT.write_text(written, encoding="utf-8")
    else:
        assert document.splitlines() == written.splitlines()


def _row(kind: Type[Driver], provider: BillingProvider) -> List[str]:
    assay = create_test_client({"greeting": "short"})
    driver = kind(assay, provider)
    try:
        return [kind.title(), *(_cell(driver, case, behavior) for case, (_, behavior) in CASES.items())]
    finally:
        driver.close()


def _cell(driver: Driver, case: str, behavior: Dict[str, Any]) -> str:
    """Makes the calls of a case. Returns `=`, or the differences from the ledger."""
    if case in NOT_EVERYWHERE and case not in driver.offers:
        return "–"
    driver.assay.events.clear()
    driver.provider.reset(**behavior)
    with driver.assay.as_user("ann"):
        getattr(driver, case)()
    ledger = driver.provider.ledger
    assert ledger or case == "error", f"{type(driver).__name__}, {case}: no call was made"
    calls = _recorded(driver, case, len(ledger) or 1)
    if len(calls) != (len(ledger) or 1):
        return "missing" if not calls else f"{len(calls)} of {len(ledger)} calls"
    users = sorted(call["user_id"] for call in calls)
    exposed = sorted(event["user_id"] for event in driver.assay.events if event["type"] == "exposure")
    if users != (sorted(USERS * 2) if case == "concurrent" else ["ann"] * len(calls)) or exposed != users:
        return "wrong user"
    return _verdict(case, calls, ledger)


def _verdict(case: str, calls: List[Dict[str, Any]], ledger: List[Bill]) -> str:
    if case == "error":
        is_right = calls[0]["error"] and calls[0].get("error_type") and not any(_tokens(calls)[0])
        return "=" if is_right else "other error"
    if any(call["error"] for call in calls):
        return "error"
    if case in ("early_break", "abort"):
        if calls[0].get("metadata", {}).get("outcome") != "aborted":
            return "not marked"
        return "=" if calls[0].get("output_tokens") else "no tokens"
    if not any(map(any, _tokens(calls))):
        return "no tokens"
    if _tokens(calls) != _tokens(ledger):
        return "other tokens"
    texts = str([call.get("response") for call in calls]).replace(" ", "").replace("\\", "")
    asked = {"tools": ["weather"], "parallel_tools": ["weather", "clock"]}.get(case, [])
    are_told = all(texts.count(f'[tool_call{name}({{"city":"yes"}})]') == len(calls) for name in asked)
    return "=" if are_told else "text"


def _tokens(calls: Any) -> List[List[int]]:
    return sorted([call.get(name) or 0 for name in TOKENS] for call in calls)


def _recorded(driver: Driver, case: str, expected: int) -> List[Dict[str, Any]]:
    """Returns the recorded calls, including those of frameworks that report later, in their own threads."""
    deadline = time.monotonic() + 20
    while True:
        if case in ("early_break", "abort"):
            # Nothing refers to the stream anymore, but the frameworks' objects have reference cycles.
            gc.collect()
        calls = [event for event in driver.assay.events if event["type"] == "model_call"]
        if not driver.is_late or time.monotonic() > deadline:
            return calls
        if len(calls) >= expected:
            # Extra calls would arrive even later.
            deadline = min(deadline, time.monotonic() + 0.1)
        time.sleep(0.05)
