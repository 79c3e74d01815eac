import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedServer } from "../../../scenario-server/scripted-server.ts";
import { makeLoadedClient, startService } from "../../test-support/client-fixture.ts";
import type { CoreClient } from "../core-client.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(() => server.stop());

const EVENT = { experiment_id: "greeting", user_id: "u", business_metric: "m" };
const track = (client: CoreClient) => client.track("business_event", EVENT);

/** A client on a platform with `waitUntil`. */
async function onPlatform() {
  const handed: Promise<unknown>[] = [];
  const parts = await makeLoadedClient(server, { waitUntil: (work) => handed.push(work) });
  return { ...parts, handed };
}

test("the platform waits until the tracked events are sent, 50 ms after the last of them", async () => {
  const { client, schedule, handed } = await onPlatform();
  track(client);
  track(client);
  expect(handed).toHaveLength(1);
  expect(schedule.delays.filter((delayMs) => delayMs <= 500)).toEqual([500, 50]);
  await schedule.fire(50);
  await handed[0];
  expect(server.batches.map((batch) => batch.length)).toEqual([2]);
  expect(schedule.delays.filter((delayMs) => delayMs <= 500)).toEqual([]);
});

test("at most 500 ms after the first of them", async () => {
  const { client, schedule, handed } = await onPlatform();
  track(client);
  await schedule.fire(500);
  await handed[0];
  expect(server.batches).toHaveLength(1);
});

test("an exposure counts as an event", async () => {
  const { client, handed } = await onPlatform();
  client.assign("greeting", "u");
  expect(handed).toHaveLength(1);
});

test("later events are another promise", async () => {
  const { client, schedule, handed } = await onPlatform();
  for (const count of [1, 2]) {
    track(client);
    await schedule.fire(50);
    await handed[count - 1];
    expect(server.batches).toHaveLength(count);
  }
});

test("the promise ends even when the events cannot be sent", async () => {
  server.script("/v1/events", { status: 400 });
  const { client, schedule, handed } = await onPlatform();
  track(client);
  await schedule.fire(50);
  await expect(handed[0]).resolves.toBe(false);
});

test("a waitUntil that throws is one error, and the events are sent all the same", async () => {
  const { client, schedule, lines } = await makeLoadedClient(server, {
    waitUntil: () => {
      throw new Error("no request is being answered");
    },
  });
  track(client);
  await schedule.fire(50);
  await server.received("/v1/events", 1);
  expect(lines).toEqual(["error [assay] waitUntil throws"]);
});
