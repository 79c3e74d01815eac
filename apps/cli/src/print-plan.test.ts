import type { ConfigPlan } from "@assay/contract";
import type { ExperimentUnit } from "@assay/domain";
import type { Static } from "typebox";
import { expect, test, vi } from "vitest";
import { printPlan } from "./print-plan.ts";

type Plan = Static<typeof ConfigPlan>;
type Row = Plan["rows"][number];
type SmallerUnit = Row["smaller_units"][number];

const needed = (users: number, days: number | null) => ({ users: {}, users_total: users, days });
const row = (change: Partial<Row> = {}): Row => ({
  ...{ metric: "bought", treatment: "b", baseline: { value: 0.1, sd: 0.3, source: "history" } },
  target_effect: { relative: 0.2, absolute: 0.02 },
  ...{ needed: needed(7_678, 16), needed_corrected: needed(9_296, 19), needed_for_margin: null },
  ...{ mde: { days: 14, users: {}, absolute: 0.0147, relative: 0.147 }, mde_corrected: null },
  ...{ smaller_units: [], notes: [] },
  ...change,
});

function printed(change: Partial<Plan>, unit?: ExperimentUnit): string {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const plan: Plan = {
    ...{ alpha: 0.05, alpha_corrected: 0.025, power: 0.8, shares: {}, rows: [row()], notes: [] },
    users_per_day: { value: 500, source: "history" },
    horizon: { horizon_weeks: 3, basis: "traffic", expected_users: 10_500, notes: [] },
    ...change,
  };
  printPlan("tone", plan, unit);
  const text = log.mock.calls.map(([line]) => String(line)).join("\n");
  log.mockRestore();
  return text;
}

test("a plan is printed row by row, with what it is based on below", () => {
  const text = printed({
    rows: [
      row(),
      row({ metric: "spent", needed_for_margin: needed(400, 1), notes: ["A window is added."] }),
      row({
        ...{ metric: "p95", baseline: null, target_effect: { relative: 0.05, absolute: null } },
        ...{ needed: null, needed_corrected: null, mde: null, notes: ["Send baselines."] },
      }),
    ],
    notes: ["All the org's users count."],
  });
  expect(text).toContain("Plan of tone: 500 users per day (history), power 80%, alpha 0.05.");
  expect(text).toMatch(
    /^metric +treatment +control's value +target effect +users +days +corrected +margin +smallest effect in 14 days$/m,
  );
  expect(text).toMatch(
    /^bought +b +0\.1 \(history\) +20% \(0\.02\) +7,678 +16 +9,296 in 19 days +14\.7% \(0\.0147\)$/m,
  );
  expect(text).toMatch(/^spent .* 9,296 in 19 days +400 in 1 day +14\.7%/m);
  expect(text).toMatch(/^p95 +b +unknown +5%$/m);
  expect(text).toContain("Horizon, if it starts without one of its own: 3 weeks (traffic).");
  for (const note of ["All the org's users count.", "spent: A window is added.", "p95: Send baselines."])
    expect(text).toContain(`· ${note}`);
});

test("an unknown traffic leaves out the days", () => {
  const open = row({ needed: needed(7_678, null), needed_corrected: needed(9_296, null), mde: null });
  const text = printed({ users_per_day: null, rows: [open] }, "run");
  expect(text).toContain("unknown runs per day");
  expect(text).toMatch(/control's value +target effect +runs +days +corrected +smallest effect$/m);
  expect(text).toMatch(/7,678 +9,296$/m);
  expect(printed({ rows: [] })).not.toContain("metric");
});

test("one user is one, and thousands of days have their comma", () => {
  const text = printed({
    users_per_day: { value: 1, source: "history" },
    rows: [row({ needed: needed(22_734, 22_734) })],
  });
  expect(text).toContain("Plan of tone: 1 user per day (history)");
  expect(text).toMatch(/22,734 +22,734 /);
});

test("what smaller units would gain is said once for a metric", () => {
  const conversation: SmallerUnit = {
    unit: "conversation",
    ...{ units_per_user: 3.21, correlation: 0.312, gain: 1.92, days: 9 },
  };
  const units: SmallerUnit[] = [conversation, { ...conversation, unit: "run", correlation: 0, gain: 1.01 }];
  const text = printed({
    rows: [row({ smaller_units: units }), row({ treatment: "c", smaller_units: units })],
  });
  expect(text.match(/users have/g)).toHaveLength(2);
  expect(text).toContain(
    "· bought: users have 3.21 conversations on average, with a correlation of 0.31: if each conversation got a variant, 1.92 times fewer conversations would do, about 9 days instead of 16.",
  );
  expect(text).toContain("with a correlation of 0.00: randomizing runs instead of users would gain little.");
});

test("an effect in the metric's unit stands alone where control is 0", () => {
  const mde = { days: 14, users: {}, absolute: 0.5, relative: null };
  expect(printed({ rows: [row({ mde })] })).toMatch(/ 0\.5$/m);
});
