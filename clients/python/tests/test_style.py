"""Formatting, lint and types of the sources."""

from __future__ import annotations

import subprocess
import sys
from typing import List

import pytest
from readme_programs import CLIENT

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 13), reason="ruff and mypy are here for new Pythons only"
)


@pytest.mark.parametrize("command", [["ruff", "format", "--check", "."], ["ruff", "check", "."], ["mypy"]])
def test_nothing_is_found_in_the_sources(command: List[str]) -> None:
    found = subprocess.run(
        [sys.executable, "-m", *command], cwd=CLIENT, stdout=subprocess.PIPE, universal_newlines=True
    )
    assert (found.returncode, found.stdout) == (0, found.stdout)
