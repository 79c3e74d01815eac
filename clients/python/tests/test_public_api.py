"""The public API of the package."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from typing import Any, List

import pytest
from readme_programs import CLIENT, README

import assay

CLASSES = [
    "Agent",
    "Assay",
    "FlushReport",
    "ModelCallFacts",
    "PromptChoice",
    "Rejection",
    "TestClient",
    "ToolCallFacts",
    "VariablesChoice",
]
FUNCTIONS = ["create_test_client"]
METHODS = [
    "aassign",
    "aclose",
    "aflush",
    "aflush_report",
    "agent",
    "as_user",
    "assign",
    "atrack",
    "await_ready",
    "close",
    "config_snapshot",
    "find_assignment",
    "flush",
    "flush_report",
    "get_prompt",
    "get_variables",
    "get_variables_detail",
    "intercept_model_call",
    "lifespan",
    "track",
    "wait_ready",
    "with_conversation",
    "with_run",
    "wrap",
]
# Packages that applications bring themselves, and asyncio, which costs more than this whole package.
NOT_IMPORTED = {
    "openai",
    "anthropic",
    "google",
    "requests",
    "httpx",
    "urllib3",
    "aiohttp",
    "pydantic",
    "asyncio",
}
IMPORT = """
import json, sys, threading
import assay
modules = sorted({name.split(".")[0] for name in sys.modules})
print(json.dumps({"modules": modules, "threads": threading.active_count()}))
"""


def public_names(thing: object) -> List[str]:
    return sorted(name for name in dir(thing) if not name.startswith("_"))


def import_in_a_child() -> Any:
    # Without the packages of this environment: some load modules into every interpreter (-S leaves them out).
    command = [sys.executable, "-S", "-c", IMPORT]
    output = subprocess.run(
        command, env={"PYTHONPATH": str(CLIENT / "src")}, stdout=subprocess.PIPE, check=True
    )
    return json.loads(output.stdout.decode())


def test_the_package_exports_these_names_only() -> None:
    assert sorted(assay.__all__) == [*CLASSES, "__version__", *FUNCTIONS]
    assert public_names(assay) == [*CLASSES, *FUNCTIONS]
    assert re.fullmatch(r"\d+\.\d+\.\d+", assay.__version__)


def test_the_client_has_these_methods_only() -> None:
    assert public_names(assay.Assay) == METHODS


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_documented_in_the_code_and_in_the_readme(name: str) -> None:
    assert inspect.getdoc(getattr(assay.Assay, name))
    assert re.search(rf"`{name}[`(]", README)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_documented_in_the_code_and_in_the_readme(name: str) -> None:
    assert inspect.getdoc(getattr(assay, name))
    assert re.search(rf"`{name}[`(]", README)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_documented_in_the_code(name: str) -> None:
    # Tuples and dicts have docstrings of their own.
    documented = getattr(assay, name).__doc__
    assert documented and not documented.startswith((f"{name}(", "dict("))


def test_the_readme_lists_the_options_with_their_defaults() -> None:
    table = README.split("## Options")[1].split("##")[0]
    rows = [
        [cell.strip() for cell in line.split("|")[1:3]]
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    documented = {name: default for names, default in rows for name in re.findall(r"`(\w+)`", names)}
    parameters = inspect.signature(assay.Assay).parameters.values()
    options = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
    assert list(documented) == list(options)
    for name, default in options.items():
        if default is not None and default != ():
            assert documented[name].strip("`") == str(default)


def test_importing_it_loads_no_provider_and_starts_no_thread() -> None:
    found = import_in_a_child()
    assert NOT_IMPORTED.intersection(found["modules"]) == set()
    assert found["threads"] == 1
