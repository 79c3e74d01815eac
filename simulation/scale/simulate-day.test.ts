import { describe, expect, test } from "vitest";
import { dayPlan, reportedDays } from "./day-plans.ts";
import { valuesOf } from "./inputs.ts";
import { loadCurve, PEAK_S } from "./load-curve.ts";
import { type DayPlan, simulateDay } from "./simulate-day.ts";

const DAY_S = 86_400;
const values = valuesOf();

describe("the curve of a day", () => {
  test.each([1.5, 2, 3, 5])("has a mean of 1 and a peak of %d", (peakToMean) => {
    const curve = loadCurve(peakToMean);
    let sum = 0;
    for (let second = 0; second < DAY_S; second++) sum += curve(second);
    expect(sum / DAY_S).toBeCloseTo(1, 6);
    expect(curve(PEAK_S)).toBeCloseTo(peakToMean, 6);
  });
});

describe("a simulated day", () => {
  test.each(reportedDays(values, 4))("neither loses nor creates events: $name", (plan) => {
    const day = simulateDay(plan);
    const outcome = day.stored + day.waitingAtEnd + day.heldAtEnd + day.lostByClients;
    expect(outcome / day.offered).toBeCloseTo(1, 9);
    expect((day.stored + day.waitingAtEnd) / day.accepted).toBeCloseTo(1, 9);
    expect(day.largestBacklog).toBeLessThanOrEqual(plan.queueEvents * (1 + 1e-9));
  });

  test("is reproducible", () => {
    const plan = dayPlan("again", values);
    expect(simulateDay(plan)).toEqual(simulateDay(plan));
  });

  /** Without a curve, so that an outage can be computed by hand. */
  const flat: DayPlan = {
    name: "flat",
    mean: 1_000,
    peakToMean: 1,
    acceptPerS: 10_000,
    storePerS: 1_500,
    queueEvents: 1e9,
    clientEvents: 1e9,
    faults: [{ part: "store", from: 10_000, seconds: 600, left: 0 }],
  };

  test("drains an outage in its length times load divided by spare capacity", () => {
    const day = simulateDay(flat);
    expect(day.largestBacklog / (600 * 1_000)).toBeCloseTo(1, 2);
    expect(day.drainS / ((600 * 1_000) / 500)).toBeCloseTo(1, 1);
    expect(day.oldestS).toBe(599);
    expect(day.refusals).toBe(0);
  });

  test("refuses what does not fit into the queue, and stores it later if clients can hold it", () => {
    const day = simulateDay({ ...flat, queueEvents: 300_000 });
    expect(day.longestRefusalS).toBeGreaterThan(290);
    expect(day.lostByClients).toBe(0);
    expect((day.stored + day.waitingAtEnd) / day.offered).toBeCloseTo(1, 9);
  });

  test("counts what clients drop once they are full as well", () => {
    const day = simulateDay({ ...flat, queueEvents: 300_000, clientEvents: 100_000 });
    expect(day.lostByClients / (600 * 1_000 - 300_000 - 100_000)).toBeCloseTo(1, 1);
  });
});
