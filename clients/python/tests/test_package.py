"""The published package: built, inspected, installed and used."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple

import pytest
from conftest import ROOT, ScenarioServer
from readme_programs import CLIENT, README
from test_readme import CONFIG

import assay

PROGRAM = """
import assay
with assay.Assay(experiments=["greeting"]) as client:
    print(assay.__file__, client.wait_ready(), client.assign("greeting", "ann"), client.flush())
"""


def python(*args: object) -> str:
    """Runs this Python; see `output_of`."""
    return output_of([sys.executable, *map(str, args)], {})


def output_of(command: List[str], environment: Dict[str, str]) -> str:
    """Returns all output of a program, including errors; fails with it when the program fails."""
    own = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    ended = subprocess.run(
        command,
        cwd=str(CLIENT),
        env={**own, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    assert ended.returncode == 0, f"{command}: {ended.stdout}"
    return ended.stdout


def entries(wheel: Path) -> Dict[str, bytes]:
    """Reads the contents of a wheel, except for its own list of files."""
    with zipfile.ZipFile(str(wheel)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


class Built(NamedTuple):
    wheel: Path
    sdist: Path
    installed: Path
    """The Python of an environment with only the wheel installed."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("package")
    python("-m", "hatchling", "build", "-d", folder / "dist")
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    venv.create(str(folder / "venv"), symlinks=os.name != "nt")
    installed = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = ["install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", wheel]
    python("-m", "pip", "--python", installed, *install)
    yield Built(wheel, sdist, installed)


def test_the_wheel_holds_the_sources_and_what_says_what_they_are(built: Built) -> None:
    sources = [path.relative_to(CLIENT / "src").as_posix() for path in (CLIENT / "src").rglob("*.py")]
    info = re.sub("-py3.*", ".dist-info", built.wheel.name)
    about = [f"{info}/METADATA", f"{info}/WHEEL", f"{info}/licenses/LICENSE"]
    assert sorted(entries(built.wheel)) == sorted([*sources, "assay/py.typed", *about])


def test_the_metadata_ask_for_python_3_8_and_nothing_else(built: Built) -> None:
    (text,) = [content for name, content in entries(built.wheel).items() if name.endswith("/METADATA")]
    metadata = email.message_from_bytes(text)
    assert (metadata["Name"], metadata["Requires-Python"]) == ("assay-client", ">=3.8")
    assert metadata["Version"] == assay.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("Requires-Dist") is None and metadata.get_all("Provides-Extra") is None
    assert text.decode().endswith(README)


def test_the_licence_is_the_repositorys(built: Built) -> None:
    (licence,) = [content for name, content in entries(built.wheel).items() if name.endswith("/LICENSE")]
    assert licence == (ROOT / "LICENSE").read_bytes()


def test_the_source_distribution_holds_no_tests_and_builds_the_same_wheel(
    built: Built, tmp_path: Path
) -> None:
    with tarfile.open(str(built.sdist)) as archive:
        tops = {name.split("/", 1)[1].split("/")[0] for name in archive.getnames()}
    assert tops - {".gitignore"} == {"src", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO"}
    offline = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    python("-m", "pip", "wheel", *offline, "--wheel-dir", tmp_path, built.sdist)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == built.wheel.name
    assert entries(wheel) == entries(built.wheel)


def test_the_installed_package_assigns_and_delivers_without_a_warning(
    built: Built, scenario_server: ScenarioServer
) -> None:
    acknowledged = {"status": 202, "body": {"accepted": 1, "config_version": 1, "rejected": []}}
    scenario_server.play({"/v1/config": [{"status": 200, "body": CONFIG}], "/v1/events": [acknowledged]})
    environment = {"ASSAY_API_KEY": "svc_pk_1", "ASSAY_BASE_URL": scenario_server.url}
    command = [str(built.installed), "-W", "error", "-c", PROGRAM]
    file, *printed = output_of(command, environment).split()
    assert built.installed.parents[1] in Path(file).parents
    assert printed == ["True", "short", "True"]
    assert [event["type"] for event in scenario_server.events()] == ["exposure"]


def test_what_builds_the_package_is_what_the_tests_build_it_with() -> None:
    def pins(name: str) -> List[str]:
        lines = (CLIENT / name).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith("hatchling")]

    assert pins("requirements-test.txt") == pins("requirements-build.txt") != []


