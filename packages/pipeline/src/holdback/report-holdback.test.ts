import {
  type AnalysisQuery,
  DAY_MS,
  dayOf,
  type ExperimentVersion,
  type Holdback,
  type HoldbackReport,
  type MetricDefinition,
  PLAN_LIMITS,
  type StoredRun,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { judgedMetric } from "../test-support/judged.ts";
import { experimentOf, exposure, metric } from "../test-support/runs.ts";
import { analyzeHoldback } from "./analyze-holdback.ts";
import { reportHoldback } from "./report-holdback.ts";

const FROM = Date.UTC(2026, 8, 1, 9);
const WEEK_MS = 7 * DAY_MS;

interface Situation {
  readonly now: number;
  readonly metrics?: readonly MetricDefinition[];
  readonly holdback?: Partial<Holdback>;
  /** Users of control, of treatment and of another variant. */
  readonly users?: readonly [number, number, number];
  readonly report?: HoldbackReport | null;
  readonly nights?: readonly StoredRun[];
  readonly isStopped?: boolean;
}

/** Reports a holdback of 50 of 1,000 buckets, beside the 500 of the shipped variant, and records its queries. */
async function reportOf({
  now,
  metrics = [metric("m", { windowDays: 14 }), judgedMetric()],
  holdback = {},
  users = [500, 5_000, 0],
  report = null,
  nights = [],
  isStopped = false,
}: Situation) {
  const queries: AnalysisQuery[] = [];
  const asked: unknown[] = [];
  const events: Parameters<typeof analyzeHoldback>[1] = {
    async loadArms(query) {
      queries.push(query);
      const arms = ["control", "treatment", "other"].map((arm, i) => ({ arm, count: users[i]! }));
      return {
        exposures: arms.map(({ arm, count }) => exposure(arm, count)),
        metrics: arms.map(({ arm, count }) =>
          sums({ metric: "m", arm }, count, { mean: arm === "control" ? 10 : 11 }),
        ),
        ...{ outcomes: 0, droppedPreExposure: 0, variantConflicts: 0, firstExposureAt: FROM },
      };
    },
  };
  const made = experimentOf(metrics);
  const version = (config: Partial<typeof made.config>): ExperimentVersion => ({
    ...{ ...made, createdBy: "u" },
    config: { ...made.config, ...config },
  });
  const lasting = { percent: 5, from: FROM, to: null };
  const shipped = version({ status: "shipped", shippedVariant: "treatment", holdback: lasting });
  const experiment = version({
    ...{ ...shipped.config, holdback: { ...lasting, ...holdback }, qaUsers: { treatment: ["qa"] } },
    ...(isStopped && { status: "stopped", shippedVariant: null }),
  });
  const result = await reportHoldback(experiment, report, {
    experiments: { listVersions: async () => [experiment, shipped, version({})] },
    exclusions: {
      list: async () => [
        {
          ...{ number: 1, match: { variant: "bots" }, reason: "bots", lifts: null, createdAt: 0 },
          actor: { id: "u", name: "Ada", email: "ada@example.com" },
        },
      ],
    },
    results: {
      put: async () => true,
      async listNightlyBefore(_org, _experiment, range) {
        asked.push(range);
        return nights;
      },
    },
    clock: { now: () => now },
    limits: PLAN_LIMITS.free,
    codeVersion: "1.2.3",
    loadPrices: async () => ({ asOf: dayOf(0), prices: [] }),
    analyzeHoldback: (frame) => analyzeHoldback(frame, events),
  });
  return { report: result, queries, asked };
}

describe("a holdback's report", () => {
  test("has nothing before the first week is over, nor twice", async () => {
    expect((await reportOf({ now: FROM + WEEK_MS })).report).toBeNull();
    const now = FROM + WEEK_MS + DAY_MS;
    const { report } = await reportOf({ now });
    expect((await reportOf({ now, report })).report).toBeNull();
  });

  test("reads each week by itself, without covariates, and all of them with the metrics' windows", async () => {
    const { report, queries } = await reportOf({ now: FROM + 2 * WEEK_MS + DAY_MS });
    const week = (from: number, windowDays: number | null) => ({
      ...{ exposures: "holdback", periodStarts: [], sample: { preDays: 0, maxUsersPerArm: 10_000 } },
      exclusions: [{ variant: "bots" }, { userIds: ["qa"] }, { to: from }],
      metrics: [{ name: "m", windowDays }],
    });
    expect(queries).toMatchObject([
      { ...week(FROM, null), until: FROM + WEEK_MS },
      { ...week(FROM + WEEK_MS, null), until: FROM + 2 * WEEK_MS },
      { ...week(FROM, 14), until: FROM + 2 * WEEK_MS },
    ]);
    expect(report).toMatchObject({ from: FROM, comparedWith: null, changes: [] });
    expect(report!.weeks).toMatchObject([
      { from: FROM, to: FROM + WEEK_MS, users: { control: 500, treatment: 5_000 }, isWithheld: false },
      { from: FROM + WEEK_MS, to: FROM + 2 * WEEK_MS },
    ]);
    expect(report!.weeks[0]!.rows).toMatchObject([
      { metric: "m", controlValue: 10, treatmentValue: 11, effect: 1, relativeEffect: 0.1 },
    ]);
  });

  test("has a row from as many users as a night needs", async () => {
    const rowsOf = async (held: number) => {
      const { report } = await reportOf({ now: FROM + WEEK_MS + DAY_MS, users: [held, 10 * held, 0] });
      return report!.weeks[0]!.rows.length;
    };
    expect([await rowsOf(199), await rowsOf(200)]).toEqual([0, 1]);
  });

  test("keeps the weeks that it has, but not those of another holdback", async () => {
    const { report } = await reportOf({ now: FROM + WEEK_MS + DAY_MS });
    const now = FROM + 2 * WEEK_MS + DAY_MS;
    const next = await reportOf({ now, report, users: [600, 6_000, 0] });
    expect(next.report!.weeks.map(({ users }) => users.control)).toEqual([500, 600]);
    expect(next.queries).toHaveLength(2);
    const other = await reportOf({ now, report: { ...report!, from: FROM - 1 } });
    expect(other.queries).toHaveLength(3);
  });

  test("withholds a week whose split is not that of the buckets, and leaves out who is not compared", async () => {
    const { report } = await reportOf({ now: FROM + WEEK_MS + DAY_MS, users: [700, 5_000, 0] });
    expect(report!.weeks[0]).toMatchObject({ isWithheld: true, rows: [] });
    const { report: mixed } = await reportOf({ now: FROM + WEEK_MS + DAY_MS, users: [500, 5_000, 900] });
    expect(mixed!.weeks[0]).toMatchObject({
      isWithheld: false,
      users: { control: 500, treatment: 5_000 },
      rows: [{ metric: "m" }],
    });
  });

  test.each([
    { of: "a holdback that lasts", holdback: {}, isStopped: false, verdict: null },
    { of: "one that ended", holdback: { to: FROM + WEEK_MS }, isStopped: false, verdict: "smaller" },
    { of: "a stopped experiment", holdback: { to: FROM + WEEK_MS }, isStopped: true, verdict: "smaller" },
    { of: "one whose last week is not over", holdback: { to: FROM + 8 * DAY_MS }, verdict: null },
  ])("compares the lift of $of with that of the last night before it", async ({ verdict, ...given }) => {
    const row = (treatment: string, lift: number) => ({
      ...{ metric: "m", metricVersion: 1, control: "control", treatment },
      ...{ relativeEffect: lift, relativeCiLow: lift - 0.01, relativeCiHigh: lift + 0.01 },
    });
    const results = { "m::other": row("other", 0.9), "m::treatment": row("treatment", 0.5) };
    const night = { body: { computedFor: "2026-08-31", results } } as unknown as StoredRun;
    const { report, asked } = await reportOf({
      ...{ now: FROM + WEEK_MS + DAY_MS, nights: [night] },
      ...given,
    });
    expect(asked).toEqual([{ day: "2026-09-01", limit: 1 }]);
    expect(report).toMatchObject({ comparedWith: "2026-08-31", changes: [{ liftThen: 0.5, verdict }] });
  });
});
