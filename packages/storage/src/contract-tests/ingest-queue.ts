import type { BatchHeader, IngestQueue } from "@assay/domain";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** Opens a queue over one lasting store: calling it again after `close` is a restart. */
export type OpenQueue = (options?: { maxBytes?: number; maxBatches?: number }) => Promise<IngestQueue>;

const ALL_BYTES = 1e9;

const header = (receivedAt: number): BatchHeader => ({
  orgId: "org-1",
  receivedAt,
  rejected: [1, 3],
  experiments: { "checkout 'copy'": "0190-exp" },
});

const bodyOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

/** The rules of `IngestQueue`, for every engine; `makeStore` gives an empty store and the way to open it. */
export function ingestQueueContract(name: string, makeStore: () => OpenQueue): void {
  describe(`${name} as ingest queue`, () => {
    let open: OpenQueue;
    let queue: IngestQueue;

    beforeEach(async () => {
      open = makeStore();
      queue = await open();
    });
    afterEach(() => queue.close());

    const appendAll = (...texts: string[]) =>
      Promise.all(texts.map((text, i) => queue.append(header(1000 + i), bodyOf(text))));
    const claimTexts = async (limit = 100, maxBytes = ALL_BYTES) =>
      (await queue.claim(limit, maxBytes)).map(({ body }) => textOf(body));
    const restart = async () => {
      await queue.close();
      queue = await open();
    };

    test("gives back header and body as they came", async () => {
      const bytes = new Uint8Array([0, 1, 2, 255, 254, 0, 7]).subarray(1, 6);
      await queue.append(header(5), bytes);
      const [batch] = await queue.claim(1, ALL_BYTES);
      expect({ ...batch, body: [...(batch?.body ?? [])] }).toEqual({
        ...header(5),
        sequence: 1,
        body: [1, 2, 255, 254, 0],
      });
    });

    test("claims in order of arrival, at most as many as asked", async () => {
      await appendAll("a", "b", "c");
      expect(await claimTexts(2)).toEqual(["a", "b"]);
      expect(await claimTexts(2)).toEqual(["c"]);
      expect(await claimTexts(2)).toEqual([]);
    });

    test.each([
      { maxBytes: 0, first: ["aaaa"] },
      { maxBytes: 7, first: ["aaaa"] },
      { maxBytes: 8, first: ["aaaa", "bbbb"] },
      { maxBytes: 12, first: ["aaaa", "bbbb", "cccc"] },
    ])("claims $first.length of three 4-byte batches within $maxBytes bytes", async ({ maxBytes, first }) => {
      await appendAll("aaaa", "bbbb", "cccc");
      expect(await claimTexts(10, maxBytes)).toEqual(first);
    });

    test("hands a claimed batch out again only after a restart", async () => {
      await appendAll("a", "b");
      const [first] = await queue.claim(1, ALL_BYTES);
      expect(await claimTexts()).toEqual(["b"]);
      await queue.ack([first!]);
      expect(await claimTexts()).toEqual([]);
      await restart();
      expect(await claimTexts()).toEqual(["b"]);
    });

    test("acks in any order, and only what it was given", async () => {
      await appendAll("a", "b", "c");
      const [a, b, c] = await queue.claim(3, ALL_BYTES);
      await Promise.all([queue.ack([c!]), queue.ack([a!])]);
      expect(queue.isDrainedTo(a!.sequence)).toBe(true);
      expect(queue.isDrainedTo(b!.sequence)).toBe(false);
      await restart();
      expect(await claimTexts()).toEqual(["b"]);
    });

    test("accepts an ack that is repeated", async () => {
      await appendAll("a", "b");
      const [a] = await queue.claim(1, ALL_BYTES);
      await queue.ack([a!]);
      await queue.ack([a!]);
      expect(queue.depth()).toEqual({ batches: 1, bytes: 1, oldestReceivedAt: 1001 });
    });

    test("never uses a sequence twice, even when a restart finds it empty", async () => {
      await appendAll("a", "b");
      await queue.ack(await queue.claim(2, ALL_BYTES));
      await restart();
      expect(queue.newestSequence()).toBe(2);
      await appendAll("c");
      expect(queue.newestSequence()).toBe(3);
      expect((await queue.claim(1, ALL_BYTES))[0]?.sequence).toBe(3);
    });

    test("keeps the highest sequence when acks of one moment pass each other", async () => {
      await appendAll("a", "b", "c");
      const batches = await queue.claim(3, ALL_BYTES);
      await Promise.all([queue.ack([batches[2]!]), queue.ack([batches[0]!, batches[1]!])]);
      await restart();
      await appendAll("d");
      expect(queue.newestSequence()).toBe(4);
    });

    test("uses no acked sequence again when an older batch still waits over a restart", async () => {
      await appendAll("a", "b");
      const batches = await queue.claim(2, ALL_BYTES);
      await queue.ack([batches[1]!]);
      await restart();
      expect(queue.newestSequence()).toBe(2);
      await appendAll("c");
      expect((await queue.claim(2, ALL_BYTES)).map(({ sequence }) => sequence)).toEqual([1, 3]);
    });

    test("tells its depth, also after a restart", async () => {
      expect(queue.depth()).toEqual({ batches: 0, bytes: 0, oldestReceivedAt: null });
      await appendAll("aaaa", "bb", "c");
      const full = { batches: 3, bytes: 7, oldestReceivedAt: 1000 };
      expect(queue.depth()).toEqual(full);
      await restart();
      expect(queue.depth()).toEqual(full);
      await queue.ack(await queue.claim(1, ALL_BYTES));
      expect(queue.depth()).toEqual({ batches: 2, bytes: 3, oldestReceivedAt: 1001 });
    });

    test("serves as a barrier: drained to a sequence once all before it are acked", async () => {
      expect([queue.newestSequence(), queue.isDrainedTo(0)]).toEqual([0, true]);
      await appendAll("a", "b");
      const barrier = queue.newestSequence();
      await appendAll("later");
      const batches = await queue.claim(2, ALL_BYTES);
      expect(queue.isDrainedTo(barrier)).toBe(false);
      await queue.ack(batches);
      expect(queue.isDrainedTo(barrier)).toBe(true);
      expect(queue.isDrainedTo(queue.newestSequence())).toBe(false);
    });

    test.each([{ bound: { maxBytes: 8 } }, { bound: { maxBatches: 2 } }])(
      "refuses what its bound $bound does not hold, and takes it once there is room",
      async ({ bound }) => {
        await queue.close();
        queue = await open(bound);
        const outcomes = await Promise.allSettled(
          ["aaaa", "bbbb", "cccc"].map((text) => queue.append(header(1), bodyOf(text))),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
        const full = { kind: "queue-full", retryAfterSeconds: expect.any(Number) };
        await expect(queue.append(header(1), bodyOf("d"))).rejects.toMatchObject(full);
        await queue.ack(await queue.claim(1, ALL_BYTES));
        await queue.append(header(1), bodyOf("dddd"));
        expect(await claimTexts()).toEqual(["bbbb", "dddd"]);
      },
    );

    test("wakes a waiting consumer with the next batch, or at once when one waits", async () => {
      const woken = queue.waitForBatch(60_000);
      await appendAll("a");
      await woken;
      await queue.waitForBatch(60_000);
      expect(await claimTexts()).toEqual(["a"]);
    });

    test("lets a waiting consumer go after its time", async () => {
      await appendAll("a");
      await queue.claim(1, ALL_BYTES);
      await queue.waitForBatch(5);
      expect(await claimTexts()).toEqual([]);
    });

    test("lets a waiting consumer go when it closes", async () => {
      const woken = queue.waitForBatch(60_000);
      await restart();
      await woken;
      expect(queue.depth().batches).toBe(0);
    });
  });
}
