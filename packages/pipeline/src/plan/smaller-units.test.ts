import type { UnitHistory, UnitHistoryMetric } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { documented } from "../../../../tests/documented.ts";
import { MIN_USERS_OF_GAIN, unitGains } from "./smaller-units.ts";

/** Three units of each user: the user's level, and one more or less. */
function metricOf(
  name: string,
  { users = 60, spread = 1, d = 1 }: { users?: number; spread?: number; d?: number } = {},
): UnitHistoryMetric {
  const units = Array.from({ length: 3 * users }, (_, i) => ({
    user: Math.floor(i / 3),
    y: d * ((Math.floor(i / 3) % 10) + spread * ((i % 3) - 1)),
  }));
  const y = Float64Array.from(units, (unit) => unit.y);
  const none = y.map(() => Number.NaN);
  const meanY = y.reduce((sum, value) => sum + value, 0) / y.length;
  return {
    ...{ metric: name, users: y.length, events: y.length, meanY, m2Y: 0, meanD: d, m2D: 0, cYD: 0 },
    fineCounts: new Map(),
    sample: {
      ...{ type: "values", y, d: y.map(() => d), preY: none, preD: none },
      clusters: Float64Array.from(units, ({ user }) => user),
    },
  };
}

const historyOf = (...metrics: readonly UnitHistoryMetric[]): UnitHistory => ({
  ...{ users: 60, units: 180, unitsByDay: new Map(), metrics },
});

describe("the gain of smaller units", () => {
  // Levels 0 to 9 have the variance 8.39 over 60 users, units within a user 1: of users' means (8.39 × 3 − 1) / 3 between.
  const BETWEEN = (60 * 8.25) / 59;
  const CORRELATION = (3 * BETWEEN - 1) / (3 * BETWEEN + 2);

  test("is the design effect of what history shows, for each unit and metric", () => {
    const gains = unitGains(
      new Map([
        ["conversation", historyOf(metricOf("spent"), metricOf("latency", { d: 2 }))],
        ["run", historyOf(metricOf("spent", { spread: 0 }))],
      ]),
    );
    const conversations = {
      ...{ unit: "conversation", unitsPerUser: 3 },
      correlation: expect.closeTo(CORRELATION, 9),
      gain: expect.closeTo(1 + 2 * CORRELATION, 9),
    };
    expect(gains).toEqual(
      new Map([
        ["spent", [conversations, { unit: "run", unitsPerUser: 3, correlation: 1, gain: 3 }]],
        ["latency", [conversations]],
      ]),
    );
  });

  test("of a ratio is about what its denominator does not explain", () => {
    const plain = metricOf("m");
    const level = plain.meanY;
    // Units of 1, 2 or 3 calls in turn, at 5 per call beside what varies.
    const calls = plain.sample.y.map((_, i) => 1 + (i % 3));
    const sample = { ...plain.sample, d: calls, y: plain.sample.y.map((y, i) => y - level + 5 * calls[i]!) };
    const ratio = { ...plain, meanY: 10, meanD: 2, sample };
    const [gain] = unitGains(new Map([["run", historyOf(ratio)]])).get("m")!;
    expect(gain!.correlation).toBeCloseTo(CORRELATION, 9);
  });

  test("needs the documented number of users", () => {
    const least = documented("planning.md", /analysis of variance over at least (\d+) users/);
    expect(MIN_USERS_OF_GAIN).toBe(least);
    expect(unitGains(new Map([["run", historyOf(metricOf("m", { users: least }))]])).size).toBe(1);
  });

  test.each<[string, UnitHistoryMetric]>([
    ["few users", metricOf("m", { users: MIN_USERS_OF_GAIN - 1 })],
    ["no spread", metricOf("m", { d: 0 })],
  ])("is unknown with %s", (_, metric) => {
    expect(unitGains(new Map([["run", historyOf(metric)]])).size).toBe(0);
  });

  test("is unknown where users have one unit each", () => {
    const metric = metricOf("m");
    const alone = { ...metric.sample, clusters: metric.sample.y.map((_, i) => i) };
    expect(unitGains(new Map([["run", historyOf({ ...metric, sample: alone })]])).size).toBe(0);
  });
});
