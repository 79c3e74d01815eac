import { type Day, DEFAULT_HORIZON_WEEKS, DEFAULT_PLAN, MAX_HORIZON_WEEKS } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { documented, documentedRow } from "../../../../tests/documented.ts";
import { RANK_TARGET } from "../compare/choose-test.ts";
import { LONGEST_PLANNED_WEEKS } from "../plan/plan-horizon.ts";
import { experimentOf } from "../test-support/runs.ts";
import { scheduleOf } from "./schedule.ts";

const PAGE = "decisions.md";

describe("the documented numbers of the decision plan", () => {
  test("its defaults", () => {
    expect(Number(documentedRow(PAGE, "`min_weeks`")[1])).toBe(DEFAULT_PLAN.minWeeks);
    expect(documentedRow(PAGE, "`alpha`, `power`")[1]).toBe(`${DEFAULT_PLAN.alpha}, ${DEFAULT_PLAN.power}`);
    expect(documentedRow(PAGE, "`looks`")[1]).toBe(`\`${DEFAULT_PLAN.looks}\``);
    expect(documentedRow(PAGE, "`futility`")[1]).toBe(String(DEFAULT_PLAN.futility));
  });

  test("its horizons", () => {
    expect(documented(PAGE, /to the planned end, at most (\d+)/)).toBe(MAX_HORIZON_WEEKS);
    expect(documented(PAGE, /every margin is settled, at (\d+) weeks at most/)).toBe(LONGEST_PLANNED_WEEKS);
    expect(documentedRow(PAGE, "`horizon_weeks`")[1]).toBe("set at the start");
    expect(DEFAULT_HORIZON_WEEKS).toBe(2);
  });

  test("the share of users that starts it", () => {
    const percent = 1;
    const on = (first: number) => [
      {
        usersByDay: new Map([
          ["2026-01-01" as Day, first],
          ["2026-02-01" as Day, 100 * 100 - first],
        ]),
      },
    ];
    const frame = { experiment: experimentOf([]), decision: null, until: 0 };
    expect(scheduleOf(frame, on(100 * percent)).startedOn).toBe("2026-01-01");
    expect(scheduleOf(frame, on(100 * percent - 1)).startedOn).toBe("2026-02-01");
  });
});

test("rank tests aim at the documented probability", () => {
  expect(documented("planning.md", /aim at a probability of (\.\d+)/)).toBe(0.5 + RANK_TARGET);
});
