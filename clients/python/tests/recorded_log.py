"""A logger whose lines a test can read."""

from __future__ import annotations

import logging
from typing import List


class RecordedLog(logging.Handler):
    """Collects `level message` (level in lower case) of everything logged to `logger`."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: List[str] = []
        self.logger = logging.Logger("recorded")
        self.logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname.lower()} {record.getMessage()}")
