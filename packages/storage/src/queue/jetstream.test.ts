import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BatchHeader, IngestQueue } from "@assay/domain";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findNats, type NatsServers, startNats } from "../../../../tests/servers/nats.ts";
import { ingestQueueContract } from "../contract-tests/ingest-queue.ts";
import { sharedQueueContract } from "../contract-tests/shared-queue.ts";
import { openJetStreamQueue } from "./jetstream.ts";

const header: BatchHeader = { orgId: "org", receivedAt: 1, rejected: [], experiments: { "Größe 🎈": "id" } };
const bodyOf = (text: string) => new TextEncoder().encode(text);
const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

/** Returns addresses with a unique prefix, so that no other test shares the streams. */
function ownUrls(url: string): readonly string[] {
  const prefix = `T${randomUUID().replaceAll("-", "")}`;
  return url.split(",").map((one) => `${one}/${prefix}`);
}

const prefixOf = (urls: readonly string[]) => new URL(urls[0]!).pathname.slice(1);

if (findNats() === null) {
  console.warn("NOT RUN: the ingest queue on NATS JetStream. There is neither Go nor a nats-server package.");
  test.skip("NOT RUN: the ingest queue on NATS JetStream (no server here)", () => {});
} else onServer();

function onServer(): void {
  let servers: NatsServers;
  const opened: IngestQueue[] = [];

  beforeAll(async () => {
    servers = await startNats();
  });
  afterEach(async () => {
    for (const queue of opened.splice(0)) await queue.close();
  });
  afterAll(() => servers.stop());

  const makeStore = () => {
    const urls = ownUrls(process.env.ASSAY_TEST_QUEUE_URL ?? servers.url);
    return (options?: { maxBytes?: number; maxBatches?: number }) => openJetStreamQueue({ urls, ...options });
  };
  ingestQueueContract("JetStream", makeStore);
  sharedQueueContract("JetStream", makeStore);

  const open = async (options: Partial<Parameters<typeof openJetStreamQueue>[0]> = {}) => {
    const queue = await openJetStreamQueue({ urls: ownUrls(servers.url), ...options });
    opened.push(queue);
    return queue;
  };

  /** Reads the server's configuration of a stream of the queue at `urls`. */
  const streamConfig = async (urls: readonly string[], stream: string) => {
    const nc = await connect({ servers: servers.url.split(",") });
    const jsm = await jetstreamManager(nc);
    const { config } = await jsm.streams.info(`${prefixOf(urls)}_${stream}`);
    await nc.close();
    return config;
  };

  describe("a worker that dies", () => {
    test("leaves its batches to another after the redelivery time, and not before", async () => {
      const urls = ownUrls(servers.url);
      const queue = await open({ urls, redeliverAfterMs: 2_000 });
      await queue.append(header, bodyOf("a"));
      const script = join(import.meta.dirname, "test-support", "hold-until-killed.ts");
      const child = spawn(process.execPath, [script, urls.join(","), "2000"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      expect(line).toBe("held 1");
      // It renews its hold while it lives.
      await queue.waitForBatch(4_000);
      expect(await queue.claim(1, 1e9)).toEqual([]);
      child.kill("SIGKILL");
      await queue.waitForBatch(10_000);
      expect((await queue.claim(1, 1e9)).map(({ body }) => textOf(body))).toEqual(["a"]);
    });

    test("again and again with the same batch gets the batch buried", async () => {
      const urls = ownUrls(servers.url);
      const nc = await connect({ servers: servers.url.split(",") });
      const queue = await open({ urls });
      await queue.append(header, bodyOf("kills"));
      const next = `$JS.API.CONSUMER.MSG.NEXT.${prefixOf(urls)}_EVENTS.workers`;
      for (let death = 0; death < 20; death += 1) {
        const message = await nc.request(next, JSON.stringify({ batch: 1 }), {
          noMux: true,
          timeout: 80_000,
        });
        nc.publish(message.reply!, "-NAK");
        await nc.flush();
      }
      await nc.close();
      await queue.waitForBatch(2_000);
      expect(await queue.claim(10, 1e9)).toEqual([]);
      await expect.poll(() => queue.countBuried()).toBe(1);
      expect((await queue.listBuried(1))[0]?.reason).toMatch(/^It was delivered to workers 20 times/);
      await expect.poll(async () => (await queue.depth()).batches).toBe(0);
    });
  });

  test("names the stream of dead letters when that is full", async () => {
    const urls = ownUrls(servers.url);
    const queue = await open({ urls });
    const nc = await connect({ servers: servers.url.split(",") });
    const jsm = await jetstreamManager(nc);
    await jsm.streams.update(`${prefixOf(urls)}_DEAD_LETTERS`, { max_msgs: 1 });
    await nc.close();
    for (const text of ["a", "b"]) await queue.append(header, bodyOf(text));
    await queue.waitForBatch(2_000);
    const [first, second] = await queue.claim(2, 1e9);
    await queue.bury([first!], "for this test");
    await expect(queue.bury([second!], "for this test")).rejects.toMatchObject({
      kind: "queue-full",
      message: `The stream of dead letters, ${prefixOf(urls)}_DEAD_LETTERS, is full: replay dead letters, or raise its limit.`,
    });
  });

  test.each([null, "{torn", "null", "{}", '{"orgId":"org","receivedAt":1}'])(
    "buries what another program put into the stream, and takes the next batch (header %s)",
    async (text) => {
      const urls = ownUrls(servers.url);
      const nc = await connect({ servers: servers.url.split(",") });
      const queue = await open({ urls });
      const head = headers();
      if (text !== null) head.set("Assay-Batch", text);
      await nc.request(`${prefixOf(urls).toLowerCase()}.events`, "[]", { headers: head, timeout: 3_000 });
      await nc.close();
      await queue.append(header, bodyOf("ours"));

      await queue.waitForBatch(2_000);
      await expect
        .poll(async () => (await queue.claim(10, 1e9)).map(({ body }) => textOf(body)))
        .toEqual(["ours"]);
      await expect.poll(() => queue.countBuried()).toBe(1);
      expect(await queue.listBuried(1)).toEqual([
        expect.objectContaining({
          orgId: null,
          receivedAt: expect.closeTo(Date.now(), -5),
          reason: expect.stringMatching(/^It is not a batch of Assay/),
        }),
      ]);
    },
  );

  test("keeps everything a server acknowledged when it is killed and restarted, and then continues", async () => {
    const own = await startNats();
    try {
      const queue = await open({ urls: ownUrls(own.url) });
      const acked: string[] = [];
      let isKilled = false;
      const appendUntilKilled = async (lane: number) => {
        for (let n = 0; !isKilled; n += 1) {
          const text = `${lane}-${n}`;
          await queue.append(header, bodyOf(text));
          acked.push(text);
        }
      };
      const lanes = Promise.all([0, 1, 2, 3].map(appendUntilKilled));
      await expect.poll(() => acked.length).toBeGreaterThan(200);
      await own.nodes[0]!.kill("SIGKILL");
      isKilled = true;
      await own.nodes[0]!.restart();
      await lanes; // retries under the same ids keep what was under way
      const texts: string[] = [];
      while (texts.length < acked.length) {
        await queue.waitForBatch(1_000);
        const batches = await queue.claim(1_000, 1e9);
        texts.push(...batches.map(({ body }) => textOf(body)));
        await queue.ack(batches);
      }
      expect(texts.toSorted()).toEqual(acked.toSorted());
      await expect.poll(async () => (await queue.depth()).batches).toBe(0);
    } finally {
      await own.stop();
    }
  });

  test("throws storage-unavailable within about ten seconds while no server runs", async () => {
    const own = await startNats();
    try {
      const queue = await open({ urls: ownUrls(own.url) });
      await queue.append(header, bodyOf("a"));
      await own.nodes[0]!.kill("SIGKILL");
      const unavailable = { kind: "storage-unavailable", retryAfterSeconds: 5 };
      const startedAt = performance.now();
      await Promise.all([
        expect(queue.append(header, bodyOf("b"))).rejects.toMatchObject(unavailable),
        expect(queue.claim(1, 1e9)).rejects.toMatchObject(unavailable),
        expect(queue.ping()).rejects.toMatchObject(unavailable),
        expect(queue.countBuried()).rejects.toMatchObject(unavailable),
        queue.waitForBatch(1_000),
      ]);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      await own.nodes[0]!.restart();
      await expect
        .poll(
          () =>
            queue.ping().then(
              () => true,
              () => false,
            ),
          { timeout: 80_000 },
        )
        .toBe(true);
      expect((await queue.claim(1, 1e9)).map(({ body }) => textOf(body))).toEqual(["a"]);
    } finally {
      await own.stop();
    }
  });

  test("accepts the largest body that the API accepts", async () => {
    const queue = await open();
    const body = new Uint8Array(5 * 1024 * 1024).fill(46);
    await queue.append({ ...header, rejected: Array.from({ length: 1_000 }, (_, i) => i) }, body);
    await queue.waitForBatch(10_000);
    const [batch] = await queue.claim(1, 1);
    expect(batch?.body.byteLength).toBe(body.byteLength);
    expect(batch?.rejected.length).toBe(1_000);
    expect(batch?.experiments).toEqual(header.experiments);
  });

  test("keeps the limits that an operator set on a stream, and restores its own settings", async () => {
    const urls = ownUrls(servers.url);
    await open({ urls });
    const nc = await connect({ servers: servers.url.split(",") });
    const jsm = await jetstreamManager(nc);
    const name = `${prefixOf(urls)}_EVENTS`;
    const found = await streamConfig(urls, "EVENTS");
    await jsm.streams.update(name, { ...found, max_msgs: 7, duplicate_window: 5e9 });
    await nc.close();
    await open({ urls });
    expect(await streamConfig(urls, "EVENTS")).toMatchObject({
      max_msgs: 7,
      duplicate_window: 60e9,
      retention: "workqueue",
      storage: "file",
      discard: "new",
    });
    expect(await streamConfig(urls, "DEAD_LETTERS")).toMatchObject({ retention: "limits", discard: "new" });
  });

  test("does not change a different stream that has its name", async () => {
    const urls = ownUrls(servers.url);
    const nc = await connect({ servers: servers.url.split(",") });
    const jsm = await jetstreamManager(nc);
    await jsm.streams.add({ name: `${prefixOf(urls)}_EVENTS`, subjects: [`other.${prefixOf(urls)}`] });
    await nc.close();
    await expect(open({ urls })).rejects.toThrow(/exists and is not Assay's: [^\n]+$/);
  });

  describe("at start", () => {
    test.each([
      {
        what: "a user and password",
        config: 'authorization { user: "a b", password: "s:@c" }',
        signIn: "a%20b:s%3A%40c@",
      },
      { what: "a token", config: 'authorization { token: "s3cret" }', signIn: "s3cret@" },
    ])("signs in with $what of the address, and says so when they are wrong", async ({ config, signIn }) => {
      const own = await startNats({ config });
      try {
        const url = (credentials: string) => own.url.replace("//", `//${credentials}`);
        const queue = await open({ urls: [url(signIn)] });
        await queue.ping();
        const wrong = open({ urls: [url("wrong:pair@")] });
        await expect(wrong).rejects.toThrow(
          /^NATS at ASSAY_QUEUE_URL refuses the user, password or token[^\n]+\.$/,
        );
        await expect(wrong).rejects.toMatchObject({ name: "StartupError" });
      } finally {
        await own.stop();
      }
    });

    test("says which setting to raise when the servers' message limit is too small", async () => {
      const own = await startNats({ maxPayloadBytes: 1024 * 1024 });
      try {
        await expect(open({ urls: [own.url] })).rejects.toThrow(/set max_payload to 8MB [^\n]+\.$/);
      } finally {
        await own.stop();
      }
    });

    test.each(["nats://", "nats://host:4222/a/b c", "not an address"])(
      "refuses %s without repeating it",
      async (url) => {
        await expect(open({ urls: [url] })).rejects.toThrow(
          /^ASSAY_QUEUE_URL is not a NATS address: [^\n]+\.$/,
        );
      },
    );

    test("says after some seconds that nothing answers", async () => {
      const failing = open({ urls: ["nats://127.0.0.1:1"] });
      await expect(failing).rejects.toThrow(/^NATS at ASSAY_QUEUE_URL does not answer: [^\n]+\.$/);
      await expect(failing).rejects.toMatchObject({ name: "StartupError" });
    });
  });
}
