import { expect, test } from "vitest";
import { coalesceReads } from "./coalesce-reads.ts";

/** A source whose reads end when the test says so; each finds how many reads had begun. */
function openSource() {
  const reads: { finish(): void; fail(): void }[] = [];
  const ask = coalesceReads(
    () =>
      new Promise<number>((resolve, reject) => {
        const count = reads.length + 1;
        reads.push({ finish: () => resolve(count), fail: () => reject(new Error(`read ${count}`)) });
      }),
  );
  return { reads, ask };
}

/** Runs everything that waits only for its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a lone reader reads at once", async () => {
  const { reads, ask } = openSource();
  const answer = ask();
  reads[0]?.finish();
  expect(await answer).toBe(1);
});

test("callers that arrive during a read share the next one", async () => {
  const { reads, ask } = openSource();
  const [first, second, third] = [ask(), ask(), ask()];
  expect(reads).toHaveLength(1);
  reads[0]?.finish();
  await settle();
  expect(reads).toHaveLength(2);
  reads[1]?.finish();
  expect(await Promise.all([first, second, third])).toEqual([1, 2, 2]);
});

test("a failed read fails for those it was for, and the next begins all the same", async () => {
  const { reads, ask } = openSource();
  const first = ask().catch((error: Error) => error.message);
  const second = ask();
  reads[0]?.fail();
  await settle();
  reads[1]?.finish();
  expect(await Promise.all([first, second])).toEqual(["read 1", 2]);
});

test("no read begins beside another, whenever its end is noticed", async () => {
  let inFlight = 0;
  let most = 0;
  const ask = coalesceReads(async () => {
    most = Math.max(most, ++inFlight);
    await settle();
    inFlight -= 1;
  });
  const chain = async () => {
    for (let turn = 0; turn < 20; turn++) await ask().then(() => ask());
  };
  await Promise.all(Array.from({ length: 10 }, chain));
  expect(most).toBe(1);
});

test("every reader's read begins after it asked", async () => {
  let begun = 0;
  const ask = coalesceReads(async () => {
    const number = ++begun;
    await settle();
    return number;
  });
  const reader = async () => {
    for (let turn = 0; turn < 50; turn++) {
      const before = begun;
      expect(await ask()).toBeGreaterThan(before);
    }
  };
  await Promise.all(Array.from({ length: 10 }, reader));
});
