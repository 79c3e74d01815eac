"""
The names and lines of the files of waiting events. They are the same in every client library, since libraries
may share a folder.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from typing import NamedTuple, NoReturn, Optional, Tuple

from ._event_row import KeptEvent, read_rfc3339

_NAME = re.compile(r"(?:spill|claim)-([0-9a-f]{16})-([0-9]+-[0-9]+-)?([0-9]+-[0-9]+-[0-9]+)\.ndjson(\.tmp)?")
_HEAD, _TAIL = '{"v":1,"event":', "}"
_MAX_AGE_MS = 86_400_000
# Distinguishes this process from an earlier one with the same id.
_START = int(time.time() * 1_000)
_made = itertools.count()


def process_name() -> str:
    """Names this process as claims do."""
    return f"{os.getpid()}-{_START}"


def new_origin(prefix: str = "") -> str:
    """Makes the origin of a new file of this process."""
    return f"{process_name()}-{prefix}{next(_made)}"


def open_private(path: str, flags: int) -> int:
    """Opens a file that only this user may read."""
    return os.open(path, flags, 0o600)


class SpillName(NamedTuple):
    """
    The name of a file in the folder: `spill-…` waits, `claim-…` is being sent by the process that `claimant`
    names, and a file that ends in `.tmp` is unfinished. `origin` is `<pid>-<start>-<n>`, unique to the file.
    """

    name: str
    claimant: Optional[str]
    is_whole: bool
    origin: str

    @property
    def is_journal(self) -> bool:
        """
        Returns whether it is the file that a durable Python client is still writing, unless that process is
        dead. Its number begins with a 0 that is not part of the number.
        """
        number = self.origin.rsplit("-", 1)[1]
        is_own = self.claimant is not None and self.origin == f"{self.claimant}-{number}"
        return is_own and self.is_whole and len(number) > 1 and number.startswith("0")

    @property
    def age_order(self) -> Tuple[int, int]:
        """Orders names by the start time of their process, then in the order of writing."""
        _, start, n = self.origin.split("-")
        return int(start), int(n)


def parse_spill_name(name: str, key_hash: str) -> Optional[SpillName]:
    """Parses a file name; None when the file does not belong to the key with this hash."""
    match = _NAME.fullmatch(name)
    if match is None or match.group(1) != key_hash or len(name) > 200:
        return None
    claimant = match.group(2)
    if name.startswith("claim") != (claimant is not None):
        return None
    return SpillName(name, claimant[:-1] if claimant else None, match.group(4) is None, match.group(3))


def to_spill_line(event: KeptEvent) -> bytes:
    """Writes an event as a line of a spill file."""
    return b'{"v":1,"event":' + event.row + b"}\n"


def parse_spill_line(line: str) -> Optional[KeptEvent]:
    """
    Reads a line of a spill file, without its line end; None when it is incomplete or of another version.
    """
    try:
        row = _row_of(line)
        event = json.loads(row, parse_constant=_refuse)
        event_id, timestamp = event["event_id"], event["timestamp"]
        if not isinstance(event_id, str) or not isinstance(timestamp, str):
            return None
        return KeptEvent(event_id, read_rfc3339(timestamp), row.encode("utf-8", "backslashreplace"))
    except Exception:
        return None


def is_expired(event: KeptEvent, now_ms: int) -> bool:
    """Returns whether an event is over 24 h old by its own timestamp, and so too old to replay."""
    return now_ms - event.occurred_at > _MAX_AGE_MS


def _row_of(line: str) -> str:
    """Finds the serialized event, so that it is sent again byte for byte."""
    if line.startswith(_HEAD) and line.endswith(_TAIL):
        row = line[len(_HEAD) : -len(_TAIL)]
        if _is_object(row):
            return row
    fields = json.loads(line, parse_constant=_refuse)
    if fields["v"] != 1 or isinstance(fields["v"], bool) or not isinstance(fields["event"], dict):
        raise ValueError
    return json.dumps(fields["event"], separators=(",", ":"))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
