import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ArmData, armData } from "../compare/arm-data.ts";
import { callers, sums, users } from "../test-support/arms.ts";
import { splitterOf, splitUsers, tossCoins } from "./split-users.ts";

const place = { metric: "m", arm: "control" };
const counted = (n: number, share: number) => armData([sums(place, n, { mean: share })], [0]);
const valued = (n: number, sampled = n) =>
  armData(
    [
      users(
        place,
        Array.from({ length: n }, (_, i) => ({ y: i, d: i + 1, preY: 2 * i, preD: 3 })),
        sampled,
      ),
    ],
    [0],
  );
const called = (n: number) =>
  armData(
    [
      callers(
        place,
        Array.from({ length: n }, (_, i) => new Array<number>(1 + (i % 3)).fill(10 ** (i % 5))),
      ),
    ],
    [0],
  );

const sorted = (...parts: readonly Float64Array[]) =>
  parts.flatMap((part) => [...part]).sort((a, b) => a - b);

describe("coins", () => {
  test("come up heads half of the time, differently per seed, equally for the same seed", () => {
    const heads = (seed: number) =>
      Array.from({ length: 10_000 }, (_, i) => tossCoins(10_000, seed).isHeads(i)).filter(Boolean).length;
    for (const seed of [1, 2, 3]) expect(Math.abs(heads(seed) - 5_000)).toBeLessThan(250);
    expect(heads(1)).toBe(heads(1));
    expect(heads(1)).not.toBe(heads(2));
  });
});

describe("counts", () => {
  test("all go to one of the halves", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.nat(300), fc.integer(), (n, most, seed) => {
        const successes = Math.min(n, most);
        const { control, treatment } = splitterOf(counted(n, n === 0 ? 0 : successes / n), 10)(seed);
        expect(control.users + treatment.users).toBe(n);
        const good = ({ moments }: ArmData) => Math.round(moments.n * moments.meanY);
        expect(good(control) + good(treatment)).toBe(successes);
        for (const { moments } of [control, treatment])
          expect(moments.m2Y).toBeCloseTo(moments.n * moments.meanY * (1 - moments.meanY), 9);
      }),
    );
  });

  test("are binomial: mean n / 2, variance n / 4", () => {
    const split = splitterOf(counted(1_000, 0.3), 10);
    const sizes = Array.from({ length: 2_000 }, (_, seed) => split(seed).control.users);
    const mean = sizes.reduce((sum, n) => sum + n, 0) / sizes.length;
    const variance = sizes.reduce((sum, n) => sum + (n - mean) ** 2, 0) / sizes.length;
    expect(mean).toBeCloseTo(500, -1);
    expect(variance / 250).toBeCloseTo(1, 0);
  });

  test("of nobody are two empty halves", () => {
    const empty = { users: 0, moments: { meanY: 0, m2Y: 0 } };
    expect(splitterOf(counted(0, 0), 10)(1)).toMatchObject({ control: empty, treatment: empty });
  });

  test("need no cap", () => expect(splitUsers(counted(1_000_000, 0.5), 10)).toBe(1_000_000));
});

describe("values", () => {
  test("go to one half each, with all their values", () => {
    const arm = valued(200);
    const { control, treatment } = splitterOf(arm, 1_000)(7);
    expect(sorted(control.values!.y, treatment.values!.y)).toEqual([...arm.values!.y]);
    for (const { users: count, values, moments } of [control, treatment]) {
      expect(count).toBe(values!.y.length);
      expect(moments.n).toBe(count);
      expect([...values!.d]).toEqual([...values!.y.map((y) => y + 1)]);
      expect([...values!.preY]).toEqual([...values!.y.map((y) => 2 * y)]);
      expect([...values!.preD]).toEqual([...values!.y.map(() => 3)]);
    }
  });

  test("of a sample stay a sample, so that the test is that of a sample", () => {
    const arm = valued(300, 100);
    expect(splitUsers(arm, 1_000)).toBe(100);
    for (const half of Object.values(splitterOf(arm, 1_000)(7)))
      expect(half.users).toBeGreaterThan(half.values!.y.length);
  });

  test("beyond the cap are chosen evenly", () => {
    const arm = valued(1_000);
    const { control, treatment } = splitterOf(arm, 100)(7);
    expect(sorted(control.values!.y, treatment.values!.y)).toEqual(
      Array.from({ length: 100 }, (_, i) => 10 * i),
    );
    expect(control.users + treatment.users).toBe(splitUsers(arm, 100));
  });
});

test("bins go to one half each, with all calls of the user", () => {
  const arm = called(90);
  const { control, treatment } = splitterOf(arm, 1_000)(7);
  const perUser = ({ bins }: ArmData) =>
    Array.from({ length: bins!.offsets.length - 1 }, (_, user) => {
      const [from, to] = [bins!.offsets[user]!, bins!.offsets[user + 1]!];
      return `${[...bins!.bins.subarray(from, to)]}: ${[...bins!.counts.subarray(from, to)]}`;
    });
  expect([...perUser(control), ...perUser(treatment)].sort()).toEqual(perUser(arm).sort());
  expect(control.users).toBe(control.bins!.offsets.length - 1);
  expect(splitUsers(arm, 20)).toBe(20);
  expect(splitUsers(arm, 1_000)).toBe(90);
});
