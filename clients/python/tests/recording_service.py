"""A service in the test's own process that takes events and counts them."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, List, Optional
from typing import Counter as Counts

from sample_config import sample_config


class RecordingService:
    """
    `status` is the status of its answers to events. With `is_silent` it answers them only after `speak`, and
    takes none at `stop`. Without a `config` it does not answer config requests before `publish`. With an
    `etag`, requests for the config that wait are answered after the next `publish`. With `tls` it uses https.
    """

    def __init__(self, tls: Optional[ssl.SSLContext] = None) -> None:
        self.status = 202
        self.is_silent = False
        self.config: Any = sample_config()
        self.etag: Optional[str] = None
        self.waiting = 0
        self.batches: List[Any] = []
        self.config_requests = 0
        self.connections = 0
        self.changed = threading.Condition()
        self.stopped = threading.Event()
        service = self

        class Handler(_Handler):
            pass

        Handler.service = service
        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{self._server.server_address[1]}"
        if tls is not None:
            # The handshake runs in the connection's own thread, so that one failed handshake does not block
            # the others.
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def ids(self) -> Counts[str]:
        """How often each event was accepted, by its id."""
        with self.changed:
            return Counter(row["event_id"] for batch in self.batches for row in batch["events"])

    @property
    def rows(self) -> List[Any]:
        """All events accepted, in order."""
        with self.changed:
            return [row for batch in self.batches for row in batch["events"]]

    def publish(self, config: Any, etag: Optional[str] = None) -> None:
        """Sets the config."""
        with self.changed:
            self.config = config
            self.etag = etag
            self.changed.notify_all()

    def speak(self) -> None:
        """Ends the silence."""
        with self.changed:
            self.is_silent = False
            self.changed.notify_all()

    def received(self, count: int, timeout: float = 80.0) -> bool:
        """Waits until this many different events were accepted."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.ids) >= count, timeout)

    def asked(self, count: int, timeout: float = 80.0) -> bool:
        """Waits until the config was requested this many times."""
        with self.changed:
            return self.changed.wait_for(lambda: self.config_requests >= count, timeout)

    def stop(self) -> None:
        self.stopped.set()
        with self.changed:
            self.changed.notify_all()
        # Wakes it at once; `shutdown` would wait for its next poll.
        socket.create_connection(self._server.server_address).close()
        self._thread.join()
        self._server.server_close()

    def _serve(self) -> None:
        while not self.stopped.is_set():
            self._server.handle_request()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the client has ended


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise each answer waits 40 ms for a delayed acknowledgement.
    disable_nagle_algorithm = True
    service: RecordingService

    def setup(self) -> None:
        super().setup()
        with self.service.changed:
            self.service.connections += 1

    def do_GET(self) -> None:
        with self.service.changed:
            self.service.config_requests += 1
            self.service.changed.notify_all()
            self._wait_while(lambda: self.service.config is None)
            if "wait=" in self.path:
                known = self.headers["If-None-Match"]
                self.service.waiting += 1
                self._wait_while(lambda: self.service.etag == known)
                self.service.waiting -= 1
            config, etag = self.service.config, self.service.etag
        self._answer(200, config, etag)

    def do_POST(self) -> None:
        batch = json.loads(self.rfile.read(int(self.headers["content-length"])))
        service = self.service
        with service.changed:
            self._wait_while(lambda: service.is_silent)
            if service.status == 202 and not service.is_silent:
                service.batches.append(batch)
            service.changed.notify_all()
        self._answer(service.status, {"accepted": 0, "config_version": 1, "rejected": []})

    def _wait_while(self, is_waiting: Callable[[], bool]) -> None:
        service = self.service
        service.changed.wait_for(lambda: service.stopped.is_set() or not is_waiting(), 60)

    def _answer(self, status: int, body: Any, etag: Optional[str] = None) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        if etag is not None:
            self.send_header("ETag", etag)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass
