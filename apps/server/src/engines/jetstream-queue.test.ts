import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findNats, type NatsServers, startNats } from "../../../../tests/servers/nats.ts";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

if (findNats() === null) console.warn("NOT RUN: the service on NATS JetStream. No server can be had here.");

describe.skipIf(findNats() === null)("a service whose queue is NATS JetStream", () => {
  let servers: NatsServers;
  let api: TestService;
  let key: string;
  let experiment: WireExperiment;

  beforeAll(async () => {
    servers = await startNats();
    api = await openTestService({ queueUrls: [servers.url] });
    key = await api.newKey("secret");
    const body = experimentBody("queued");
    experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  });
  afterAll(async () => {
    await api.stop();
    await servers.stop();
  });

  const send = (id: string) => {
    const timestamp = Date.now();
    const event = { event_id: id, type: "exposure", experiment_id: experiment.id, user_id: id, timestamp };
    return api.call<WireProblem>("POST", "/v1/events", { key, body: [event] });
  };
  const storedUsers = async () => {
    const path = `/v1/experiments/${experiment.id}/live`;
    const { users } = (await api.call<{ users: Readonly<Record<string, number>> }>("GET", path)).body;
    return Object.values(users).reduce((sum, count) => sum + count, 0);
  };

  test("stores what it accepted, and warns that one server is all there is", async () => {
    expect((await send("ann")).status).toBe(202);
    const queued = async () =>
      (await api.call<{ queue: { batches: number } }>("GET", "/v1/admin/health")).body.queue.batches;
    await expect.poll(queued).toBe(0);
    expect(await storedUsers()).toBe(1);
    expect(api.logged()).toContain("a single NATS server stores the accepted events");
  });

  test("answers 503 while the queue is down, and recovers when it is back", async () => {
    await servers.nodes[0]!.kill("SIGKILL");
    const refused = await send("bob");
    expect([refused.status, slugOf(refused.body)]).toEqual([503, "storage-unavailable"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await servers.nodes[0]!.restart();
    await expect.poll(async () => (await send("cleo")).status).toBe(202);
    await expect.poll(storedUsers).toBe(2);
  });
});
