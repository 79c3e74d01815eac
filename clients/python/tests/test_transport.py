"""One kept connection: what is sent, what it survives, and that it keeps its time limits."""

from __future__ import annotations

import base64
import socket
import threading
import time
from typing import Callable, Iterator, List

import pytest
from conftest import ScenarioServer
from recorded_log import RecordedLog
from recording_service import RecordingService

from assay._client_log import ClientLog
from assay._transport import Transport


@pytest.fixture
def service() -> Iterator[RecordingService]:
    service = RecordingService()
    yield service
    service.stop()


class RawServer:
    """Serves each connection with `serve(connection, head of the request)`."""

    def __init__(self, serve: Callable[[socket.socket, bytes], None]) -> None:
        self.heads: List[bytes] = []
        self._serve = serve
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        self._listener.close()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65_536)
            self.heads.append(head)
            try:
                self._serve(connection, head)
            except OSError:
                pass


_made: List[Transport] = []


@pytest.fixture(autouse=True)
def _close_all() -> Iterator[None]:
    yield
    while _made:
        _made.pop().close()


def make(url: str, key: str = "svc_pk_1") -> Transport:
    _made.append(Transport(key, url, ClientLog(RecordedLog().logger, time.monotonic)))
    return _made[-1]


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def test_uses_one_connection_for_many_requests(service: RecordingService) -> None:
    transport = make(service.url)
    for _ in range(20):
        assert transport.post(b'{"events":[]}').status == 202
        assert transport.get_config(None).status == 200
    assert service.connections == 1
    transport.close()


def test_a_connection_that_the_service_closed_meanwhile_is_no_failure() -> None:
    served = threading.Semaphore(0)

    def serve(connection: socket.socket, _: bytes) -> None:
        connection.sendall(OK)
        served.release()

    server = RawServer(serve)
    transport = make(f"http://{server.address}")
    for _ in range(3):
        assert transport.get_config(None).status == 200
        served.acquire()
        wait_for_end(transport)
    server.stop()


def wait_for_end(transport: Transport) -> None:
    connection = transport._connection
    assert connection is not None
    end = connection.http.sock.recv(1, socket.MSG_PEEK)
    assert end == b""


