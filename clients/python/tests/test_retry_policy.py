"""What follows from an answer, beyond the vectors."""

from __future__ import annotations

from typing import Any

import pytest

from assay._retry_policy import backoff_ms, parse_retry_after, read_answer, verdict_on

NOON = "Mon, 06 Jul 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    "status, verdict",
    [
        (0, "retry"),
        (200, "accept"),
        (299, "accept"),
        (304, "retry"),
        (308, "retry"),
        (400, "drop"),
        (401, "refuse"),
        (403, "refuse"),
        (408, "retry"),
        (413, "halve"),
        (429, "retry"),
        (499, "drop"),
        (500, "retry"),
        (999, "retry"),
    ],
)
def test_verdicts(status: int, verdict: str) -> None:
    assert verdict_on(status, f"status {status}") == verdict


@pytest.mark.parametrize(
    "tries, longest", [(1, 1_000), (2, 2_000), (5, 16_000), (6, 30_000), (10**6, 30_000)]
)
def test_the_backoff_doubles_up_to_30_s(tries: int, longest: float) -> None:
    assert backoff_ms(0, tries, 0.0) == 0
    assert backoff_ms(0, tries, 1.0) == longest
    assert backoff_ms(40_000, tries, 1.0) == 40_000
    assert backoff_ms(float("inf"), tries, 1.0) == 300_000


@pytest.mark.parametrize(
    "retry_after, date, wait",
    [
        (None, None, 0),
        ("", NOON, 0),
        (" 7 ", None, 7_000),
        ("\u0667", None, 0),
        ("9" * 6_000, None, float("inf")),
        ("Mon, 06 Jul 2026 12:00:30 GMT", NOON, 30_000),
        ("Mon, 06 Jul 2026 11:00:00 GMT", NOON, 0),
        ("Mon, 06 Jul 2026 12:00:30 GMT", None, 0),
        ("Mon, 06 Jul 2026 12:00:30 GMT", "soon", 0),
        ("Mon, 99 Jul 2026 12:00:30 GMT", NOON, 0),
        ("Mon, 06 Jul 2026 12:00:30", NOON, 0),
    ],
)
def test_retry_after(retry_after: Any, date: Any, wait: float) -> None:
    assert parse_retry_after(retry_after, date) == wait


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "status 429"),
        (b'{"type":"https://assay.dev/problems/rate-limited"}', "status 429 rate-limited"),
        (b'{"type":7}', "status 429"),
        (b"[1]", "status 429"),
        (b"\xff\xfe", "status 429"),
        (b"[" * 100_000, "status 429"),
        (b"9" * 6_000, "status 429"),
    ],
)
def test_a_body_is_read_for_what_it_is(content: bytes, reason: str) -> None:
    answer = read_answer(429, {"etag": "x"}, content)
    assert (answer.reason, answer.verdict, answer.etag) == (reason, "retry", "x")
