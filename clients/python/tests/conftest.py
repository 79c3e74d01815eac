"""Shared by the tests: the vectors and the server that plays the service."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set

import pytest
from core_fixture import Core, MakeCore
from recording_service import RecordingService

ROOT = Path(__file__).resolve().parents[3]


def vectors(name: str) -> Any:
    """Reads `vectors/<name>.json` of the repository in place."""
    return json.loads((ROOT / "vectors" / f"{name}.json").read_text(encoding="ascii"))


class ScenarioServer:
    """`clients/scenario-server` as a program of its own; see its README."""

    def __init__(self) -> None:
        command = ["node", "scripts/launch.mjs", "clients/scenario-server/main.ts"]
        self._process = subprocess.Popen(
            command, cwd=str(ROOT), stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), "the scenario server did not start"

    def play(self, scenario: Dict[str, List[Any]]) -> None:
        """Installs `{path: [reply, …], …}` and forgets the requests so far."""
        status, body = self._ask("PUT", "/scenario", json.dumps(scenario))
        assert status == 204, body

    def requests(self, path: str = "") -> List[Any]:
        """Lists the requests since `play`, oldest first; of one path only when it is given."""
        status, body = self._ask("GET", "/scenario/requests")
        assert status == 200, body
        return [request for request in json.loads(body) if path in ("", request["path"])]

    def events(self) -> List[Any]:
        """Lists the rows of all batches since `play`."""
        batches = (json.loads(request["body"]) for request in self.requests("/v1/events"))
        return [event for batch in batches for event in batch["events"]]

    def stop(self) -> None:
        """Ends the program: it does so when its standard input closes."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def _ask(self, method: str, path: str, body: str = "") -> Any:
        connection = http.client.HTTPConnection(self.url[len("http://") :], timeout=60)
        try:
            connection.request(method, path, body.encode() or None)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8")
        finally:
            connection.close()


@pytest.fixture(scope="session")
def scenario_server() -> Iterator[ScenarioServer]:
    server = ScenarioServer()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings from the caller's environment must not reach the tests."""
    for name in [name for name in os.environ if name.startswith("ASSAY_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def make_core(monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeCore]:
    """Makes clients, each with its own service, and ends them. They must leave no thread behind."""
    others = client_threads()
    services: List[RecordingService] = []
    cores: List[Core] = []

    def make(**options: Any) -> Core:
        services.append(RecordingService())
        services[-1].config = None
        # Not an option: an invalid one would count as not given and lead to the real service.
        monkeypatch.setenv("ASSAY_BASE_URL", services[-1].url)
        cores.append(Core(services[-1], options))
        return cores[-1]

    yield make
    for core in cores:
        core.client.close()
    for service in services:
        service.stop()
    for thread in client_threads() - others:
        thread.join(60)
        assert not thread.is_alive(), thread


@pytest.fixture
def observe(scenario_server: ScenarioServer) -> Iterator[Any]:
    """Makes clients whose model calls the scenario server answers, and ends them."""
    from model_call_fixture import Observed  # needs the providers' packages

    made: List[Any] = []

    def start(scenario: Dict[str, List[Any]], **options: Any) -> Any:
        made.append(Observed(scenario_server, scenario, **options))
        return made[-1]

    yield start
    for each in made:
        each.assay.close()


def client_threads() -> Set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("assay-")}
