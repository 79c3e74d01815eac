import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { testEmbedded } from "../../../../tests/servers/embedded-only.ts";
import { experimentBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService } from "../test-support/test-service.ts";

const IN_MEMORY = /"part":"recent-ids".*The recent ids are in memory/g;

testEmbedded("a service with an event engine of its own has the recent ids in memory", async () => {
  const api = await openTestService({ eventsUrl: null });
  const key = await api.newKey("secret");
  const body = experimentBody("recent ids");
  const { id: experimentId } = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const timestamp = Date.now();
  const send = async (eventId: string) => {
    const event = {
      event_id: eventId,
      type: "exposure",
      experiment_id: experimentId,
      user_id: "u",
      timestamp,
    };
    expect(await api.call("POST", "/v1/events", { key, body: [event] })).toMatchObject({ status: 202 });
  };
  const stored = async () =>
    (await api.call<{ events: { used: number } }>("GET", "/v1/usage")).body.events.used;
  const loads = () => api.logged().match(IN_MEMORY)?.length;

  const eventIds = [randomUUID(), randomUUID(), randomUUID()] as const;
  await send(eventIds[0]);
  await expect.poll(loads).toBe(1);
  await api.restart();
  await send(eventIds[0]);
  await send(eventIds[1]);
  await expect.poll(loads).toBe(2);
  await send(eventIds[0]);
  await send(eventIds[1]);
  await send(eventIds[2]);
  await expect.poll(stored).toBe(3);
  await api.stop();
});
