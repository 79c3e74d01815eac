import type { IngestQueue } from "@assay/domain";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALL_BYTES, bodyOf, claimFrom, header, type OpenQueue, textOf } from "./queue-batches.ts";

/** Tests the rules of `IngestQueue`, for every engine; `makeStore` returns an empty store and how to open it. */
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
    const claim = (count: number) => claimFrom(queue, count);
    const claimTexts = async (count: number) => (await claim(count)).map(({ body }) => textOf(body));
    const claimsNothing = async () => expect(await queue.claim(100, ALL_BYTES)).toEqual([]);
    const restart = async () => {
      await queue.close();
      queue = await open();
    };

    test("returns header and body unchanged", async () => {
      const bytes = new Uint8Array([0, 1, 2, 255, 254, 0, 7]).subarray(1, 6);
      await queue.append(header(5), bytes);
      const [batch] = await claim(1);
      expect({ ...batch, body: [...(batch?.body ?? [])] }).toEqual({
        ...header(5),
        sequence: 1,
        body: [1, 2, 255, 254, 0],
      });
    });

    test("claims in order of arrival, at most the requested number", async () => {
      await appendAll("a", "b", "c");
      expect(await claimTexts(2)).toEqual(["a", "b"]);
      expect(await claimTexts(1)).toEqual(["c"]);
      await claimsNothing();
    });

    test.each([
      { maxBytes: 0, first: ["aaaa"] },
      { maxBytes: 7, first: ["aaaa"] },
      { maxBytes: 8, first: ["aaaa", "bbbb"] },
      { maxBytes: 12, first: ["aaaa", "bbbb", "cccc"] },
    ])("claims $first.length of three 4-byte batches within $maxBytes bytes", async ({ maxBytes, first }) => {
      await appendAll("aaaa", "bbbb", "cccc");
      await restart(); // now a consumer sees all three
      const batches = await queue.claim(10, maxBytes);
      expect(batches.map(({ body }) => textOf(body))).toEqual(first);
    });

    test("delivers a claimed batch again only after a restart", async () => {
      await appendAll("a", "b");
      const [first] = await claim(1);
      expect(await claimTexts(1)).toEqual(["b"]);
      await queue.ack([first!]);
      await claimsNothing();
      await restart();
      expect(await claimTexts(1)).toEqual(["b"]);
    });

    test("acks in any order, and only the given batches", async () => {
      await appendAll("a", "b", "c");
      const [a, b, c] = await claim(3);
      await Promise.all([queue.ack([c!]), queue.ack([a!])]);
      await expect.poll(() => queue.isDrainedTo(a!.sequence)).toBe(true);
      expect(await queue.isDrainedTo(b!.sequence)).toBe(false);
      await restart();
      expect(await claimTexts(1)).toEqual(["b"]);
    });

    test("accepts a repeated ack", async () => {
      await appendAll("a", "b");
      const [a] = await claim(1);
      await queue.ack([a!]);
      await queue.ack([a!]);
      await expect.poll(async () => (await queue.depth()).batches).toBe(1);
      expect(await claimTexts(1)).toEqual(["b"]);
    });

    test("never reuses a sequence, even after a restart with an empty queue", async () => {
      await appendAll("a", "b");
      await queue.ack(await claim(2));
      await restart();
      expect(await queue.newestSequence()).toBe(2);
      await appendAll("c");
      expect(await queue.newestSequence()).toBe(3);
      expect((await claim(1))[0]?.sequence).toBe(3);
    });

    test("keeps the highest sequence when simultaneous acks overtake each other", async () => {
      await appendAll("a", "b", "c");
      const batches = await claim(3);
      await Promise.all([queue.ack([batches[2]!]), queue.ack([batches[0]!, batches[1]!])]);
      await restart();
      await appendAll("d");
      expect(await queue.newestSequence()).toBe(4);
    });

    test("never reuses an acked sequence when an older batch still waits across a restart", async () => {
      await appendAll("a", "b");
      const batches = await claim(2);
      await queue.ack([batches[1]!]);
      await restart();
      expect(await queue.newestSequence()).toBe(2);
      await appendAll("c");
      expect((await claim(2)).map(({ sequence }) => sequence)).toEqual([1, 3]);
    });

    test("reports its depth and the time of the oldest batch, also after a restart", async () => {
      expect(await queue.depth()).toEqual({ batches: 0, bytes: 0, oldestReceivedAt: null });
      const from = Date.now();
      for (const text of ["aaaa", "bb", "c"]) await queue.append(header(Date.now()), bodyOf(text));
      const full = await queue.depth();
      expect(full.batches).toBe(3);
      expect(full.bytes).toBeGreaterThanOrEqual(7);
      expect(full.oldestReceivedAt).toBeGreaterThanOrEqual(from);
      expect(full.oldestReceivedAt).toBeLessThanOrEqual(Date.now());
      await restart();
      expect(await queue.depth()).toEqual(full);
      await queue.ack(await claim(1));
      await expect.poll(async () => (await queue.depth()).batches).toBe(2);
      const less = await queue.depth();
      expect(less.bytes).toBeLessThan(full.bytes);
      expect(less.oldestReceivedAt).toBeGreaterThanOrEqual(full.oldestReceivedAt!);
    });

    test("serves as a barrier: it is drained to a sequence once all earlier ones are acked", async () => {
      expect([await queue.newestSequence(), await queue.isDrainedTo(0)]).toEqual([0, true]);
      await appendAll("a", "b");
      const barrier = await queue.newestSequence();
      await appendAll("later");
      const batches = await claim(2);
      expect(await queue.isDrainedTo(barrier)).toBe(false);
      await queue.ack(batches);
      await expect.poll(() => queue.isDrainedTo(barrier)).toBe(true);
      expect(await queue.isDrainedTo(await queue.newestSequence())).toBe(false);
    });

    // An engine may count overhead beyond the body, so there is room for two and a half of these.
    test.each([{ bound: { maxBytes: 25_000 } }, { bound: { maxBatches: 2 } }])(
      "refuses a batch beyond its limit $bound, and accepts it once there is room",
      async ({ bound }) => {
        await queue.close();
        queue = await open(bound);
        const large = (letter: string) => bodyOf(letter.repeat(10_000));
        const outcomes = await Promise.allSettled(
          ["a", "b", "c"].map((letter) => queue.append(header(1), large(letter))),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
        const full = { kind: "queue-full", retryAfterSeconds: expect.any(Number) };
        await expect(queue.append(header(1), large("d"))).rejects.toMatchObject(full);
        await queue.ack(await claim(1));
        await expect.poll(async () => (await queue.depth()).batches).toBe(1);
        await queue.append(header(1), large("d"));
        expect((await claimTexts(2)).map((text) => text[0])).toEqual(["b", "d"]);
      },
    );

    test("wakes a waiting consumer with the next batch, or at once if one is ready", async () => {
      const woken = queue.waitForBatch(60_000);
      await appendAll("a");
      await woken;
      await queue.waitForBatch(60_000);
      expect(await claimTexts(1)).toEqual(["a"]);
    });

    test("releases a waiting consumer after its timeout", async () => {
      await appendAll("a");
      await claim(1);
      await queue.waitForBatch(5);
      await claimsNothing();
    });

    test("releases a waiting consumer when it closes", async () => {
      const woken = queue.waitForBatch(60_000);
      await restart();
      await woken;
      expect((await queue.depth()).batches).toBe(0);
    });

    const buriedIds = async () => (await queue.listBuried(100)).map(({ id }) => id);
    const buryAll = async (count: number, reason: string) => queue.bury(await claim(count), reason);

    test("moves a buried batch out of the queue and keeps it, also across a restart", async () => {
      await appendAll("poison", "b");
      const [poison] = await claim(1);
      const before = Date.now();
      await queue.bury([poison!], "the store refuses it");
      await expect.poll(() => queue.isDrainedTo(poison!.sequence)).toBe(true);
      await expect.poll(async () => (await queue.depth()).batches).toBe(1);
      await restart();
      const [letter, ...others] = await queue.listBuried(10);
      expect(others).toEqual([]);
      expect(letter).toEqual({
        id: expect.any(String),
        orgId: "org-1",
        receivedAt: 1000,
        buriedAt: expect.any(Number),
        reason: "the store refuses it",
        bytes: "poison".length,
      });
      expect(letter!.buriedAt).toBeGreaterThanOrEqual(before);
      expect(letter!.buriedAt).toBeLessThanOrEqual(Date.now());
      expect(await claimTexts(1)).toEqual(["b"]);
    });

    test("lists dead letters newest first, up to the limit, and counts them all", async () => {
      expect([await queue.countBuried(), await queue.listBuried(10)]).toEqual([0, []]);
      for (const text of ["a", "bb", "ccc"]) {
        await appendAll(text);
        await buryAll(1, "bad");
      }
      expect((await queue.listBuried(2)).map(({ bytes }) => bytes)).toEqual([3, 2]);
      expect(await queue.countBuried()).toBe(3);
    });

    test("stores a batch that is buried twice once", async () => {
      await appendAll("a");
      const batches = await claim(1);
      await queue.bury(batches, "bad");
      await queue.bury(batches, "bad");
      expect(await queue.countBuried()).toBe(1);
    });

    test("replays the requested dead letters, header and body unchanged, and ignores unknown ids", async () => {
      await appendAll("a", "b");
      await buryAll(2, "bad");
      const [newest] = await buriedIds();
      expect(await queue.replayBuried([newest!, newest!, "987654", "no number"])).toBe(1);
      expect(await queue.countBuried()).toBe(1);
      const [replayed] = await claim(1);
      await claimsNothing();
      expect(textOf(replayed!.body)).toBe("b");
      const { sequence, body: _, ...headerAgain } = replayed!;
      expect(headerAgain).toEqual(header(1001));
      expect(sequence).toBe(await queue.newestSequence());
    });

    test("replays all dead letters when none is named, and keeps them in the queue across a restart", async () => {
      await appendAll("a", "b", "c");
      await buryAll(3, "bad");
      expect(await queue.replayBuried(null)).toBe(3);
      expect(await queue.countBuried()).toBe(0);
      await expect.poll(async () => (await queue.depth()).batches).toBe(3);
      await restart();
      expect(new Set(await claimTexts(3))).toEqual(new Set(["a", "b", "c"]));
      expect(await queue.replayBuried(null)).toBe(0);
    });

    test("buries a replayed batch again when it fails again", async () => {
      await appendAll("a");
      await buryAll(1, "bad");
      const [first] = await buriedIds();
      await queue.replayBuried(null);
      await buryAll(1, "still bad");
      const [letter] = await queue.listBuried(10);
      expect([letter?.reason, letter?.receivedAt]).toEqual(["still bad", 1000]);
      expect(letter?.id).not.toBe(first);
    });

    test("keeps a dead letter when its limit leaves no room for a replay", async () => {
      await appendAll("a");
      await buryAll(1, "bad");
      await expect.poll(async () => (await queue.depth()).batches).toBe(0);
      await queue.close();
      queue = await open({ maxBatches: 1 });
      await appendAll("b");
      await expect(queue.replayBuried(null)).rejects.toMatchObject({ kind: "queue-full" });
      expect(await queue.countBuried()).toBe(1);
    });

    test("rewrites dead letters in place, header, reason and times as they were, also over a restart", async () => {
      await appendAll("theirs", "hers", "his");
      await buryAll(3, "bad");
      await appendAll("waiting");
      const before = await queue.listBuried(10);
      const seen: unknown[] = [];
      const rewritten = await queue.rewriteBuried(({ orgId, receivedAt }, body) => {
        seen.push([orgId, receivedAt, textOf(body)]);
        return textOf(body) === "hers" ? bodyOf("gone, and longer") : null;
      });
      expect(rewritten).toBe(1);
      expect(seen.sort()).toEqual([
        ["org-1", 1000, "theirs"],
        ["org-1", 1001, "hers"],
        ["org-1", 1002, "his"],
      ]);
      await restart();
      const withoutId = ({ id: _, ...letter }: (typeof before)[number]) => letter;
      const byTime = (letters: typeof before) =>
        letters.map(withoutId).sort((a, b) => a.receivedAt - b.receivedAt);
      const expected = byTime(before).map((letter) =>
        letter.receivedAt === 1001 ? { ...letter, bytes: "gone, and longer".length } : letter,
      );
      expect(byTime(await queue.listBuried(10))).toEqual(expected);
      expect(await queue.replayBuried(null)).toBe(3);
      const batches = await claim(4);
      expect(new Set(batches.map(({ body }) => textOf(body)))).toEqual(
        new Set(["waiting", "theirs", "gone, and longer", "his"]),
      );
      const again = batches.find(({ body }) => textOf(body).startsWith("gone"));
      expect(again).toMatchObject(header(1001));
    });

    test("rewrites no dead letter if there is none, and the same one repeatedly", async () => {
      expect(await queue.rewriteBuried(() => bodyOf("new"))).toBe(0);
      await appendAll("a");
      await buryAll(1, "bad");
      for (const text of ["b", "cc", "ddd"]) expect(await queue.rewriteBuried(() => bodyOf(text))).toBe(1);
      expect(await queue.listBuried(10)).toMatchObject([{ bytes: 3, reason: "bad" }]);
    });

    test("answers a ping while it is open", async () => {
      await expect(queue.ping()).resolves.toBeUndefined();
    });
  });
}
