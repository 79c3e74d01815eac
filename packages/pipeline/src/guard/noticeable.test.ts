import { DEFAULT_GUARD } from "@assay/domain";
import { normalQuantile, oneSidedEvidence } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { documented } from "../../../../tests/documented.ts";
import { evidenceThreshold, TUNED_TO } from "./look.ts";
import { noticeableHarms } from "./noticeable.ts";

/** So many calls of as many users in 14 days, of which a share fails; 100 ms on average with a standard deviation of 50. */
const historyOf = (calls: number, failing: number) => {
  const common = { users: calls, events: calls, meanD: 1, m2D: 0, cYD: 0, fineCounts: new Map() };
  return {
    metrics: [
      { ...common, metric: "errorRate", meanY: failing, m2Y: calls * failing * (1 - failing) },
      { ...common, metric: "latency", meanY: 100, m2Y: calls * 2_500 },
    ],
  };
};
const HOURS = 24 * 14;
const ask = (callsAnHour: number, change: object = {}) =>
  noticeableHarms({
    ...{
      guard: DEFAULT_GUARD,
      history: historyOf(callsAnHour * HOURS, 0.02),
      share: 0.5,
      treatments: 1,
      signals: 6,
    },
    ...change,
  });

describe("the harm that is noticed within an hour", () => {
  test("is what the guard accepts and what the evidence of an hour's calls needs", () => {
    const [errors, latency] = ask(7_200);
    // 3,600 calls an arm: a standard error of 0.0033, of which the evidence needs some four, and 0.84 for the chance.
    expect(errors).toMatchObject({ signal: "error_rate", value: 0.02, isRelative: false });
    expect(errors!.harm! - 0.01).toBeGreaterThan(4 * 0.0033);
    expect(errors!.harm! - 0.01).toBeLessThan(6 * 0.0033);
    expect(latency).toMatchObject({ signal: "latency", isRelative: true });
    expect(latency!.harm! - 0.2).toBeCloseTo(((errors!.harm! - 0.01) / Math.sqrt(0.02 * 0.98)) * 0.5, 3);
  });

  test("is noticed with the documented chance, in an hour of the documented days", () => {
    const chance = documented("guard.md", /within an hour with a chance of (\d+)%/) / 100;
    expect(documented("guard.md", /calls of the organization's last (\d+) days/)).toBe(HOURS / 24);
    const [calls, signals, treatments] = [10_000, 8, 3];
    const [, latency] = ask(calls, { signals, treatments });
    const events = calls / 2;
    const variance = (2_500 * calls * HOURS) / (calls * HOURS - 1);
    const excess = ((latency!.harm! - 0.2) * 100) / Math.sqrt((2 * variance) / events);
    // With this chance, the excess that is found is less than the expected one by no more than this.
    const effect = excess - normalQuantile(chance);
    const found = { effect, standardError: 1, n: 2 * events, expectedUsers: TUNED_TO };
    expect(oneSidedEvidence(found)).toBeCloseTo(evidenceThreshold({ treatments, signals, starts: 1 }), 8);
  });

  test("falls with the traffic, and rises with the number of signals", () => {
    expect(ask(72_000)[0]!.harm!).toBeLessThan(ask(7_200)[0]!.harm!);
    expect(ask(7_200, { signals: 60 })[0]!.harm!).toBeGreaterThan(ask(7_200)[0]!.harm!);
  });

  test("is unknown for too few calls, and absent for what is not watched or has no history", () => {
    expect(ask(200)[0]!.harm).not.toBeNull();
    expect(ask(198)[0]!.harm).toBeNull();
    expect(ask(7_200, { guard: { ...DEFAULT_GUARD, errorRate: null } }).map(({ signal }) => signal)).toEqual([
      "latency",
    ]);
    expect(ask(7_200, { history: { metrics: [] } })).toEqual([]);
    const still = historyOf(7_200 * HOURS, 0).metrics.map((one) => ({ ...one, meanY: 0, m2Y: 0 }));
    expect(ask(7_200, { history: { metrics: still } }).map(({ harm }) => harm)).toEqual([0.01, null]);
    const nobody = still.map((one) => ({ ...one, users: 1 }));
    expect(ask(7_200, { history: { metrics: nobody } })).toEqual([]);
  });
});
