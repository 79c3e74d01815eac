"""A durable client's queue on disk."""

from __future__ import annotations

import os
import time
from typing import List, Optional

from ._event_row import KeptEvent
from ._spill_files import new_origin, open_private, process_name, to_spill_line

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_MAX_SEGMENT_EVENTS = 1_000
# Well below the 10 minutes after which another process considers a file abandoned.
_TOUCH_SECONDS = 240.0


class Journal:
    """
    Writes each event as a line of a file before it can be sent, without a sync: it survives the process, but
    not a power cut. A file is removed once all of its events are settled. The files look like claims of this
    process, so other processes leave them alone; the lock on each file shows them when this process is dead.
    Not thread-safe.
    """

    def __init__(self, folder: str, key_hash: str) -> None:
        self._folder = folder
        self._key_hash = key_hash
        self._segments: List[_Segment] = []
        self._current: Optional[_Segment] = None
        self._touch_at = 0.0

    def append(self, event: KeptEvent, number: int) -> Optional[str]:
        """Writes the `number`th queued event; returns the reason for a failure, or None."""
        try:
            segment = self._current or self._open()
            line = to_spill_line(event)
            segment.end = number
            segment.events += 1
            if segment.events >= _MAX_SEGMENT_EVENTS:
                self._current = None
            if os.write(segment.file, line) < len(line):
                self._current = None  # The next line must not continue this one.
                return "No space left on device"
            return None
        except OSError as error:
            self._current = None
            return error.strerror or type(error).__name__

    def remove_settled(self, settled: int) -> None:
        """Removes the files whose events are among the first `settled` that were ever queued."""
        while self._segments and self._segments[0].end <= settled:
            segment = self._segments.pop(0)
            if segment is self._current:
                self._current = None
            try:
                os.remove(segment.path)
            except OSError:
                pass  # Its events may be sent twice, which counts once.
            os.close(segment.file)

    def touch(self) -> float:
        """Shows other processes that the files are in use. Returns after how many seconds to call again."""
        now = time.monotonic()
        if now >= self._touch_at:
            self._touch_at = now + _TOUCH_SECONDS
            for segment in self._segments:
                try:
                    os.utime(segment.path)
                except OSError:
                    pass  # Another process has removed it.
        return self._touch_at - now

    def give_back(self) -> None:
        """Makes unsettled events available to any process."""
        for segment in self._segments:
            try:
                os.rename(segment.path, segment.spill)
            except OSError:
                pass  # As above.
        self.abandon()

    def abandon(self) -> None:
        """Closes the files without changing them, because they belong to the parent of this forked child."""
        for segment in self._segments:
            os.close(segment.file)
        self._segments = []
        self._current = None

    def _open(self) -> "_Segment":
        me = process_name()
        # A number that begins with 0: see `SpillName.is_journal`.
        origin = new_origin("0")
        name = f"claim-{self._key_hash}-{me}-{origin}.ndjson"
        path = os.path.join(self._folder, name)
        file = open_private(f"{path}.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                pass  # The file system has no locks, so other processes wait until the file is stale.
        os.rename(f"{path}.tmp", path)
        spill = os.path.join(self._folder, f"spill-{self._key_hash}-{origin}.ndjson")
        self._current = _Segment(file, path, spill)
        self._segments.append(self._current)
        return self._current


class _Segment:
    __slots__ = ("end", "events", "file", "path", "spill")

    def __init__(self, file: int, path: str, spill: str) -> None:
        self.file = file
        self.path = path
        self.spill = spill
        self.end = 0
        self.events = 0


def is_written_to(path: str) -> Optional[bool]:
    """Returns whether the process that writes this file is alive; None when unknown."""
    if fcntl is None:
        return None
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(file)
