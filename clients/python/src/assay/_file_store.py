"""A folder for events that could not be delivered."""

from __future__ import annotations

import hashlib
import os
import time
from typing import Callable, List, NamedTuple, Optional, Sequence

from ._client_log import ClientLog
from ._epoch_ms import epoch_ms_of
from ._event_row import KeptEvent
from ._journal import Journal, is_written_to
from ._kept_config import KeptConfig
from ._options import Settings
from ._spill_files import (
    SpillName,
    is_expired,
    new_origin,
    open_private,
    parse_spill_line,
    parse_spill_name,
    process_name,
    to_spill_line,
)

_MAX_BYTES = 10 * 1024 * 1024
# A claim or an unfinished file that was not touched for this long belongs to a dead process.
_STALE = 600.0


class _Claim(NamedTuple):
    name: str
    spill: str
    """The original name, used to give it back."""


class FileStore:
    """
    Keeps events in a folder that several processes may share. Each file is written once and never changed. A
    process claims a file by renaming it, sends it and deletes it. So only one process sends each event, and a
    process that dies loses none. One replay at a time. `keep` may be called from any thread, the other
    methods from one. Never raises.
    """

    def __init__(self, folder: str, api_key: str, now: Callable[[], float], log: ClientLog) -> None:
        self._folder = folder
        self._now = now
        self._log = log
        self._key_hash = hashlib.sha256(api_key.encode("utf-8", "replace")).hexdigest()[:16]
        self._me = process_name()
        self._claim: Optional[_Claim] = None

    @staticmethod
    def open(settings: Settings) -> Optional["FileStore"]:
        """
        Opens the store of the options and makes its folder if necessary. If that fails, logs an error and
        returns None.
        """
        folder = settings.offline_store
        if folder is None:
            return None
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                raise PermissionError(13, "Permission denied")
            return FileStore(folder, settings.api_key, settings.now, settings.log)
        except (OSError, ValueError) as error:
            settings.log.once("error", f"offline_store is not used: {_describe(error)}")
            return None

    def journal(self) -> Journal:
        """Makes the journal of a durable client in the folder."""
        return Journal(self._folder, self._key_hash)

    def kept_config(self, base_url: str) -> KeptConfig:
        """Makes the kept config of a client of this address in the folder."""
        return KeptConfig(self._folder, self._key_hash, base_url, self._now, self._log)

    def keep(self, events: Sequence[KeptEvent]) -> int:
        """Keeps events, oldest first. Returns the number that found no room."""
        if len(events) == 0:
            return 0
        try:
            lines = self._fitting(events)
            if lines:
                path = self._path(f"spill-{self._key_hash}-{new_origin()}.ndjson")
                with open(f"{path}.tmp", "wb", opener=open_private) as file:
                    file.writelines(lines)
                os.rename(f"{path}.tmp", path)
            return len(events) - len(lines)
        except (OSError, ValueError) as error:
            self._note_failure(error)
            return len(events)

    def take(self) -> List[KeptEvent]:
        """Claims the oldest kept events that are at most 24 h old; empty when there are none."""
        try:
            now_ms = epoch_ms_of(self._now())
            for file in sorted(self._list(), key=lambda file: file.age_order):
                events = self._take(file, now_ms) if self._is_free(file) else []
                if events:
                    return events
        except Exception as error:  # the clock is the caller's code and may raise anything
            self.give_back()
            self._note_failure(error)
        return []

    def touch(self) -> None:
        """Shows other processes that the replay is still running."""
        if self._claim is not None:
            self._touch(self._claim.name)

    def release(self) -> None:
        """Ends the replay: each of its events was delivered, given up, or kept again."""
        claim, self._claim = self._claim, None
        if claim is not None:
            try:
                os.remove(self._path(claim.name))
            except FileNotFoundError:
                pass
            except OSError as error:
                self._note_failure(error)

    def give_back(self) -> None:
        """Gives back a replay whose events are not all settled."""
        claim, self._claim = self._claim, None
        if claim is not None:
            self._rename(claim.name, claim.spill)

    def reset_after_fork(self) -> None:
        """Leaves the replay to the parent."""
        self._claim = None
        self._me = process_name()

    def _take(self, file: SpillName, now_ms: int) -> List[KeptEvent]:
        """Claims a file and reads the events that can be sent. Deletes an empty file."""
        name = f"claim-{self._key_hash}-{self._me}-{file.origin}.ndjson"
        # Touched before the rename. Otherwise the claim would look stale.
        if not (self._touch(file.name) and self._rename(file.name, name)):
            return []
        self._claim = _Claim(name, f"spill-{self._key_hash}-{file.origin}.ndjson")
        with open(self._path(name), "rb") as content:
            events = self._readable(content.read().decode("utf-8", "replace"), now_ms)
        if len(events) == 0:
            self.release()
        return events

    def _readable(self, text: str, now_ms: int) -> List[KeptEvent]:
        lines = [line for line in text.split("\n") if line != ""]
        events = [event for event in map(parse_spill_line, lines) if event is not None]
        fresh = [event for event in events if not is_expired(event, now_ms)]
        self._log.count("unreadable line in an event file", len(lines) - len(events))
        self._log.count("event given up, over 24 h old", len(events) - len(fresh))
        return fresh

    def _fitting(self, events: Sequence[KeptEvent]) -> List[bytes]:
        """
        Chooses the events that fit into the folder, oldest first. Claimed files do not count: they will be
        deleted soon.
        """
        room = _MAX_BYTES - sum(self._size(file) for file in self._list() if file.claimant is None)
        lines: List[bytes] = []
        for event in events:
            line = to_spill_line(event)
            room -= len(line)
            if room < 0:
                break
            lines.append(line)
        return lines

    def _list(self) -> List[SpillName]:
        names = (parse_spill_name(name, self._key_hash) for name in os.listdir(self._folder))
        return [name for name in names if name is not None]

    def _is_free(self, file: SpillName) -> bool:
        """Returns whether this process may claim the file; false if the file is gone."""
        if file.claimant is None and file.is_whole:
            return True
        if file.claimant == self._me:
            return False
        is_alive = is_written_to(self._path(file.name)) if file.is_journal else None
        if is_alive is not None:
            return not is_alive
        try:
            return time.time() - os.stat(self._path(file.name)).st_mtime > _STALE
        except OSError:
            return False

    def _size(self, file: SpillName) -> int:
        try:
            return os.stat(self._path(file.name)).st_size
        except OSError:
            return 0

    def _touch(self, name: str) -> bool:
        try:
            os.utime(self._path(name))
            return True
        except OSError:
            return False

    def _rename(self, name: str, other: str) -> bool:
        try:
            os.rename(self._path(name), self._path(other))
            return True
        except OSError:
            return False

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _note_failure(self, error: Exception) -> None:
        self._log.count(f"offline_store fails, {_describe(error)}")


def _describe(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