IMPORTS = """
from typing import Any, AsyncIterator, Dict, Iterator, Optional
from assay import Assay, ModelCallFacts, PromptChoice

class Provider:
    def ask(self, question: str) -> int: ...

def extract(answer: int) -> ModelCallFacts:
    return {"model": "m", "input_tokens": answer}

assay = Assay(api_key="k", experiments=["greeting"], flush_interval=1, mask=lambda text, part: None)
"""
RIGHT = """
variant: Optional[str] = assay.assign("greeting", "ann")
choice: PromptChoice = assay.get_prompt("greeting", "ann", "Hi")
prompt: str = choice.prompt
variables: Dict[str, Any] = assay.get_variables("greeting", "ann", {"size": 1})
wrapped: Provider = assay.wrap(Provider(), "greeting", user="ann")
answer: int = wrapped.ask("?")
intercepted: int = assay.intercept_model_call("greeting", "ann", lambda: 42, extract)
assay.track("business_event", {"experiment_id": "greeting", "user_id": "ann", "business_metric": "sold"})
closed: bool = assay.close()
with assay.as_user("ann"):
    pass

async def main() -> None:
    async with assay, assay.as_user("ann"):
        later: Optional[str] = await assay.aassign("greeting", "ann")
        await assay.atrack("business_event", {"value": 1})
        flushed: bool = await assay.aflush()

    async def ask() -> int:
        return 42

    awaited: int = await assay.intercept_model_call("greeting", "ann", ask)
"""
WRONG = {
    'number: int = assay.assign("greeting", "ann")': "assignment",
    'assay.assign("greeting", 1)': "arg-type",
    'assay.get_prompt("greeting", "ann")': "call-arg",
    'assay.get_variables("greeting", "ann", 1)': "arg-type",
    'assay.wrap(Provider(), "greeting").answer()': "attr-defined",
    'text: str = assay.wrap(Provider(), "greeting").ask("?")': "assignment",
    'assay.intercept_model_call("greeting", "ann", 42)': "arg-type",
    'facts: ModelCallFacts = {"tokens": 1}': "typeddict-unknown-key",
    'Assay("k")': "call-arg",
    "Assay(api_key=1)": "arg-type",
    'assay.flush("soon")': "arg-type",
}


def mypy(built: Built, folder: Path, code: str) -> Any:
    """Checks a user's program strictly against the installed package; returns its errors' codes by line."""
    file = folder / "user_program.py"
    file.write_text(code, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--python-executable={built.installed}",
    ]
    ended = subprocess.run(
        [*command, "--allow-empty-bodies", "--cache-dir", str(folder / "cache"), str(file)],
        stdout=subprocess.PIPE,
        universal_newlines=True,
        cwd=str(folder),
    )
    errors = re.findall(r":(\d+): error: .*\[([\w-]+)\]$", ended.stdout, re.MULTILINE)
    assert (ended.returncode == 0) == (not errors), ended.stdout
    return {int(line): code for line, code in errors}


@pytest.mark.skipif(sys.version_info < (3, 13), reason="mypy is here for new Pythons only")
def test_the_types_serve_a_strict_user_and_catch_wrong_use(built: Built, tmp_path: Path) -> None:
    assert mypy(built, tmp_path, IMPORTS + RIGHT) == {}
    first = IMPORTS.count("\n") + 1
    expected = {first + index: code for index, code in enumerate(WRONG.values())}
    assert mypy(built, tmp_path, IMPORTS + "\n".join(WRONG)) == expected
