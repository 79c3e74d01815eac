"""The client over TLS, with certificates of a trusted authority or another one."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Callable, Iterator, List

import pytest
import trustme
from recorded_log import RecordedLog
from recording_service import RecordingService

from assay import Assay

EVENTS = 1_000


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """The only authority that this process trusts."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    return authority


@pytest.fixture
def serve() -> Iterator[Callable[..., RecordingService]]:
    """Starts a service with a certificate for `name`."""
    services: List[RecordingService] = []

    def start(authority: trustme.CA, name: str) -> RecordingService:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(name).configure_cert(context)
        services.append(RecordingService(context))
        return services[-1]

    yield start
    for service in services:
        service.stop()


def test_events_arrive_over_connections_that_are_kept(
    authority: trustme.CA, serve: Callable[..., RecordingService]
) -> None:
    service = serve(authority, "127.0.0.1")
    with Assay(api_key="k", base_url=service.url) as client:
        assert client.wait_ready(20)
        for number in range(EVENTS):
            client.track("business_event", {"event_id": f"e{number}", "experiment_id": "x", "user_id": "u"})
        assert client.flush(20)
        assert client.config_snapshot() is not None
    assert set(service.ids) == {f"e{number}" for number in range(EVENTS)}
    # One for each thread: TLS 1.3 messages between two requests do not end a connection.
    assert service.connections == 2


@pytest.mark.parametrize("is_trusted, name", [(False, "127.0.0.1"), (True, "assay.example")])
def test_a_certificate_that_proves_nothing_gets_neither_key_nor_events(
    authority: trustme.CA, serve: Callable[..., RecordingService], is_trusted: bool, name: str
) -> None:
    service = serve(authority if is_trusted else trustme.CA(), name)
    log = RecordedLog()
    with Assay(api_key="k", base_url=service.url, logger=log.logger) as client:
        assert not client.wait_ready(0.5)
        client.track("business_event", {"experiment_id": "x", "user_id": "u"})
        assert not client.flush(0.5)
        client.close(0.1)
    assert (service.config_requests, service.batches) == (0, [])
    assert any("CERTIFICATE_VERIFY_FAILED" in line or "ertificate" in line for line in log.lines), log.lines
