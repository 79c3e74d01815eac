"""
Opens connections: through the proxy that the environment names, and with one deadline for all that happens on
them.
"""

from __future__ import annotations

import base64
import functools
import http.client
import io
import selectors
import socket
import time
from typing import Any, Dict, NamedTuple, Optional, Tuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]


class Connection(NamedTuple):
    """An open connection, and what a request on it needs."""

    http: http.client.HTTPConnection
    base: str
    """What stands before the path in a request."""
    headers: Dict[str, str]


def connect(base_url: str, deadline: float) -> Connection:
    """
    Connects to the service by `deadline` (monotonic seconds; the look-up of a name has limits of its own).
    Raises OSError and whatever else `http.client` raises.
    """
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise OSError(0, "base_url is no http address")
    proxy = _proxy_of(url)
    is_secure = url.scheme == "https"
    target = url if proxy is None else proxy
    port = target.port or (443 if is_secure and proxy is None else 80)
    connection = _make(is_secure, target.hostname or "", port)
    authorization = {} if proxy is None else _authorization(proxy)
    if proxy is not None and is_secure:
        connection.set_tunnel(url.hostname, url.port or 443, authorization)
        authorization = {}
    # Nothing public bounds the attempts together: an address that swallows everything would
    # eat up the time of the next.
    setattr(connection, "_create_connection", functools.partial(_dial, deadline))
    bound(connection, deadline)
    try:
        connection.connect()
    except BaseException:
        connection.close()
        raise
    base = f"http://{url.netloc.rpartition('@')[2]}" if proxy is not None and not is_secure else ""
    return Connection(connection, base + url.path.rstrip("/"), authorization)


def bound(connection: http.client.HTTPConnection, deadline: float) -> None:
    """Sees to it that whatever is sent and read next ends by `deadline`, however slowly it trickles."""
    left = _left(deadline)
    connection.timeout = left
    if connection.sock is not None:
        connection.sock.settimeout(left)
    setattr(connection, "response_class", functools.partial(_Response, deadline))


def is_usable(connection: http.client.HTTPConnection) -> bool:
    """
    Tells whether a connection that nothing was asked on is still open: if there is news, that is its end.
    """
    if connection.sock is None:
        return False
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(connection.sock, selectors.EVENT_READ)
            return not selector.select(0)
    except (OSError, ValueError):
        return False


class _Response(http.client.HTTPResponse):
    """A response that is read by a deadline; a socket's own timeout restarts with each byte."""

    def __init__(self, deadline: float, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        reader: Any = self.fp
        self.fp = io.BufferedReader(_TimedReader(reader.detach(), sock, deadline))


class _TimedReader(io.RawIOBase):
    def __init__(self, raw: Any, sock: socket.socket, deadline: float) -> None:
        super().__init__()
        self._raw = raw
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._sock.settimeout(_left(self._deadline))
        count: Optional[int] = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout
    return left


def _make(is_secure: bool, host: str, port: int) -> http.client.HTTPConnection:
    if not is_secure:
        return http.client.HTTPConnection(host, port)
    import ssl  # some builds of Python have none, and reading the certificates takes its time

    return http.client.HTTPSConnection(host, port, context=ssl.create_default_context())


def _dial(deadline: float, address: Tuple[str, int], *_: object) -> socket.socket:
    """Tries each address of a host; none may use up the time of the others."""
    infos = socket.getaddrinfo(address[0], address[1], 0, socket.SOCK_STREAM)
    failure: Optional[OSError] = None
    for index, (family, kind, protocol, _name, target) in enumerate(infos):
        sock = None
        try:
            sock = socket.socket(family, kind, protocol)
            sock.settimeout(_left(deadline) / (len(infos) - index))
            sock.connect(target)
            sock.settimeout(_left(deadline))
            return sock
        except OSError as error:
            failure = error
            if sock is not None:
                sock.close()
    raise failure or OSError(0, "host has no address")


def _proxy_of(url: SplitResult) -> Optional[SplitResult]:
    """Finds the proxy in the environment alone: what macOS is asked otherwise does not survive a fork."""
    proxies = getproxies_environment()
    named = proxies.get(url.scheme) or proxies.get("all")
    if not named or proxy_bypass_environment(url.netloc.rpartition("@")[2], proxies):
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http" or not proxy.hostname:
        # To go past it would break the rules of the house.
        raise OSError(0, "proxy is no http address")
    return proxy


def _authorization(proxy: SplitResult) -> Dict[str, str]:
    if proxy.username is None:
        return {}
    credentials = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(credentials).decode()}"}
