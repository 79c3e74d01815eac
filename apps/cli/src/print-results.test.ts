import type { ResultsSchema } from "@assay/contract";
import type { Static } from "typebox";
import { expect, test, vi } from "vitest";
import { planLines, printResults } from "./print-results.ts";

type Decision = NonNullable<Static<typeof ResultsSchema>["decision"]>;

const decisionOf = (given: Partial<Decision>) =>
  ({
    ...{ state: "running", decided_state: null, decided_on: null, look: 2, information: 0.43 },
    ...{ planned_end: "2026-01-19T00:00:00.000Z", alarms: [], losses: [], open: [], plan_changes: [] },
    ...given,
  }) as unknown as Decision;
const DECIDED = { decided_on: "2026-01-18", look: 5, information: 1 };
const COST = { metric: "cost", treatment: "b" };

test.each<{ given: Partial<Decision>; lines: readonly string[] }>([
  {
    given: {},
    lines: ["Decision plan: running; 43 % of the planned information, planned end 2026-01-18."],
  },
  { given: { look: 0, information: 0 }, lines: ["Decision plan: running; planned end 2026-01-18."] },
  {
    given: { ...DECIDED, state: "ready-to-decide", decided_state: "ready-to-decide" },
    lines: ["Decision plan: ready-to-decide. Decision look: night of 2026-01-18 (look 5): ready-to-decide."],
  },
  {
    given: { ...DECIDED, decided_state: "running", open: [{ ...COST, days: 6, labels: 120 }] },
    lines: [
      "Decision plan: running. Decision look: night of 2026-01-18 (look 5): nothing better, a margin not settled.",
      "· cost with b: its margin is not settled: about 6 more day(s) or 120 more label(s).",
    ],
  },
  {
    given: {
      ...{ information: 0, alarms: [COST], losses: [COST] },
      open: [
        { ...COST, days: 3, labels: null },
        { ...COST, treatment: "c", days: 0, labels: null },
      ],
      plan_changes: [{ at: "2026-01-10T00:00:00.000Z" as never, reason: "A holiday." }],
    },
    lines: [
      "Decision plan: running; planned end 2026-01-18.",
      "! cost with b is worse by evidence that holds at any look.",
      "! cost with b is significantly worse.",
      "· cost with c: its margin is not settled.",
      "! The plan was changed after the first exposure: A holiday.",
    ],
  },
])("the plan in the terminal: $lines", ({ given, lines }) => {
  expect(planLines(decisionOf(given))).toEqual(lines);
});

test.each([
  ["user", "users"],
  ["conversation", "conversations"],
  ["run", "runs"],
] as const)("the traffic split counts the unit: %s", (unit, many) => {
  expect(splitLine({ a: 10, b: 12 }, unit)).toMatch(`Traffic split: a 10, b 12 ${many}, as allocated`);
  expect(splitLine({ a: 0, b: 0 }, unit)).toBe(`Traffic split: no ${unit} counts yet.`);
});

function splitLine(observed: Record<string, number>, unit: "user" | "conversation" | "run") {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const results = {
    ...{ preliminary: false, revision: 1, computed_for: "2026-01-18", version: 3, withheld_by: null },
    srm: { status: "passed", observed, p_value: 0.67, threshold: 0.001 },
    ...{ results: {}, tradeoffs: [], decision: null, health: [] },
  };
  printResults(results as unknown as Parameters<typeof printResults>[0], unit);
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  return lines[1];
}
