"""Servers and task queues that SIGTERM ends: events tracked in them arrive."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from recording_service import RecordingService
from test_processes import environment, kept_in, start

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGTERM")

NAMES = [f"request-{i}" for i in range(4)]
LIMIT = 300
"""In seconds: on a busy machine, a worker takes more than a minute to import its application."""
UVICORN = ["uvicorn", "--host", "127.0.0.1", "--port", "0"]
ASGI_SERVERS: Dict[str, List[str]] = {
    "uvicorn": [*UVICORN, "asgi_app:application"],
    "uvicorn with 2 workers": [*UVICORN, "--workers", "2", "asgi_app:application"],
    "gunicorn with Uvicorn's worker": [
        *["gunicorn", "-b", "127.0.0.1:0", "-w", "2", "-k", "uvicorn_worker.UvicornWorker"],
        "asgi_app:application",
    ],
    "hypercorn": ["hypercorn", "-b", "127.0.0.1:0", "asgi_app:application"],
    "hypercorn with 2 workers": ["hypercorn", "-w", "2", "-b", "127.0.0.1:0", "asgi_app:application"],
}
# What each worker prints when it accepts requests. Uvicorn's supervisor prints the address long before.
IS_UP = r"Application startup complete|Running on|Booting worker"
WSGI_SERVERS: Dict[str, List[str]] = {
    "gunicorn": ["gunicorn", "-b", "127.0.0.1:0", "-w", "2", "wsgi_app:application"],
    "gunicorn with gevent's worker": [
        "gunicorn",
        "-b",
        "127.0.0.1:0",
        "-k",
        "gevent",
        "wsgi_app:application",
    ],
}


@pytest.fixture
def service() -> Iterator[RecordingService]:
    service = RecordingService()
    yield service
    service.stop()


class Server:
    """A server as a separate program; its errors are read as they arrive."""

    def __init__(self, service: RecordingService, command: List[str], **variables: str) -> None:
        self.errors = ""
        self._heard = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command],
            env={**environment(service), "PYTHONUNBUFFERED": "1", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def hear(self, pattern: str) -> str:
        """Waits for output that matches the pattern; returns its first group."""
        with self._heard:
            assert self._heard.wait_for(lambda: re.search(pattern, self.errors), LIMIT), self.errors
        found = re.search(pattern, self.errors)
        assert found is not None
        return found.group(1)

    def reach(self, host: str, port: int) -> None:
        """Waits until it accepts connections: uvicorn reports its start a little earlier."""
        deadline = time.monotonic() + LIMIT
        while not takes(host, port):
            assert time.monotonic() < deadline, self.errors
            with self._heard:
                self._heard.wait(0.05)

    def terminate(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(LIMIT)
        self._reader.join(LIMIT)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._heard:
                self.errors += line
                self._heard.notify_all()
        self._process.stdout.close()


def takes(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port)).close()
        return True
    except ConnectionRefusedError:
        return False


def track_four(server: Server) -> None:
    url = server.hear(r"(http://127\.0\.0\.1:[1-9]\d*)")
    server.hear(f"((?s:.*(?:{IS_UP})))")
    host, port = url[len("http://") :].split(":")
    server.reach(host, int(port))
    for name in NAMES:
        with urllib.request.urlopen(f"{url}/{name}", timeout=LIMIT) as answer:
            answer.read()


def run_asgi(service: RecordingService, name: str, **variables: str) -> Server:
    server = Server(service, ASGI_SERVERS[name], **variables)
    try:
        track_four(server)
    finally:
        server.terminate()
    return server


@pytest.mark.parametrize("name", ASGI_SERVERS)
@pytest.mark.parametrize("setup", ["lifespan", "sigterm"])
def test_an_asgi_server_sends_everything(service: RecordingService, name: str, setup: str) -> None:
    server = run_asgi(service, name, ASSAY_TEST_SETUP=setup)
    assert service.ids == dict.fromkeys(NAMES, 1), server.errors
    assert "Traceback" not in server.errors


# Hypercorn kills workers that take longer than the first one, so a lifespan alone is not enough.
IN_AN_OUTAGE = [("lifespan", name) for name in ASGI_SERVERS if name != "hypercorn with 2 workers"]


@pytest.mark.parametrize("setup, name", [*IN_AN_OUTAGE, *(("both", name) for name in ASGI_SERVERS)])
def test_an_asgi_server_keeps_everything_in_an_outage(
    service: RecordingService, tmp_path: Path, setup: str, name: str
) -> None:
    service.status = 503
    server = run_asgi(service, name, ASSAY_TEST_SETUP=setup, ASSAY_TEST_STORE=str(tmp_path))
    assert sorted(kept_in(tmp_path)) == NAMES, server.errors


def test_a_lifespan_of_the_applications_own_may_hold_the_clients(service: RecordingService) -> None:
    server = run_asgi(service, "uvicorn", ASSAY_TEST_SETUP="own_lifespan")
    assert sorted(key.split("-")[0] for key in service.ids) == ["end", *["request"] * 4], server.errors


@pytest.mark.parametrize("name", ["uvicorn", "uvicorn with 2 workers", "gunicorn with Uvicorn's worker"])
def test_without_either_uvicorn_loses_the_queue_as_the_readme_says(
    service: RecordingService, name: str
) -> None:
    run_asgi(service, name, ASSAY_TEST_SETUP="none")
    assert service.ids == {}


@pytest.mark.parametrize("name", WSGI_SERVERS)
def test_a_wsgi_server_sends_everything_without_any_setup(service: RecordingService, name: str) -> None:
    server = Server(service, WSGI_SERVERS[name])
    try:
        track_four(server)
    finally:
        server.terminate()
    assert service.ids == dict.fromkeys(NAMES, 1), server.errors


@pytest.mark.parametrize("previous, code", [("default", -signal.SIGTERM), ("exits", 5), ("ignored", 0)])
@pytest.mark.parametrize("is_outage", [False, True])
def test_sigterm_sends_or_keeps_and_then_does_what_it_did(
    service: RecordingService, tmp_path: Path, previous: str, code: int, is_outage: bool
) -> None:
    service.status = 503 if is_outage else 202
    process = start(service, "sigterm.py", previous, tmp_path)
    assert process.stdout is not None and process.stdout.readline() == "tracked\n"
    process.send_signal(signal.SIGTERM)
    # A process that ignores the signal continues until it is killed.
    output, errors = process.communicate("\n", timeout=LIMIT)
    assert (process.returncode, output) == (code, "previous handler\n" if previous == "exits" else ""), errors
    wanted = [f"sigterm-{i}" for i in range(4)]
    assert sorted(kept_in(tmp_path) if is_outage else service.ids) == wanted, errors
    assert set(service.ids.values()) == (set() if is_outage else {1})


def test_celerys_pool_sends_everything_without_any_setup(service: RecordingService, tmp_path: Path) -> None:
    (tmp_path / "control").mkdir()
    command = ["celery", "-A", "celery_app", "worker", "-c", "2", "-P", "prefork", "-l", "info"]
    server = Server(service, command, ASSAY_TEST_BROKER=str(tmp_path))
    try:
        server.hear("(ready)")
        for name in NAMES:
            program = f"import celery_app; celery_app.track.delay({name!r})"
            subprocess.run(
                [sys.executable, "-c", program],
                env={**environment(service), "ASSAY_TEST_BROKER": str(tmp_path)},
                check=True,
            )
        server.hear(r"((?s:.*succeeded){4})")
    finally:
        server.terminate()
    assert service.ids == dict.fromkeys(NAMES, 1), server.errors
