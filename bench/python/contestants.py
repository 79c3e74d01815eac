"""
The client libraries, set up with the same experiment: running, with half of the users in each of two
variants.
"""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timezone
from typing import Callable, NamedTuple

from assay import Assay
from growthbook import GrowthBook

EXPERIMENT = "answer-style"
VARIANTS = ("base", "concise")
#: Never during a bench: events are sent in `settle`, or when a batch is full.
FLUSH_INTERVAL = 3_600.0


class Contestant(NamedTuple):
    name: str
    #: Returns the user's variant.
    decide: Callable[[str], object]
    #: Delivers or drops the exposures recorded so far.
    settle: Callable[[], None]
    stop: Callable[[], None]


def start_client(base_url: str, track_exposures: bool = True) -> Assay:
    """Makes a client of this service, with the config loaded."""
    client = Assay(
        api_key="bench", base_url=base_url, flush_interval=FLUSH_INTERVAL, track_exposures=track_exposures
    )
    if not client.wait_ready():
        raise RuntimeError("The client did not become ready.")
    return client


def flush_all(client: Assay) -> None:
    """Sends everything recorded; raises when the service did not answer for all of it."""
    if not client.flush(60):
        raise RuntimeError("The client could not deliver its events.")


def start_assay(base_url: str, records_exposures: bool) -> Contestant:
    """Our client: it remembers exposures and records those of new users."""
    client = start_client(base_url)

    def settle() -> None:
        flush_all(client)

    return Contestant("`assay-client`", lambda user: client.assign(EXPERIMENT, user), settle, client.close)


def start_growthbook(base_url: str, records_exposures: bool) -> Contestant:
    """GrowthBook: one instance whose attributes change with each user, cheaper than one instance per request.

    GrowthBook passes exposures to the application. Here they are made into an event and serialized, like
    ours.
    """
    rows: list[str] = []

    def record(experiment: object, result: object, user_context: object) -> None:
        event = {
            "experiment_id": EXPERIMENT,
            "user_id": result.hashValue,  # type: ignore[attr-defined]
            "variant": result.key,  # type: ignore[attr-defined]
            "event_id": str(uuid.uuid4()),
            "type": "exposure",
            "timestamp": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        }
        rows.append(json.dumps(event))

    rule = {
        "key": EXPERIMENT,
        "variations": list(VARIANTS),
        "meta": [{"key": key} for key in VARIANTS],
        "weights": [0.5, 0.5],
        "coverage": 1,
        "hashAttribute": "id",
        "hashVersion": 2,
    }
    features = {EXPERIMENT: {"defaultValue": "none", "rules": [rule]}}
    growthbook = GrowthBook(features=features, on_experiment_viewed=record if records_exposures else None)

    def decide(user: str) -> object:
        growthbook.set_attributes({"id": user})
        return growthbook.get_feature_value(EXPERIMENT, "none")

    return Contestant("GrowthBook", decide, rows.clear, growthbook.destroy)
