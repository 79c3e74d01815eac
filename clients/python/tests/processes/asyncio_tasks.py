"""Tracks in many tasks of an event loop."""

import asyncio

from assay import Assay


async def work(client, task):
    for i in range(10):
        await client.aassign("greeting", f"{task}-{i}")
        payload = {"event_id": f"{task}-{i}", "experiment_id": "x", "user_id": "u"}
        await client.atrack("business_event", payload)
        await asyncio.sleep(0)


async def main():
    async with Assay(track_exposures=False) as client:
        await asyncio.gather(*(work(client, task) for task in range(200)))
        assert await client.aflush()


asyncio.run(main())
