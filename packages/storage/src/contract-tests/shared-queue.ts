import type { IngestQueue } from "@assay/domain";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALL_BYTES, bodyOf, claimFrom, header, type OpenQueue, textOf } from "./queue-batches.ts";

/** Tests the additional rules of a queue that several processes share. */
export function sharedQueueContract(name: string, makeStore: () => OpenQueue): void {
  describe(`${name} as ingest queue of several processes`, () => {
    let first: IngestQueue;
    let second: IngestQueue;

    beforeEach(async () => {
      const open = makeStore();
      [first, second] = await Promise.all([open(), open()]);
    });
    afterEach(async () => {
      await first.close();
      await second.close();
    });

    const appendMany = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          (i % 2 ? first : second).append(header(i), bodyOf(`body ${i}`)),
        ),
      );

    test("never gives a batch to both processes", async () => {
      await appendMany(200);
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? first : second).claim(15, ALL_BYTES)),
      );
      const texts = claims.flat().map(({ body }) => textOf(body));
      for (let turn = 0; texts.length < 200 && turn < 100; turn += 1) {
        for (const queue of [first, second]) {
          await queue.waitForBatch(100);
          texts.push(...(await queue.claim(100, ALL_BYTES)).map(({ body }) => textOf(body)));
        }
      }
      expect(texts.length).toBe(200);
      expect(new Set(texts).size).toBe(200);
      expect([await first.claim(10, ALL_BYTES), await second.claim(10, ALL_BYTES)]).toEqual([[], []]);
    });

    test("gives only the unacked batches of a closing process to the other", async () => {
      await appendMany(4);
      const claimed = await claimFrom(first, 3);
      await first.ack(claimed.slice(0, 1));
      await first.close();
      const texts = new Set<string>();
      while (texts.size < 3) {
        await second.waitForBatch(1_000);
        for (const { body } of await second.claim(10, ALL_BYTES)) texts.add(textOf(body));
      }
      expect(texts.has(textOf(claimed[0]!.body))).toBe(false);
    });

    test("wakes a consumer with a batch that another process appended", { timeout: 60_000 }, async () => {
      const claimWhen = async (woken: Promise<void>) => {
        await woken;
        return first.claim(1, ALL_BYTES);
      };
      const woken = first.waitForBatch(120_000);
      await second.append(header(1), bodyOf("from the other"));
      let claimed = await claimWhen(woken);
      // An election of the consumer's leader may also end a wait without a batch; the next wait then gets
      // it.
      while (claimed.length === 0) claimed = await claimWhen(first.waitForBatch(120_000));
      expect(claimed.map(({ body }) => textOf(body))).toEqual(["from the other"]);
    });

    test("includes batches that another process appended and holds in its barrier", async () => {
      await second.append(header(1), bodyOf("a"));
      const barrier = await first.newestSequence();
      const held = await claimFrom(second, 1);
      expect(await first.isDrainedTo(barrier)).toBe(false);
      await second.ack(held);
      await expect.poll(() => first.isDrainedTo(barrier)).toBe(true);
    });

    test("shows and replays the dead letters of all processes", async () => {
      await appendMany(2);
      await first.bury(await claimFrom(first, 1), "bad");
      await second.bury(await claimFrom(second, 1), "bad too");
      expect((await first.listBuried(10)).map(({ reason }) => reason)).toEqual(["bad too", "bad"]);
      expect(await second.replayBuried(null)).toBe(2);
      expect(await first.countBuried()).toBe(0);
    });
  });
}