@pytest.mark.parametrize("where", ["nothing", "head", "body", "chunks"])
def test_an_answer_that_trickles_ends_at_the_deadline(where: str) -> None:
    def serve(connection: socket.socket, _: bytes) -> None:
        head = {
            "nothing": b"",
            "head": b"HTTP/1.1 200 OK\r\nX-Slow: ",
            "body": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
            "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        }[where]
        connection.sendall(head)
        while where != "nothing":
            connection.sendall(b"1\r\nx\r\n" if where == "chunks" else b"x")
            time.sleep(0.02)
        time.sleep(2)

    server = RawServer(serve)
    began = time.monotonic()
    answer = make(f"http://{server.address}").get_config(None, timeout=0.4)
    assert (answer.status, answer.reason) == (0, "no answer")
    assert 0.3 < time.monotonic() - began < 80
    server.stop()


def test_a_service_that_takes_nothing_ends_at_the_deadline() -> None:
    server = RawServer(lambda connection, _: time.sleep(3))
    began = time.monotonic()
    answer = make(f"http://{server.address}").post(b"x" * 50_000_000, timeout=0.4)
    assert (answer.status, answer.reason) == (0, "no answer")
    assert time.monotonic() - began < 80
    server.stop()


def test_a_closed_port_names_its_reason_and_never_the_key() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert make(f"http://127.0.0.1:{port}").get_config(None).reason == "Connection refused"


def test_the_next_address_of_a_host_is_tried(
    service: RecordingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(service.url.rsplit(":", 1)[1])
    stream = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
    # Nothing listens at the first address.
    infos = [(*stream, ("127.0.0.1", 1)), (*stream, ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: infos)
    assert make(f"http://two.example:{port}").get_config(None).status == 200


@pytest.mark.parametrize(
    "url", ["", "nonsense", "ftp://127.0.0.1", "http://", "http://127.0.0.1:x", "http://[::1"]
)
def test_an_address_that_is_none_is_no_answer(url: str) -> None:
    assert make(url).get_config(None).status == 0


@pytest.mark.parametrize("key", ["line\nend", "schl\u00fcssel\u2603", "\ud800"])
def test_a_key_that_no_header_can_hold_is_no_answer_and_is_not_named(
    service: RecordingService, key: str
) -> None:
    answer = make(service.url, key).get_config(None)
    assert answer.status == 0
    assert key not in answer.reason


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(scenario_server: ScenarioServer, status: int) -> None:
    reply = {"status": status, "headers": {"location": "/elsewhere"}}
    scenario_server.play({"/v1/config": [reply], "/v1/events": [reply], "/elsewhere": [{"status": 200}]})
    transport = make(scenario_server.url)
    assert transport.get_config(None).verdict == "retry"
    assert transport.post(b"{}").verdict == "retry"
    assert [request["path"] for request in scenario_server.requests()] == ["/v1/config", "/v1/events"]
    transport.close()


def test_a_path_of_the_address_stands_before_that_of_the_request() -> None:
    server = RawServer(lambda connection, _: connection.sendall(OK))
    assert make(f"http://{server.address}/assay/").get_config('"7"').status == 200
    assert server.heads[0].startswith(b"GET /assay/v1/config HTTP/1.1\r\n")
    assert b'If-None-Match: "7"\r\n' in server.heads[0]
    server.stop()


class TestProxy:
    def test_of_the_environment_is_asked_for_http(self, monkeypatch: pytest.MonkeyPatch) -> None:
        server = RawServer(lambda connection, _: connection.sendall(OK))
        monkeypatch.setenv("http_proxy", f"http://me:pass%40word@{server.address}")
        monkeypatch.setenv("no_proxy", "")
        assert make("http://assay.example:8080/x").get_config(None).status == 200
        head = server.heads[0]
        assert head.startswith(b"GET http://assay.example:8080/x/v1/config HTTP/1.1\r\n")
        assert b"Host: assay.example:8080\r\n" in head
        assert base64.b64encode(b"me:pass@word") in head
        server.stop()

    def test_makes_a_tunnel_for_https_and_does_not_see_the_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        server = RawServer(lambda connection, _: connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n"))
        monkeypatch.setenv("https_proxy", server.address)
        monkeypatch.setenv("no_proxy", "")
        assert make("https://assay.example").get_config(None).status == 0
        assert server.heads[0].startswith(b"CONNECT assay.example:443 HTTP/1.")
        assert b"svc_pk_1" not in server.heads[0]
        server.stop()

    def test_is_passed_by_for_hosts_of_no_proxy(
        self, monkeypatch: pytest.MonkeyPatch, service: RecordingService
    ) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert make(service.url).get_config(None).status == 200

    def test_of_a_kind_that_is_not_spoken_is_not_passed_by(
        self, monkeypatch: pytest.MonkeyPatch, service: RecordingService
    ) -> None:
        monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", "")
        assert make(service.url).get_config(None).reason == "proxy is not an http address"


def test_tls_checks_the_certificate(service: RecordingService) -> None:
    answer = make(service.url.replace("http:", "https:")).get_config(None, timeout=2)
    assert (answer.status, answer.verdict) == (0, "retry")


def test_the_end_breaks_off_a_request(service: RecordingService) -> None:
    service.is_silent = True
    transport = make(service.url)
    answers: List[int] = []
    thread = threading.Thread(target=lambda: answers.append(transport.post(b'{"events":[]}').status))
    thread.start()
    while service.connections == 0:
        time.sleep(0.01)
    time.sleep(0.05)
    transport.end()
    thread.join(60)
    assert answers == [0]
    assert transport.get_config(None).reason == "client closed"
