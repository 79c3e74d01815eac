import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventQueue } from "./event-queue.ts";

const filled = (count: number, row = (i: number) => `r${i}`): EventQueue => {
  const queue = new EventQueue();
  for (let i = 0; i < count; i++) queue.add(row(i));
  return queue;
};

describe("bounds", () => {
  test("10,000 events fit, one more does not", () => {
    const queue = filled(9_999);
    expect([queue.add("a"), queue.add("b"), queue.size]).toEqual(["added", "full", 10_000]);
  });

  test("8 MiB fit, one byte more does not; bytes are counted in UTF-8", () => {
    const queue = filled(8, () => "é".repeat(2 ** 19));
    expect([queue.size, queue.add("a")]).toEqual([8, "full"]);
    queue.settle(1);
    expect(queue.add("a")).toBe("added");
  });

  test("an event over 1 MiB does not fit even an empty queue", () => {
    expect(new EventQueue().add("x".repeat(2 ** 20 + 1))).toBe("too-large");
  });
});

describe("batches", () => {
  test("are full with 100 events", () => {
    expect([filled(99).fillsBatch, filled(100).fillsBatch]).toEqual([false, true]);
  });

  test("are full with 256 KiB", () => {
    expect(filled(1, () => "x".repeat(2 ** 18)).fillsBatch).toBe(true);
  });

  test("stay within 256 KiB", () => {
    expect(filled(3, () => "x".repeat(2 ** 17)).peek(100)).toHaveLength(2);
  });

  test("hold a single event that is larger", () => {
    expect(filled(2, () => "x".repeat(2 ** 19)).peek(100)).toHaveLength(1);
  });
});

test("events leave in order, once each, however they are taken", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ add: fc.nat(50), take: fc.nat(30) }), { maxLength: 50 }), (steps) => {
      const queue = new EventQueue();
      const taken: string[] = [];
      let added = 0;
      for (const step of steps) {
        for (let i = 0; i < step.add; i++) queue.add(`r${added++}`);
        const rows = queue.peek(step.take);
        queue.settle(rows.length);
        taken.push(...rows);
      }
      expect(taken).toEqual(Array.from({ length: taken.length }, (_, i) => `r${i}`));
      expect([queue.enqueued, queue.settled, queue.size]).toEqual([
        added,
        taken.length,
        added - taken.length,
      ]);
    }),
  );
});
