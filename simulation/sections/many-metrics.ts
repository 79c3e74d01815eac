import type { MetricResult } from "@assay/domain";
import { createWholeRun, toUserValues } from "../assay/whole-run.ts";
import { type Cell, meanShare, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";

const METRICS = 10;
const ARMS = ["control", "a", "b", "c"];
const ROWS = METRICS * (ARMS.length - 1);

/** A kind of metric, and how many users an arm has. */
interface MetricKind {
  readonly kind: "mean" | "binary";
  readonly users: number;
  /** Of a row with a true effect. */
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

/** Of the rows called significant: which part is none, and of which part the interval misses the true effect. */
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

export const manyMetrics: Section = {
  id: "many-metrics",
  title: "Many metrics: false discoveries of whole runs",
  text: `Whole runs (\`analyze\`) of ${METRICS} metrics and ${ARMS.length - 1} treatments that share one control: ${ROWS} rows, corrected as one family (Benjamini & Hochberg).
*False discoveries*: the part of the significant rows that have no effect, on average over runs (0 when nothing is significant);
it must be at most 5 %. *False intervals*: the part of the significant rows whose interval misses the true effect. Selected rows
look better than they are, so their plain 95 % intervals miss too often; the selection-adjusted ones must not.`,
  tables: [
    {
      caption: "Runs of thirty rows",
      heads: ["kind", "rows with an effect", "users per arm"],
      cells: KINDS.flatMap((kind) => [0, 3, 10].map((moved) => familyCell(kind, moved))),
    },
  ],
  figures: () => [],
};
