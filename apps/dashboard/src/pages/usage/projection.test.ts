import { describe, expect, test } from "vitest";
import { projectMonth } from "./projection.ts";

const november = (used: number, allowance: number | null) => ({
  used,
  allowance,
  resetsAt: "2026-12-01T00:00:00.000Z",
});
const at = (instant: string) => Date.parse(instant);

describe("projectMonth", () => {
  test("says nothing in the first tenth of the month", () => {
    expect(projectMonth(november(500, 1000), at("2026-11-03T23:59:00Z"))).toEqual({ kind: "too-early" });
  });

  test.each([
    {
      name: "half of the month gone doubles",
      now: "2026-11-16T00:00:00Z",
      used: 300,
      total: 600,
      fullAt: null,
    },
    {
      name: "returns the day of the last event",
      now: "2026-11-16T00:00:00Z",
      used: 750,
      total: 1500,
      fullAt: "2026-11-21",
    },
    {
      name: "names no day once it is full",
      now: "2026-11-16T00:00:00Z",
      used: 1000,
      total: 2000,
      fullAt: null,
    },
    { name: "nothing used stays nothing", now: "2026-11-16T00:00:00Z", used: 0, total: 0, fullAt: null },
    {
      name: "after the turn it is what was used",
      now: "2026-12-01T00:00:05Z",
      used: 400,
      total: 400,
      fullAt: null,
    },
  ])("$name", ({ now, used, total, fullAt }) =>
    expect(projectMonth(november(used, 1000), at(now))).toEqual({ kind: "projected", total, fullAt }),
  );

  test("without a bound there is no day on which it is full", () => {
    expect(projectMonth(november(750, null), at("2026-11-16T00:00:00Z"))).toEqual({
      kind: "projected",
      total: 1500,
      fullAt: null,
    });
  });

  test("knows the length of January, before which the year turns", () => {
    const used = { used: 310, allowance: null, resetsAt: "2026-02-01T00:00:00.000Z" };
    expect(projectMonth(used, at("2026-01-11T00:00:00Z"))).toMatchObject({ total: 961 });
    expect(
      projectMonth({ ...used, resetsAt: "2027-01-01T00:00:00.000Z" }, at("2026-12-11T00:00:00Z")),
    ).toMatchObject({
      total: 961,
    });
  });
});
