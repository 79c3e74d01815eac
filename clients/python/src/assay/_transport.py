"""Requests to the service over one persistent connection."""

from __future__ import annotations

import os
import socket
import time
from typing import Dict, Optional

from ._client_log import ClientLog
from ._connection import Connection, bound, connect, is_usable
from ._retry_policy import Answer, no_answer, read_answer
from ._service_clock import Timing
from ._version import __version__

REQUEST_TIMEOUT = 10.0


class Transport:
    """
    Posts events to the service or requests the config. One request at a time. Never raises. Does not follow
    redirects, which would send the key to whatever host they name.
    """

    def __init__(self, api_key: str, base_url: str, log: ClientLog) -> None:
        self._headers = {"X-API-Key": api_key, "User-Agent": f"assay-python/{__version__}"}
        self._base_url = base_url
        self._log = log
        self._connection: Optional[Connection] = None
        self._has_ended = False

    def post(self, body: bytes, timeout: float = REQUEST_TIMEOUT) -> Answer:
        """
        Posts a batch. `timeout` (seconds) covers connecting, sending and the whole answer.
        """
        return self._request("/v1/events", body, {"Content-Type": "application/json"}, timeout)

    def get_config(self, etag: Optional[str], wait: int = 0, timeout: Optional[float] = None) -> Answer:
        """
        Requests the config, unless it still has this ETag. The service may `wait` this many seconds for
        another one; the default timeout starts after that.
        """
        path = f"/v1/config?wait={wait}" if wait else "/v1/config"
        seconds = REQUEST_TIMEOUT + wait if timeout is None else timeout
        answer = self._request(path, None, {"If-None-Match": etag} if etag else {}, seconds)
        timing = answer.timing
        if timing is None or not wait:
            return answer
        # The answer's Date is that of its end, so the wait must not count as part of the round trip.
        return answer._replace(timing=timing._replace(sent_at=timing.answered_at))

    def end(self) -> None:
        """
        Aborts another thread's request, if any. No further requests are made. Takes no lock.
        """
        self._has_ended = True
        connection = self._connection
        sock = None if connection is None else connection.http.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except (OSError, ValueError):
                pass

    def close(self) -> None:
        """Closes the connection; the next request opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.http.close()

    def reset_after_fork(self) -> None:
        """Leaves the connection to the parent: parent and child would read each other's data."""
        connection, self._connection = self._connection, None
        sock = None if connection is None else connection.http.sock
        if sock is not None:
            # Nothing more than this: the parent's thread may be inside these objects and hold their locks.
            os.close(sock.detach())

    def _request(self, path: str, body: Optional[bytes], headers: Dict[str, str], timeout: float) -> Answer:
        try:
            answer = self._exchange(path, body, headers, timeout)
        except Exception as error:
            self.close()
            return no_answer(_describe(error))
        if answer.verdict == "refuse":
            self._log.once("error", f"API key refused: {answer.reason}")
        return answer

    def _exchange(self, path: str, body: Optional[bytes], headers: Dict[str, str], timeout: float) -> Answer:
        began = time.monotonic()
        connection = self._open(began + min(timeout, REQUEST_TIMEOUT))
        bound(connection.http, began + timeout)
        request = {**self._headers, **connection.headers, **headers}
        sent_at = _clock_ms()
        connection.http.request("GET" if body is None else "POST", connection.base + path, body, request)
        response = connection.http.getresponse()
        answered_at = _clock_ms()
        # The body is always read, because an unread body blocks its connection.
        content = response.read()
        if response.will_close:
            self.close()
        headers_by_name = {name.lower(): value for name, value in response.getheaders()}
        answer = read_answer(response.status, headers_by_name, content)
        return answer._replace(timing=Timing(sent_at, answered_at, headers_by_name.get("date")))

    def _open(self, deadline: float) -> Connection:
        """Returns the kept connection, or a new one when the service has closed it."""
        connection = self._connection
        if connection is None or not is_usable(connection.http):
            self.close()
            if not self._has_ended:
                connection = self._connection = connect(self._base_url, deadline)
        # Also after connecting: `end` aborts only a connection that it sees.
        if connection is None or self._has_ended:
            raise OSError(0, "client closed")
        return connection


def _clock_ms() -> int:
    return int(time.time() * 1_000)


def _describe(error: Exception) -> str:
    """Describes the error. Messages of other error types may contain what was sent, including the key."""
    if isinstance(error, socket.timeout):
        return "no answer"
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
