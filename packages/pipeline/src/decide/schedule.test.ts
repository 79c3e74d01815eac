import { DAY_MS, type Day, type DecisionStatus } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { experimentOf } from "../test-support/runs.ts";
import { scheduleOf } from "./schedule.ts";

const START = Date.UTC(2026, 0, 5);

describe("the schedule", () => {
  const on = (days: Readonly<Record<string, number>>) => [
    { usersByDay: new Map(Object.entries(days).map(([day, users]) => [day as Day, users])) },
  ];
  const frame = { experiment: experimentOf([]), decision: null, until: START };

  test("starts on the day by which a hundredth of the users had arrived: a few early events do not start it", () => {
    expect(scheduleOf(frame, on({ "2026-01-05": 100, "2026-01-06": 900 })).startedOn).toBe("2026-01-05");
    expect(scheduleOf(frame, on({ "2025-10-01": 9, "2026-01-06": 990 })).startedOn).toBe("2026-01-06");
    expect(scheduleOf(frame, on({ "2025-10-01": 10, "2026-01-06": 990 })).startedOn).toBe("2025-10-01");
    expect(scheduleOf(frame, on({ "2026-01-06": 500, "2026-01-05": 500 })).startedOn).toBe("2026-01-05");
    expect(scheduleOf(frame, []).startedOn).toBe("2026-01-04");
  });

  test("keeps the start of the nights before", () => {
    const decision = { startedOn: "2026-01-01" as Day } as DecisionStatus;
    const schedule = scheduleOf({ ...frame, decision }, on({ "2026-01-06": 900 }));
    expect(schedule).toEqual({
      startedOn: "2026-01-01",
      earliestEnd: Date.UTC(2026, 0, 8),
      plannedEnd: Date.UTC(2026, 0, 15),
    });
  });

  test("of an experiment older than decision plans is two weeks, or the minimum run", () => {
    const without = (minWeeks: number) => {
      const { experiment } = frame;
      const plan = { ...experiment.config.plan, horizonWeeks: null, minWeeks };
      const old = { ...experiment, config: { ...experiment.config, plan } };
      return scheduleOf({ ...frame, experiment: old }, on({ "2026-01-05": 1 })).plannedEnd;
    };
    expect([without(1), without(3)]).toEqual([START + 14 * DAY_MS, START + 21 * DAY_MS]);
  });
});
