"""The last good config in a file, for a start while the service is unreachable."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, NamedTuple, NoReturn, Optional

from ._client_log import ClientLog
from ._config_snapshot import ConfigSnapshot, parse_config
from ._epoch_ms import epoch_ms_of
from ._event_row import read_rfc3339, to_rfc3339
from ._spill_files import new_origin, open_private

_MAX_BYTES = 4 * 1024 * 1024


class _Unreadable(Exception):
    """Why the file cannot be used."""


class _Kept(NamedTuple):
    snapshot: ConfigSnapshot
    kept_at: int
    """Epoch milliseconds."""


class KeptConfig:
    """
    A key's file in the folder of the offline store. Its format is the same in every client library, because
    libraries may share a folder. Always written as a whole, and only when the config has changed. Never
    raises.
    """

    def __init__(
        self, folder: str, key_hash: str, base_url: str, now: Callable[[], float], log: ClientLog
    ) -> None:
        self._path = os.path.join(folder, f"config-{key_hash}.json")
        self._key_hash = key_hash
        self._base_url = base_url
        self._now = now
        self._log = log
        self._in_use: Optional[_Kept] = None
        """The config from the file, until the service has answered once."""
        self._written: Optional[str] = None
        """The config in the file, as comparable text."""
        self._seen: object = None
        """The last config that was compared with it."""

    def begin(self) -> Optional[ConfigSnapshot]:
        """Returns the config to start with, if there is one."""
        self._in_use = self._read()
        return None if self._in_use is None else self._in_use.snapshot

    def note_failure(self) -> None:
        """Called when a poll fails: warns once if only the config from the file is available."""
        kept, self._in_use = self._in_use, None
        if kept is None:
            return
        try:
            age = max(0, epoch_ms_of(self._now()) - kept.kept_at) // 1_000
            self._log.once("warning", f"kept config in use, {age} s old")
        except Exception:
            pass  # The clock is the caller's code and may raise anything.

    def keep(self, body: object) -> None:
        """Accepts the service's config. Writes it when it differs from the one in the file."""
        self._in_use = None
        if body is self._seen:
            return
        self._seen = body
        try:
            text = _comparable(body)
            if text == self._written:
                return
            kept_at = to_rfc3339(epoch_ms_of(self._now()))
            head = {"v": 1, "key_hash": self._key_hash, "base_url": self._base_url, "kept_at": kept_at}
            content = json.dumps({**head, "config": body}, separators=(",", ":"), allow_nan=False).encode()
            if len(content) > _MAX_BYTES:
                self._log.once("warning", "a config over 4 MiB is not kept")
                return
            path = f"{self._path}.{new_origin()}.tmp"
            with open(path, "wb", opener=open_private) as file:
                file.write(content)
            os.replace(path, self._path)
            self._written = text
        except Exception as error:  # The clock is the caller's code and may raise anything.
            self._log.once("warning", f"the config is not kept: {type(error).__name__}")

    def _read(self) -> Optional[_Kept]:
        try:
            with open(self._path, "rb") as file:
                content = file.read(_MAX_BYTES + 1)
            if len(content) > _MAX_BYTES:
                raise _Unreadable("over 4 MiB")
            return self._parse(json.loads(content.decode("utf-8"), parse_constant=_refuse))
        except FileNotFoundError:
            return None
        except Exception as error:
            reason = str(error) if isinstance(error, _Unreadable) else type(error).__name__
            self._log.once("warning", f"unreadable kept config: {reason}")
            return None

    def _parse(self, file: Any) -> Optional[_Kept]:
        if not isinstance(file, dict) or file.get("v") != 1 or isinstance(file["v"], bool):
            raise _Unreadable("not of version 1")
        if file.get("key_hash") != self._key_hash or file.get("base_url") != self._base_url:
            return None
        snapshot = parse_config(file.get("config"))
        if snapshot is None:
            raise _Unreadable("no config in it")
        kept_at = read_rfc3339(file["kept_at"])
        self._written = _comparable(file["config"])
        return _Kept(snapshot, kept_at)


def _comparable(config: object) -> str:
    return json.dumps(config, sort_keys=True)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
