import type { ArmAgentRuns, MetricDefinition } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { documentedRow } from "../../../../tests/documented.ts";
import { checkOf, checksOf } from "../test-support/health.ts";
import { metric, run } from "../test-support/runs.ts";

const NONE = { done: 0, failed: 0, idle: 0, open: 0, mixed: 0, early: 0 };
const arm = (name: string, runs: Partial<ArmAgentRuns>): ArmAgentRuns => ({
  ...{ arm: name, period: 0, ...NONE },
  ...runs,
});
const both = (control: Partial<ArmAgentRuns>, treatment = control) => ({
  agentRuns: [arm("control", control), arm("treatment", treatment)],
});
const ofRuns = (field: "completed" | "turns"): MetricDefinition =>
  metric(field, { kind: field === "completed" ? "binary" : "mean", source: { event: "run", field } });

test("without a metric of runs, nothing is checked", () => {
  const codes = checksOf({}).map(({ code }) => code);
  expect(codes).not.toContain("runs-left-out");
  expect(codes).not.toContain("runs-without-end");
});

test("a run of the analysis remarks on them, of arms with a share", () => {
  const { health } = run(
    { metrics: [ofRuns("turns")] },
    {},
    { agentRuns: [...both({ done: 9, open: 1 }).agentRuns, arm("retired", { early: 500 })] },
  );
  expect(health).toContainEqual(
    expect.objectContaining({
      code: "runs-left-out",
      severity: "info",
      detail: expect.stringMatching(/^2 of 20 runs \(10%\) are in no metric/),
    }),
  );
});

test("a run of the analysis remarks on runs without an end, however few", () => {
  const { health } = run({ metrics: [ofRuns("turns")] }, {}, both({ done: 99, idle: 1 }));
  expect(health).toContainEqual(expect.objectContaining({ code: "runs-without-end", severity: "info" }));
});

describe("runs in no metric", () => {
  test("are told apart, arm by arm", () => {
    expect(checkOf("runs-left-out", both({ done: 990, open: 10 }, { done: 991, open: 9 }))).toEqual({
      ...{ code: "runs-left-out", measure: "share", threshold: 0.01, since: null, action: null },
      severity: "info",
      value: 0.0095,
      detail: "19 of 2,000 runs (0.95%) are in no metric: control 1%, treatment 0.9%: 19 have not ended.",
      arms: {
        control: { count: 10, of: 1_000, share: 0.01 },
        treatment: { count: 9, of: 1_000, share: 0.009 },
      },
    });
  });

  test("warn if many name another variant or began before their exposure", () => {
    const check = checkOf("runs-left-out", both({ done: 98, mixed: 1, early: 1 }));
    expect(check).toMatchObject({ severity: "warning", value: 0.02 });
    expect(check.detail).toContain(
      "2 name another variant than their unit's, 2 began before their unit's first exposure.",
    );
    expect(check.action).toContain("Send the exposure before the run's first call");
  });

  test("are no warning if few are set apart", () => {
    expect(checkOf("runs-left-out", both({ done: 995, mixed: 5 }))).toMatchObject({ severity: "info" });
  });

  test("warn if one arm has more that are open than chance explains", () => {
    const check = checkOf("runs-left-out", both({ done: 900, open: 100 }, { done: 990, open: 10 }));
    expect(check).toMatchObject({ severity: "warning" });
    expect(check.detail).toContain("treatment differs from control by more than chance explains");
    expect(check.action).toContain("wait until they end");
  });

  test("are none where all have ended, and unknown before the first", () => {
    expect(checkOf("runs-left-out", both({ done: 5 }))).toMatchObject({ severity: "ok", value: 0 });
    expect(checkOf("runs-left-out", both({}))).toMatchObject({ severity: "no-data", value: null });
  });
});

describe("runs without an end", () => {
  test("count as not completed, which is said arm by arm", () => {
    const check = checkOf("runs-without-end", both({ done: 96, failed: 3, idle: 1 }));
    expect(check).toMatchObject({
      ...{ severity: "info", value: 0.01 },
      arms: { control: { count: 1, of: 100, share: 0.01 } },
      detail:
        "2 of 200 runs that are over (1%) have no run_end: control 1%, treatment 1%: they were idle for 30 minutes and count as not completed.",
    });
  });

  test("warn from the documented share on", () => {
    const [, , alarm = ""] = documentedRow("health.md", "`runs-without-end`");
    const least = Number(/share ≥ (\d+)%/.exec(alarm)?.[1]) * 10;
    const severityOf = (idle: number) =>
      checkOf("runs-without-end", both({ done: 1_000 - idle, idle })).severity;
    expect([severityOf(least - 1), severityOf(least)]).toEqual(["info", "warning"]);
  });

  test.each([
    ["many", both({ done: 95, idle: 5 })],
    ["more in one arm", both({ done: 990, idle: 10 }, { done: 960, idle: 40 })],
  ])("warn if there are %s", (_, runs) => {
    const check = checkOf("runs-without-end", runs);
    expect(check.severity).toBe("warning");
    expect(check.action).toContain("Send a run_end for every run");
  });

  test("are all where nobody reports ends, which matters to some metrics", () => {
    const runs = both({ idle: 3 });
    expect(checkOf("runs-without-end", { ...runs, metrics: [ofRuns("turns")] })).toMatchObject({
      ...{ severity: "info", action: null, value: 1 },
      detail: "Nobody sends run_end: 6 runs ended by being idle for 30 minutes.",
    });
    const check = checkOf("runs-without-end", { ...runs, metrics: [ofRuns("turns"), ofRuns("completed")] });
    expect(check.severity).toBe("warning");
    expect(check.detail).toContain("30 minutes. completed cannot show whether tasks were completed.");
    expect(check.action).not.toBeNull();
  });

  test("are none where each run has one, and unknown before the first ended", () => {
    expect(checkOf("runs-without-end", both({ done: 5, failed: 1 }))).toMatchObject({ severity: "ok" });
    expect(checkOf("runs-without-end", both({ open: 5 }))).toMatchObject({ severity: "no-data" });
  });
});
