import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findNats, type NatsServers, startNats } from "../../../../tests/servers/nats.ts";
import { openJetStreamQueue } from "./jetstream.ts";
import { probeJetStream } from "./probe-jetstream.ts";

test("an unreachable server is reported in one line that names the setting", async () => {
  await expect(probeJetStream(["nats://127.0.0.1:1"])).rejects.toThrow(
    /^NATS at ASSAY_QUEUE_URL does not answer: check the address and that the server runs\.$/,
  );
});

describe.skipIf(findNats() === null)("servers", () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 1 });
  });
  afterAll(() => servers.stop());
  const urls = () => servers.url.split(",");

  test("report their version, the backlog and dead letters, and warn about a single server", async () => {
    const before = await probeJetStream(urls());
    expect(before.found).toMatch(
      /^NATS \d+\.\d+\.\d+, one server, no streams yet: the first start creates them$/,
    );
    const queue = await openJetStreamQueue({ urls: urls() });
    const header = { orgId: "o", receivedAt: Date.now(), rejected: [], experiments: {} };
    for (let i = 0; i < 3; i++) await queue.append(header, Buffer.from(`[${i}]`));
    const [first] = await queue.claim(1, 1_000);
    await queue.bury(first === undefined ? [] : [first], "It cannot be stored.");
    const { found, advice } = await probeJetStream(urls());
    expect(found).toMatch(/1 replica, 2 batches wait \(\d+ bytes\)/);
    expect(advice.join("\n")).toContain("a cluster of three servers survives the loss of one");
    expect(advice.join("\n")).toContain("1 dead letters");
    await queue.close();
  });
});

describe.skipIf(findNats() === null)("a server that is not set up for events", () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 1, maxPayloadBytes: 1024 * 1024 });
  });
  afterAll(() => servers.stop());

  test("is reported with the setting to raise", async () => {
    await expect(probeJetStream([servers.url])).rejects.toThrow(/set max_payload to 8MB/);
  });
});
