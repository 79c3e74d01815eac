import { type ArmMetric, dayOf, PLAN_LIMITS } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { judgedMetric, judgedOf, scored } from "../test-support/judged.ts";
import { codes, experimentOf, exposure, metric, run, until } from "../test-support/runs.ts";

describe("outcomes before the exposure", () => {
  test("are counted with their share", () => {
    const results = run({ metrics: [] }, { droppedPreExposure: 3, variantConflicts: 2 });
    expect(codes(results)).toEqual(["dropped-pre-exposure"]);
    expect(results.health[0]).toMatchObject({
      severity: "info",
      detail: expect.stringContaining("3 of 1,005"),
    });
  });

  test("are many from one in twenty", () => {
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

test.each([
  { earlier: [1_000, 1_004], missing: null },
  { earlier: [2_000], missing: null },
  { earlier: [2_020], missing: null },
  {
    earlier: [2_021, 1_990],
    missing: "21 users are missing: an earlier night counted 2,021, this run 2,000.",
  },
  { earlier: [4_000], missing: "2,000 users are missing: an earlier night counted 4,000, this run 2,000." },
])("nights of $earlier users before one of 2,000 leave $missing", ({ earlier, missing }) => {
  const nights = earlier.map((units) => ({ units, rows: {} }));
  expect(run({ metrics: [] }, {}, { nights }).health).toEqual(
    missing === null
      ? []
      : [{ code: "units-missing", severity: "warning", detail: expect.stringContaining(missing) }],
  );
});

test("four of a hundred users may be corrections of exposures, five are missing", () => {
  const exposures = [exposure("control", 50), exposure("treatment", 50)];
  const found = (units: number) =>
    codes(run({ metrics: [] }, { exposures }, { nights: [{ units, rows: {} }] }));
  expect(found(104)).toEqual([]);
  expect(found(105)).toEqual(["units-missing"]);
});

test("users with thousands of calls a day are named", () => {
  const exposures = [exposure("control", 1000, { heavyUsers: 1 }), exposure("treatment", 1000)];
  expect(codes(run({ metrics: [] }, { exposures }))).toEqual(["heavy-users"]);
  const inBoth = [
    exposure("control", 1000, { heavyUsers: 2 }),
    exposure("treatment", 1000, { heavyUsers: 3 }),
  ];
  expect(run({ metrics: [] }, { exposures: inBoth }).health[0]?.detail).toMatch(
    /^5 user.*: bots, or one id for many people\./,
  );
  const experiment = experimentOf([]);
  const ofRuns = { ...experiment, config: { ...experiment.config, unit: "run" } } as const;
  const { health } = run({ metrics: [] }, { exposures: inBoth }, { experiment: ofRuns });
  expect(health[0]?.detail).toMatch(/^5 run.*: loops, or one id for many of them\./);
});

test("a period without users does not count as a change of the allocation", () => {
  const arms = ["control", "treatment"];
  const exposures = (later: number) =>
    [0, 1].flatMap((period) => arms.map((arm) => exposure(arm, period === 0 ? 1000 : later, { period })));
  const periods = [0, 1].map((startsAt) => ({ startsAt, shares: { control: 0.5, treatment: 0.5 } }));
  const found = (later: number) => codes(run({ metrics: [] }, { exposures: exposures(later) }, { periods }));
  expect(found(0)).toEqual([]);
  expect(found(1000)).toEqual(["allocation-changed"]);
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

test("a metric without values names the sources that it accepts", () => {
  const paid = metric("paid", { acceptFrom: ["signed", "secret"] });
  const none = ["control", "treatment"].map((arm) =>
    sums({ metric: "paid", arm }, 1000, { variance: 0, events: 0 }),
  );
  expect(run({ metrics: [paid] }, { metrics: none }).health.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/check the spelling\. Only events from signed, secret count \(accept_from\)\.$/),
  ]);
});

describe("metrics of runs without a row say what is missing", () => {
  const detailOf = (field: "completed" | "turns", data: readonly ArmMetric[]) => {
    const ofRuns = metric(field, {
      kind: field === "completed" ? "binary" : "mean",
      source: { event: "run", field },
    });
    return run({ metrics: [ofRuns] }, { metrics: data }).health.map(({ code, detail }) => [code, detail]);
  };
  test("ends, where nobody reports any", () => {
    expect(detailOf("completed", [])).toEqual([
      [
        "metric-unreported",
        "completed has no row: no user has a value of it. It needs a run_end with completed true.",
      ],
    ]);
  });
  test("runs, where none has ended", () => {
    const none = ["control", "treatment"].map((arm) =>
      sums({ metric: "turns", arm }, 1000, { variance: 0, events: 0 }),
    );
    expect(detailOf("turns", none)).toEqual([
      ["metric-unreported", expect.stringContaining("runs that have ended, with turns other than 0")],
    ]);
    expect(detailOf("turns", [])).toEqual([["metric-collecting", expect.anything()]]);
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

describe("a judged metric on a plan without judge evaluations", () => {
  const limits = { ...PLAN_LIMITS.free, monthlyJudgeEvaluations: 0 };
  const locked = {
    code: "metric-plan-without-judge",
    severity: "warning",
    detail:
      "The plan includes no judge evaluations, so no answers are judged for quality. On a larger plan, judging starts with the next night.",
  };
  const calls = ["control", "treatment"].flatMap((arm) =>
    Array.from({ length: 300 }, (_, index) => scored({ arm, score: index % 2 })),
  );

  test.each([
    { name: "without a drawn call", judged: [], others: [], rows: 0 },
    {
      name: "with waiting calls",
      judged: [judgedOf([], { arms: { control: { pending: 3, scored: 0, failed: 0, labels: 0 } } })],
      others: ["metric-not-judged"],
      rows: 0,
    },
    {
      name: "with scores of a larger plan",
      judged: [judgedOf(calls)],
      others: ["judge-opinion"],
      rows: 1,
    },
  ])("$name says so", ({ judged, others, rows }) => {
    const results = run({ metrics: [judgedMetric()] }, {}, { limits, judged });
    expect(results.health).toContainEqual(locked);
    const ofMetric = codes(results).filter((code) => code.startsWith("metric-") || code === "judge-opinion");
    expect(ofMetric).toEqual([locked.code, ...others]);
    expect(Object.keys(results.results)).toHaveLength(rows);
  });

  test.each([
    {
      name: "without a rubric",
      metric: judgedMetric({ judge: null }),
      change: {},
    },
    { name: "of the demo, whose scores are built in", metric: judgedMetric(), change: { isDemo: true } },
  ])("$name does not", ({ metric: judged, change }) => {
    const experiment = { ...experimentOf([judged]), ...change };
    const { health } = run({ metrics: [judged] }, {}, { limits, experiment });
    expect(health.map(({ code }) => code)).toEqual(["metric-not-judged"]);
  });
});

test("a run without traffic on its last days still ends", () => {
  const exposures = ["control", "treatment"].map((arm) =>
    exposure(arm, 1000, { usersByDay: new Map([[dayOf(0), 1000]]) }),
  );
  expect(run({ metrics: [] }, { exposures, firstExposureAt: 0 }).window.from).toBe(0);
});
