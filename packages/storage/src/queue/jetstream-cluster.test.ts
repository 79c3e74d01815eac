import { randomUUID } from "node:crypto";
import type { BatchHeader, IngestQueue } from "@assay/domain";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findNats, type NatsNode, type NatsServers, startNats } from "../../../../tests/servers/nats.ts";
import { ingestQueueContract } from "../contract-tests/ingest-queue.ts";
import { sharedQueueContract } from "../contract-tests/shared-queue.ts";
import { openJetStreamQueue } from "./jetstream.ts";

const header: BatchHeader = { orgId: "org", receivedAt: 1, rejected: [], experiments: {} };
const filler = ".".repeat(4_000);

if (findNats() === null) {
  console.warn(
    "NOT RUN: the ingest queue on three NATS servers. There is neither Go nor a nats-server package.",
  );
  test.skip("NOT RUN: the ingest queue on three NATS servers (no server here)", () => {});
} else onCluster();

function onCluster(): void {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 3 });
  });
  afterAll(() => servers.stop());

  const ownUrls = () => {
    const prefix = `T${randomUUID().replaceAll("-", "")}`;
    return servers.url.split(",").map((url) => `${url}/${prefix}`);
  };
  const makeStore = () => {
    const urls = ownUrls();
    return (options?: { maxBytes?: number; maxBatches?: number }) => openJetStreamQueue({ urls, ...options });
  };
  ingestQueueContract("JetStream on three servers", makeStore);
  sharedQueueContract("JetStream on three servers", makeStore);

  /** Returns the server that leads a stream; null during an election. */
  const leaderOf = async (urls: readonly string[], from: readonly NatsNode[]): Promise<NatsNode | null> => {
    const nc = await connect({ servers: from.map(({ url }) => url) });
    try {
      const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: 2_000 });
      const { cluster } = await jsm.streams.info(`${new URL(urls[0]!).pathname.slice(1)}_EVENTS`);
      return from.find(({ name }) => name === cluster?.leader) ?? null;
    } catch {
      return null;
    } finally {
      await nc.close();
    }
  };

  /** Appends in several lanes until stopped; records acknowledged and refused batches and the longest gap. */
  const appendSteadily = (queue: IngestQueue, lanes: number) => {
    const acked: string[] = [];
    const refused: unknown[] = [];
    let isOver = false;
    let lastAckAt = performance.now();
    let longestGapMs = 0;
    const lane = async (number: number) => {
      for (let n = 0; !isOver; n += 1) {
        const id = `${number}-${n}`;
        try {
          await queue.append(header, new TextEncoder().encode(`${id} ${filler}`));
          acked.push(id);
          longestGapMs = Math.max(longestGapMs, performance.now() - lastAckAt);
          lastAckAt = performance.now();
        } catch (error) {
          refused.push(error);
        }
      }
    };
    const done = Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    return {
      acked,
      refused,
      longestGapMs: () => longestGapMs,
      stop: async () => {
        isOver = true;
        await done;
      },
    };
  };

  const drainAll = async (queue: IngestQueue, into: string[]) => {
    for (let empty = 0; empty < 3; ) {
      await queue.waitForBatch(1_000);
      const batches = await queue.claim(1_000, 1e9).catch(() => []); // an election may be under way
      into.push(...batches.map(({ body }) => new TextDecoder().decode(body).split(" ")[0]!));
      await queue.ack(batches);
      empty = batches.length === 0 && (await queue.depth()).batches === 0 ? empty + 1 : 0;
    }
  };

  test("keeps three replicas, and loses nothing acknowledged when the leader is killed under load", async () => {
    const urls = ownUrls();
    const queue = await openJetStreamQueue({ urls });
    expect(queue.facts.replicas).toBe(3);
    const load = appendSteadily(queue, 16);
    await expect.poll(() => load.acked.length).toBeGreaterThan(500);
    const drained: string[] = [];
    let isStopped = false;
    const draining = (async () => {
      // A consumer that keeps running through the election, as workers do.
      while (!isStopped) {
        await queue.waitForBatch(500);
        const batches = await queue.claim(100, 1e9).catch(() => []);
        drained.push(...batches.map(({ body }) => new TextDecoder().decode(body).split(" ")[0]!));
        await queue.ack(batches);
      }
    })();
    const leader = (await leaderOf(urls, servers.nodes))!;
    await leader.kill("SIGKILL");
    const ackedAtKill = load.acked.length;
    await expect.poll(() => load.acked.length).toBeGreaterThan(ackedAtKill + 500);
    await leader.restart();
    const restartedAt = performance.now();
    await load.stop();
    isStopped = true;
    await draining;
    await drainAll(queue, drained);
    const drainedMs = Math.round(performance.now() - restartedAt);
    const lost = load.acked.filter((id) => !new Set(drained).has(id));
    console.info(
      `leader killed: ${load.acked.length} acknowledged, ${lost.length} lost, ${load.refused.length} refused, ` +
        `${drained.length - new Set(drained).size} delivered twice, longest silence ${Math.round(load.longestGapMs())} ms, ` +
        `all drained ${drainedMs} ms after its return`,
    );
    expect(lost).toEqual([]);
    expect(load.refused).toEqual([]);
    expect(load.longestGapMs()).toBeLessThan(15_000);
    // Batches that the dead leader was delivering come again after the redelivery time.
    expect(drainedMs).toBeLessThan(60_000);
    await queue.close();
  });

  test("continues without a noticeable pause when a follower is killed", async () => {
    const urls = ownUrls();
    const queue = await openJetStreamQueue({ urls });
    const load = appendSteadily(queue, 8);
    await expect.poll(() => load.acked.length).toBeGreaterThan(200);
    const leader = await leaderOf(urls, servers.nodes);
    const follower = servers.nodes.find((node) => node !== leader)!;
    await follower.kill("SIGKILL");
    const ackedAtKill = load.acked.length;
    await expect.poll(() => load.acked.length).toBeGreaterThan(ackedAtKill + 300);
    await load.stop();
    await follower.restart();
    const drained: string[] = [];
    await drainAll(queue, drained);
    expect(new Set(drained).size).toBe(load.acked.length);
    console.info(`follower killed: longest silence ${Math.round(load.longestGapMs())} ms`);
    expect(load.refused).toEqual([]);
    await queue.close();
  });

  test("starts with two servers of three, and creates its streams there", async () => {
    const [first] = servers.nodes;
    await first!.kill("SIGKILL");
    try {
      const queue = await openJetStreamQueue({ urls: ownUrls() });
      await queue.append(header, new Uint8Array(3));
      expect((await queue.depth()).batches).toBe(1);
      await queue.close();
    } finally {
      await first!.restart();
    }
  });
}
