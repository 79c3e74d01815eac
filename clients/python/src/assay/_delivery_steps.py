"""The steps that a `Delivery` asks its driver to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Optional, Sequence, Union

from ._event_row import KeptEvent


@dataclass(frozen=True)
class Rejection:
    """How many events the service refused for a reason."""

    detail: str
    count: int


class Send(NamedTuple):
    """Post this body; then call `answered`."""

    body: bytes


class Keep:
    """Put these events into the store; then call `kept`."""

    __slots__ = ("events", "is_taken", "reason", "start")

    def __init__(self, events: Sequence[KeptEvent], start: int, reason: str) -> None:
        self.events = events
        self.start = start
        self.reason = reason
        self.is_taken = False


class TakeReplay(NamedTuple):
    """Take kept events from the store; then call `replayed`."""


class TouchReplay(NamedTuple):
    """Show other processes that the replay is still running."""


class ReleaseReplay(NamedTuple):
    """Delete the replay: each of its events is settled."""


class Wait(NamedTuple):
    """Nothing to do until then (in monotonic milliseconds), or forever, unless something happens."""

    until: Optional[float]


Step = Union[Send, Keep, TakeReplay, TouchReplay, ReleaseReplay, Wait]


class Batch:
    """Events that are sent together. The oldest was the `start`th ever queued."""

    __slots__ = ("body", "events", "nulls", "retry_at", "start", "tries")

    def __init__(self, events: Sequence[KeptEvent], start: int, nulls: int) -> None:
        client = f',"client":{{"null_before_ready":{nulls}}}' if nulls > 0 else ""
        rows = b",".join(event.row for event in events)
        # Built once, so each try sends the same body and event ids.
        self.body = b'{"events":[' + rows + b"]" + client.encode() + b"}"
        self.events = events
        self.start = start
        self.nulls = nulls
        self.tries = 0
        self.retry_at = 0.0
