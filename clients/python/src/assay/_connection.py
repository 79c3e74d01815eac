"""
Opens connections, through the proxy in the environment, with one deadline for everything on a connection.
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
    """An open connection with what a request on it needs."""

    http: http.client.HTTPConnection
    base: str
    """The prefix of the path in a request."""
    headers: Dict[str, str]


def connect(base_url: str, deadline: float) -> Connection:
    """
    Connects to the service by `deadline` (monotonic seconds; name look-up has its own limits). Raises OSError
    and whatever else `http.client` raises.
    """
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise OSError(0, "base_url is not an http address")
    proxy = _proxy_of(url)
    is_secure = url.scheme == "https"
    target = url if proxy is None else proxy
    port = target.port or (443 if is_secure and proxy is None else 80)
    connection = _make(is_secure, target.hostname or "", port)
    authorization = {} if proxy is None else _authorization(proxy)
    if proxy is not None and is_secure:
        connection.set_tunnel(url.hostname, url.port or 443, authorization)
        authorization = {}
    # No public API bounds all attempts together: an address that never answers would use up the time of the
    # next one.
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
    """Makes everything that is sent and read next end by `deadline`, however slow the other side is."""
    left = _left(deadline)
    connection.timeout = left
    if connection.sock is not None:
        connection.sock.settimeout(left)
    setattr(connection, "response_class", functools.partial(_Response, deadline))


def is_usable(connection: http.client.HTTPConnection) -> bool:
    """
    Returns whether an idle connection is still open: if it is readable, the other side has closed it.
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
    """A response that is read by a deadline. A socket's own timeout would restart with each byte."""

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
    import ssl  # some builds of Python lack it, and reading the certificates is slow

    return http.client.HTTPSConnection(host, port, context=ssl.create_default_context())


def _dial(deadline: float, address: Tuple[str, int], *_: object) -> socket.socket:
    """Tries each address of a host. No address may use up the time of the others."""
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
    """Finds the proxy only in the environment: asking macOS is not safe after a fork."""
    proxies = getproxies_environment()
    named = proxies.get(url.scheme) or proxies.get("all")
    if not named or proxy_bypass_environment(url.netloc.rpartition("@")[2], proxies):
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http" or not proxy.hostname:
        # Bypassing the proxy could violate the network's rules.
        raise OSError(0, "proxy is not an http address")
    return proxy


def _authorization(proxy: SplitResult) -> Dict[str, str]:
    if proxy.username is None:
        return {}
    credentials = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(credentials).decode()}"}
