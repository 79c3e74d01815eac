import type { MetricResult } from "@assay/domain";
import {
  adjustFdr,
  momentsOf,
  selectionAdjusted,
  selectionLevel,
  type TestOutcome,
  twoProportionZ,
  welchT,
} from "@assay/stats";
import { createWholeRun, toUserValues } from "../assay/whole-run.ts";
import { type Cell, meanShare, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";

const METRICS = 10;
const ARMS = ["control", "a", "b", "c"];
const ROWS = METRICS * (ARMS.length - 1);

/** A kind of metric, and the number of users per arm. */
interface MetricKind {
  readonly kind: "mean" | "binary";
  readonly users: number;
  /** For a row with a true effect. */
  readonly effect: number;
  readonly drawUser: (draw: Draw, effect: number) => number;
}

const KINDS: readonly MetricKind[] = [
  { kind: "mean", users: 200, effect: 0.35, drawUser: ({ normal }, effect) => effect + normal() },
  {
    kind: "binary",
    users: 400,
    effect: 0.12,
    drawUser: ({ chance }, effect) => Number(chance(0.3 + effect)),
  },
];

function familyCell({ kind, users, effect, drawUser }: MetricKind, moved: number): Cell {
  const metrics = Array.from({ length: METRICS }, (_, k) => ({ name: `m${k}`, kind }));
  const run = createWholeRun(metrics, ARMS);
  // Rows are numbered metric by metric, treatment by treatment; the first `moved` of them have an effect.
  const effectOf = (metric: number, arm: number) =>
    arm > 0 && metric * (ARMS.length - 1) + arm - 1 < moved ? effect : 0;
  const drawArm = (draw: Draw, arm: number) =>
    metrics.map((_, metric) =>
      toUserValues(Array.from({ length: users }, () => drawUser(draw, effectOf(metric, arm)))),
    );
  return {
    id: `many-metrics/${kind}-${moved}`,
    labels: [kind, `${moved} of ${ROWS}`, String(users)],
    repetitions: { long: kind === "mean" ? 1_000 : 2_000, short: 5 },
    measures: [
      meanShare("false discoveries", 0.05),
      meanShare("false intervals, selection-adjusted", 0.05),
      shownShare("false intervals, 95 %"),
      shownShare("true effects found"),
    ],
    observe: (draw) => {
      const arms = ARMS.map((arm, index) => ({ arm, period: 0, metrics: drawArm(draw, index) }));
      const { results } = run(arms, draw.seed());
      const rows = metrics.flatMap(({ name }, metric) =>
        ARMS.slice(1).map((arm, index) => ({
          row: results[`${name}::${arm}`]!,
          effect: effectOf(metric, index + 1),
        })),
      );
      return judgeRun(rows, moved);
    },
  };
}

interface KnownRow {
  readonly row: MetricResult;
  readonly effect: number;
}

/** Returns the share of significant rows that have no effect, and the share whose interval misses the true effect. */
function judgeRun(rows: readonly KnownRow[], moved: number): readonly (number | null)[] {
  const found = rows.filter(({ row }) => row.significant);
  const part = (isSuch: (known: KnownRow) => boolean) =>
    found.filter(isSuch).length / Math.max(1, found.length);
  const misses = (low: number | null, high: number | null, effect: number) =>
    low === null || high === null || effect < low || effect > high;
  return [
    part(({ effect }) => effect === 0),
    part(({ row, effect }) => misses(row.ciSelectedLow, row.ciSelectedHigh, effect)),
    part(({ row, effect }) => misses(row.ciLow, row.ciHigh, effect)),
    moved === 0 ? null : found.filter(({ effect }) => effect !== 0).length / moved,
  ];
}

/** A closed form whose interval is selected among comparisons of few users. */
interface SmallRows {
  readonly test: string;
  readonly users: number;
  /** The unit of the true effects. */
  readonly step: number;
  readonly compare: (draw: Draw, users: number, effect: number) => TestOutcome;
}

const EFFECTS_IN_STEPS = [0, 0, 0, 0, 0, 1, 2, 3, 5, 8];

const SMALL_ROWS: readonly SmallRows[] = [
  { test: "welch_t", users: 10, step: 0.15, compare: compareNormal },
  { test: "welch_t", users: 60, step: 0.06, compare: compareNormal },
  { test: "two_proportion_z, rate .05", users: 400, step: 0.008, compare: compareRare },
];

function compareNormal({ normal }: Draw, users: number, effect: number): TestOutcome {
  const arm = (mean: number) => momentsOf(Float64Array.from({ length: users }, () => mean + normal()));
  return welchT([{ control: arm(0), treatment: arm(effect) }])!;
}

function compareRare({ chance }: Draw, users: number, effect: number): TestOutcome {
  const arm = (rate: number) => ({
    n: users,
    successes: Array.from({ length: users }, () => chance(rate)).filter(Boolean).length,
  });
  return twoProportionZ([{ control: arm(0.05), treatment: arm(0.05 + effect) }])!;
}

/** Defines the cell of ten comparisons, half of them without an effect, each with its own users. */
function smallCell({ test, users, step, compare }: SmallRows): Cell {
  return {
    id: `many-metrics/small-${test.replaceAll(/[^a-z0-9]+/gi, "-")}-${users}`,
    labels: [test, String(users)],
    repetitions: { long: 4_000, short: 200 },
    measures: [meanShare("false intervals, selection-adjusted", 0.05), shownShare("false intervals, 95 %")],
    observe: (draw) => {
      const rows = EFFECTS_IN_STEPS.map((steps) => {
        const effect = steps * step;
        return { effect, outcome: compare(draw, users, effect) };
      });
      const pValues = adjustFdr(rows.map(({ outcome }) => outcome.pValue));
      const selected = rows.filter((_, index) => pValues[index]! < 0.05);
      const missed = (level: number) =>
        selected.filter(({ effect, outcome }) => {
          const { ciLow, ciHigh } = selectionAdjusted(outcome, level)!;
          return effect < ciLow || effect > ciHigh;
        }).length / Math.max(1, selected.length);
      return [
        missed(selected.length === 0 ? 0.95 : selectionLevel(selected.length, rows.length)),
        missed(0.95),
      ];
    },
  };
}

export const manyMetrics: Section = {
  id: "many-metrics",
  title: "Many metrics: false discoveries of whole runs",
  text: `These are whole runs (\`analyze\`) with ${METRICS} metrics and ${ARMS.length - 1} treatments that share one control: ${ROWS} rows, corrected as one
family (Benjamini & Hochberg).

- *False discoveries*: the share of significant rows that have no effect, averaged over runs (0 when nothing is significant).
  It must be at most 5 %.
- *False intervals*: the share of significant rows whose interval misses the true effect. Selected rows look better than they
  are, so their plain 95 % intervals miss too often. The selection-adjusted intervals must not.`,
  tables: [
    {
      caption: "Runs of thirty rows",
      heads: ["kind", "rows with an effect", "users per arm"],
      cells: KINDS.flatMap((kind) => [0, 3, 10].map((moved) => familyCell(kind, moved))),
    },
    {
      caption: "Ten rows of few users, five of them with an effect",
      heads: ["test", "users per arm"],
      cells: SMALL_ROWS.map(smallCell),
    },
  ],
  figures: () => [],
};
