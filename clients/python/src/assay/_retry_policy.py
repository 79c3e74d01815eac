"""The outcome of a request, and what follows from it."""

from __future__ import annotations

import json
import re
from email.utils import parsedate_to_datetime
from typing import Dict, Mapping, NamedTuple, Optional

from ._config_snapshot import fields_of
from ._service_clock import Timing

MAX_TRIES = 5
# How long sending pauses after a refused key, or after a used-up allowance without a Retry-After.
PAUSE_MS = 300_000.0
_FIRST_BACKOFF_MS = 1_000.0
_LONGEST_BACKOFF_MS = 30_000.0
_LONGEST_RETRY_AFTER_MS = 300_000.0


class Answer(NamedTuple):
    """The outcome of one request."""

    status: int
    """0 when there was no response: the connection was refused, reset or timed out."""
    verdict: str
    """
    What happens to a batch: "accept", "retry", "halve" (send it in smaller parts), "refuse" (the key: pause
    and keep it), "exhaust" (the allowance: pause and drop it) or "drop".
    """
    retry_after_ms: float
    """The wait in Retry-After; 0 for none."""
    etag: Optional[str]
    body: Dict[str, object]
    """The body as JSON; an empty object when it is not an object."""
    reason: str
    """Describes the outcome for the log: status and problem type, or why there was no response."""
    timing: Optional[Timing] = None
    """None when there was no response."""


def no_answer(reason: str) -> Answer:
    """Makes the outcome of a request without a response."""
    return Answer(0, "retry", 0.0, None, {}, reason)


def read_answer(status: int, headers: Mapping[str, str], content: bytes) -> Answer:
    """Makes the outcome of a request with a response. `headers` are looked up by lower-case names."""
    try:
        body = fields_of(json.loads(content.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        body = {}
    problem = body.get("type")
    slug = problem.split("/")[-1] if isinstance(problem, str) else ""
    reason = f"status {status} {slug}".strip()
    return Answer(
        status,
        verdict_on(status, reason),
        parse_retry_after(headers.get("retry-after"), headers.get("date")),
        headers.get("etag"),
        body,
        reason,
    )


def verdict_on(status: int, reason: str) -> str:
    """
    Decides what happens to a batch after an answer. A redirect is not followed and counts as no answer.
    """
    if 200 <= status < 300:
        return "accept"
    if status == 413:
        return "halve"
    if status in (401, 403):
        return "refuse"
    if status == 429 and reason.endswith("allowance-exhausted"):
        return "exhaust"
    return "retry" if status < 400 or status in (408, 429) or status >= 500 else "drop"


def acknowledgement_of(answer: Answer) -> Answer:
    """
    Reads the answer to a batch. A success without the number of accepted rows comes from something else, such
    as a proxy's page. It does not count as a delivery: the batch is retried.
    """
    accepted = answer.body.get("accepted")
    is_count = isinstance(accepted, int) and not isinstance(accepted, bool) and accepted >= 0
    if answer.verdict != "accept" or is_count:
        return answer
    return answer._replace(verdict="retry", reason=f"{answer.reason} without an acknowledgement")


def backoff_ms(retry_after_ms: float, tries: int, random: float) -> float:
    """
    Computes the wait before the next try in milliseconds: full jitter over 1 s, 2 s, 4 s … 30 s, and at least
    the Retry-After, up to 5 minutes. `tries` counts the requests made so far; `random` is uniform in [0, 1).
    """
    # The exponent is bounded, because failures may last for years.
    jittered = random * min(_LONGEST_BACKOFF_MS, _FIRST_BACKOFF_MS * 2.0 ** min(tries - 1, 10))
    return max(jittered, min(retry_after_ms, _LONGEST_RETRY_AFTER_MS))


def parse_retry_after(retry_after: Optional[str], date: Optional[str]) -> float:
    """
    Reads a Retry-After header (seconds or a date) as milliseconds to wait; 0 when it is missing or invalid. A
    date is compared with the response's Date header, since this machine's clock may be wrong.
    """
    text = (retry_after or "").strip()
    if re.fullmatch("[0-9]+", text):
        return float(text) * 1_000.0
    try:
        wait = parsedate_to_datetime(text) - parsedate_to_datetime(date or "")
        return max(0.0, wait.total_seconds() * 1_000.0)
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0
