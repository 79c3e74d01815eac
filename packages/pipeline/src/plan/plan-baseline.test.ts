import type { Baseline, Day } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { historyBaseline, medianNewUsers } from "./plan-baseline.ts";

type Sums = Baseline["metrics"][number];

/** Plain sums over users (y, d). */
function sumsOf(users: readonly (readonly [y: number, d: number])[]): Sums {
  const n = users.length;
  const mean = (of: (user: readonly [number, number]) => number) =>
    users.reduce((sum, user) => sum + of(user), 0) / n;
  const [meanY, meanD] = [mean(([y]) => y), mean(([, d]) => d)];
  return {
    metric: "m",
    users: n,
    events: n,
    meanY,
    meanD,
    m2Y: n * mean(([y]) => (y - meanY) ** 2),
    m2D: n * mean(([, d]) => (d - meanD) ** 2),
    cYD: n * mean(([y, d]) => (y - meanY) * (d - meanD)),
    fineCounts: new Map(),
  };
}

describe("historyBaseline", () => {
  test.each([
    {
      kind: "mean",
      users: [
        [1, 1],
        [2, 1],
        [6, 1],
      ],
      value: 3,
      sd: Math.sqrt(7),
    },
    {
      kind: "mean",
      users: [
        [1, 1],
        [3, 1],
      ],
      value: 2,
      sd: Math.sqrt(2),
    },
    {
      kind: "ordinal",
      users: [
        [1, 1],
        [2, 1],
        [6, 1],
      ],
      value: 3,
      sd: Math.sqrt(7),
    },
    {
      kind: "binary",
      users: [
        [1, 1],
        [0, 1],
        [0, 1],
        [0, 1],
      ],
      value: 0.25,
      sd: Math.sqrt(0.1875),
    },
    // R = 2; y − R d = −1, 0, 1, so the variance is 1; mean d = 2.
    {
      kind: "ratio",
      users: [
        [1, 1],
        [4, 2],
        [7, 3],
      ],
      value: 2,
      sd: 0.5,
    },
    {
      kind: "ratio",
      users: [
        [2, 1],
        [4, 2],
        [6, 3],
      ],
      value: 2,
      sd: 0,
    },
  ] as const)("of kind $kind has $value ± $sd", ({ kind, users, value, sd }) => {
    const baseline = historyBaseline(kind, sumsOf(users));
    expect(baseline).toEqual({
      value: expect.closeTo(value, 12),
      sd: expect.closeTo(sd, 7),
      source: "history",
    });
  });

  test.each([
    {
      name: "a quantile",
      kind: "quantile",
      sums: sumsOf([
        [1, 1],
        [2, 2],
      ]),
    },
    { name: "one user", kind: "mean", sums: sumsOf([[1, 1]]) },
    {
      name: "no denominator",
      kind: "ratio",
      sums: sumsOf([
        [0, 0],
        [0, 0],
      ]),
    },
    {
      name: "an overflow",
      kind: "mean",
      sums: {
        ...sumsOf([
          [1, 1],
          [2, 1],
        ]),
        m2Y: Number.NaN,
      },
    },
  ] as const)("is null for $name", ({ kind, sums }) => {
    expect(historyBaseline(kind, sums)).toBeNull();
  });
});

describe("medianNewUsers", () => {
  const days = (counts: Readonly<Record<string, number>>) =>
    new Map(Object.entries(counts).map(([day, count]) => [`2026-11-${day}` as Day, count]));
  const today = "2026-11-21" as Day;

  test.each<{ name: string; counts: Readonly<Record<string, number>>; median: number | null }>([
    { name: "no users", counts: {}, median: null },
    { name: "today only", counts: { 21: 50 }, median: null },
    { name: "long ago only", counts: { "08": 50 }, median: null },
    { name: "one full day", counts: { 20: 50, 21: 9 }, median: 50 },
    { name: "two full days", counts: { 19: 20, 20: 50 }, median: 35 },
    { name: "a quiet day since the first", counts: { 18: 10, 20: 50 }, median: 10 },
    {
      name: "the last seven without today",
      counts: { "08": 999, 13: 999, 14: 1, 15: 2, 16: 3, 17: 4, 18: 5, 19: 6, 20: 7, 21: 999 },
      median: 4,
    },
    { name: "most days without users", counts: { 12: 5, 20: 50 }, median: null },
  ])("$name", ({ counts, median }) => {
    expect(medianNewUsers(days(counts), today)).toBe(median);
  });
});
