"""
A FastAPI application that tracks its requests. ASSAY_TEST_SETUP: "lifespan" and "own_lifespan" close the
client in a lifespan, "sigterm" sets flush_on_sigterm, "both" does both, "none" does neither.
"""

import os
from contextlib import asynccontextmanager

from fastapi import FastAPI

from assay import Assay

setup = os.environ["ASSAY_TEST_SETUP"]
client = Assay(
    flush_interval=3_600,
    offline_store=os.environ.get("ASSAY_TEST_STORE"),
    flush_on_sigterm=setup in ("sigterm", "both"),
)


@asynccontextmanager
async def own_lifespan(app):
    async with client.lifespan(app):
        app.state.is_open = True
        yield
        client.track(
            "business_event", {"event_id": f"end-{os.getpid()}", "experiment_id": "x", "user_id": "u"}
        )


lifespans = {"lifespan": client.lifespan, "both": client.lifespan, "own_lifespan": own_lifespan}
application = FastAPI(lifespan=lifespans.get(setup))


@application.get("/{name}")
async def track(name: str):
    client.track("business_event", {"event_id": name, "experiment_id": "x", "user_id": "u"})
    return os.getpid()
