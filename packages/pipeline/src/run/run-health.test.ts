import { dayOf } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { judgedMetric } from "../test-support/judged.ts";
import { codes, exposure, metric, run, until } from "../test-support/runs.ts";

describe("outcomes before the exposure", () => {
  test("are counted with their share", () => {
    const results = run({ metrics: [] }, { droppedPreExposure: 3, variantConflicts: 2 });
    expect(codes(results)).toEqual(["dropped-pre-exposure"]);
    expect(results.health[0]).toMatchObject({
      severity: "info",
      detail: expect.stringContaining("3 of 1005"),
    });
  });

  test("are many from one in twenty on", () => {
    for (const [droppedPreExposure, severity] of [
      [52, "info"],
      [53, "warning"],
    ] as const)
      expect(run({ metrics: [] }, { droppedPreExposure }).health).toMatchObject([{ severity }]);
  });

  test("point to clocks that differ when they are many", () => {
    const results = run({ metrics: [] }, { droppedPreExposure: 400 });
    expect(results.health).toEqual([
      expect.objectContaining({ severity: "warning", detail: expect.stringContaining("clocks") }),
    ]);
  });
});

test("users with thousands of calls a day are named", () => {
  const exposures = [exposure("control", 1000, { heavyUsers: 1 }), exposure("treatment", 1000)];
  expect(codes(run({ metrics: [] }, { exposures }))).toEqual(["heavy-users"]);
});

test("a variant edited within the window is named with its instant; earlier and later edits are not", () => {
  const at = until - 60_000;
  const firstExposureAt = until - 3_600_000;
  const variantEdits = [firstExposureAt - 1, at, until].map((instant) => ({
    variant: "treatment",
    at: instant,
  }));
  const results = run({ metrics: [] }, { firstExposureAt }, { variantEdits });
  expect(results.health).toEqual([
    expect.objectContaining({
      code: "variant-edited",
      detail: expect.stringContaining("(treatment at 2026-11-20T23:59:00.000Z)"),
    }),
  ]);
  const nobody = run({ metrics: [] }, { firstExposureAt: null, exposures: [] }, { variantEdits });
  expect(codes(nobody)).toEqual([]);
});

describe("metrics without a row", () => {
  test.each([
    { kind: "binary", source: { event: "business_event", businessMetric: "signup" } },
    { kind: "mean", source: { event: "model_call", field: "cost_usd" } },
  ] as const)("$kind that nobody reports say where values should come from", ({ kind, source }) => {
    const data = ["control", "treatment"].map((arm) =>
      sums({ metric: "m", arm }, 1000, { variance: 0, events: kind === "binary" ? 1000 : 0 }),
    );
    const results = run({ metrics: [metric("m", { kind, source })] }, { metrics: data });
    expect(results.results).toEqual({});
    expect(results.health).toEqual([
      expect.objectContaining({
        code: "metric-unreported",
        detail: expect.stringContaining(source.event === "model_call" ? "cost_usd" : '"signup"'),
      }),
    ]);
  });
});

test("a metric of a judge without a rubric says that nothing is judged", () => {
  const { health } = run({ metrics: [judgedMetric({ judge: null })] }, {});
  expect(health).toEqual([
    expect.objectContaining({
      code: "metric-not-judged",
      detail: expect.stringContaining("it has no rubric"),
    }),
  ]);
});

test("a run without traffic on its last days still ends", () => {
  const exposures = ["control", "treatment"].map((arm) =>
    exposure(arm, 1000, { usersByDay: new Map([[dayOf(0), 1000]]) }),
  );
  expect(run({ metrics: [] }, { exposures, firstExposureAt: 0 }).window.from).toBe(0);
});
