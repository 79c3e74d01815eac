import type { HoldbackView } from "@assay/contract";
import type { ExperimentUnit } from "@assay/domain";
import type { Static } from "typebox";
import { expect, test, vi } from "vitest";
import { printHoldback } from "./print-holdback.ts";

type View = Static<typeof HoldbackView>;
const row: View["weeks"][number]["rows"][number] = {
  ...{ metric: "bought", metric_version: 1, desired: "increase", test: "two_proportion_z" },
  ...{ control_value: 0.1, treatment_value: 0.12, effect: 0.02, ci_low: 0.01, ci_high: 0.03 },
  ...{ relative_effect: 0.2, relative_ci_low: 0.1, relative_ci_high: 0.3, n_per_arm: { a: 2, b: 3 } },
};
const week = (from: string, change: Partial<View["weeks"][number]> = {}) =>
  ({
    ...{ from, to: from, users: { a: 20, b: 300 }, srm_p: 0.4, is_withheld: false, rows: [row], ...change },
  }) as View["weeks"][number];

function printed(change: Partial<View>, unit: ExperimentUnit = "user", lasts = true): string {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const view = {
    ...{
      experiment_id: "e",
      computed_at: null,
      ends_at: "2026-04-01T00:00:00.000Z",
      weeks: [],
      overall: null,
    },
    ...{ compared_with: "2026-03-01", changes: [], text_changes: [], ...change },
  } as View;
  const metrics = [
    { name: "bought", kind: "binary", window_days: null },
    { name: "spent", kind: "binary", window_days: 7 },
    { name: "other", kind: "binary", window_days: null },
  ] as unknown as Parameters<typeof printHoldback>[1]["metrics"];
  printHoldback(view, { unit, metrics, lasts });
  const text = log.mock.calls.map(([line]) => String(line)).join("\n");
  log.mockRestore();
  return text;
}

test("a holdback is printed week by week, with the change of the lift", () => {
  expect(printed({})).toBe(
    "The holdback ends 2026-04-01T00:00:00.000Z. A week is analyzed a day after its end.",
  );
  expect(printed({}, "user", false)).toContain("The holdback ended 2026-04-01T00:00:00.000Z.");
  const at = "2026-03-05T10:00:00.000Z";
  const texts = [{ at, variants: ["a", "b"] }] as unknown as View["text_changes"];
  expect(printed({ text_changes: texts })).toContain(
    `! The prompt or variables of a and b changed on ${at}: weeks before and after compare different texts.`,
  );
  const change = {
    ...{ metric: "bought", lift_now: 0.05, lift_then: 0.2, change: -0.15, ci_low: -0.25, ci_high: -0.05 },
    ...{ p_value: 0.01, p_value_fdr: 0.02 },
  };
  const text = printed({
    weeks: [
      week("2026-03-02T00:00:00.000Z"),
      week("2026-03-09T00:00:00.000Z", { is_withheld: true, rows: [] }),
      week("2026-03-16T00:00:00.000Z", { rows: [] }),
      week("2026-03-23T00:00:00.000Z", { rows: [{ ...row, relative_effect: null }] }),
      week("2026-03-30T00:00:00.000Z", { rows: [{ ...row, relative_ci_low: null }] }),
    ],
    changes: [
      { ...change, verdict: "smaller" },
      { ...change, metric: "spent", verdict: null },
    ],
  });
  expect(text).toMatch(/2026-03-02 +bought +\+20% \(\+10% … \+30%\) +a 20, b 300/);
  expect(text).toMatch(/2026-03-09 +withheld/);
  expect(text).toMatch(/2026-03-16 +too few events/);
  expect(text).toMatch(/2026-03-23 +bought +0\.02 /);
  expect(text).toMatch(/2026-03-30 +bought +\+20% +a/);
  expect(text).toContain(
    "! bought: +5% since the shipping, +20% until 2026-03-01; difference -25% … -5%: smaller.",
  );
  expect(text).toContain("· spent: +5%");
  expect(text).toContain("the test comes a day after the end.");
  expect(text.match(/! .* has no window/g)).toEqual(["! bought has no window"]);
});

test("the table is headed by what it counts", () => {
  const weeks = [week("2026-03-02T00:00:00.000Z")];
  expect(printed({ weeks })).toMatch(/week +metric +lift +users$/m);
  expect(printed({ weeks }, "conversation")).toMatch(/week +metric +lift +conversations$/m);
});
