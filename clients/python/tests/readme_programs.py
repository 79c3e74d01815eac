"""The programs of the README: its Python blocks whose first line is a comment with a file name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple

CLIENT = Path(__file__).resolve().parents[1]
README = (CLIENT / "README.md").read_text(encoding="utf-8")


class Ended(NamedTuple):
    """A program's exit code and output."""

    exit_code: int
    output: str
    errors: str


class ReadmePrograms:
    """Runs them as their readers would."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs: Dict[str, str] = dict(
            re.findall(r"```python\n# (\S+\.py)\n(.*?)```", README, re.DOTALL)
        )

    @property
    def names(self) -> List[str]:
        return sorted(self._programs)

    def run(self, name: str, environment: Dict[str, str]) -> Ended:
        """Runs a program unchanged. Only the environment comes from here."""
        file = self._folder / name
        file.write_text(self._programs[name], encoding="utf-8")
        own = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(CLIENT / "src")}
        ended = subprocess.run(
            [sys.executable, str(file)],
            env={**own, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=240,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)
