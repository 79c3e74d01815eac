import { createMetric } from "@assay/domain";
import { type ArmData, compareArms } from "@assay/pipeline";
import { ratioMomentsOf, type TestOutcome } from "@assay/stats";
import { type Cell, type Measure, share, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";
import { holds, rejects } from "./comparison.ts";

const SECTION = "cost-per-task";
const PERMUTATIONS = 199;
/** A failed run costs this many times as much on average, because it continues until it gives up. */
const COST_OF_FAILURE = 1.5;
/** Log-normal costs with a mean of 1: a few runs cost several times the others. */
const SIGMA = 0.8;

/** Agents' runs of an arm. */
interface RunsDesign {
  readonly perArm: number;
  /** The unit: a run, or a user with one to five runs. */
  readonly unit: "user" | "run";
  /** The share of runs that complete their task, by arm. */
  readonly done: { readonly control: number; readonly treatment: number };
}

const costOfTask = (done: number) => (done + (1 - done) * COST_OF_FAILURE) / done;

function drawArm(draw: Draw, { perArm, unit }: RunsDesign, done: number): ArmData {
  const [y, d] = [new Float64Array(perArm), new Float64Array(perArm)];
  for (let i = 0; i < perArm; i++) {
    const runs = unit === "run" ? 1 : 1 + draw.below(5);
    for (let run = 0; run < runs; run++) {
      const isDone = draw.chance(done);
      const cost = Math.exp(SIGMA * draw.normal() - SIGMA ** 2 / 2);
      y[i]! += isDone ? cost : COST_OF_FAILURE * cost;
      d[i]! += Number(isDone);
    }
  }
  const unknown = y.map(() => Number.NaN);
  const values = { type: "values", y, d, preY: unknown, preD: unknown } as const;
  return { users: perArm, moments: ratioMomentsOf(values), values, bins: null };
}

const TESTS = ["ratio_delta", "permutation", "cluster_bootstrap"] as const;

/** Compares the arms in the same way as a night compares the cost per completed task. */
function compareRuns(draw: Draw, design: RunsDesign): readonly (TestOutcome | null)[] {
  const { control, treatment } = design.done;
  const stratum = {
    control: drawArm(draw, design, control),
    treatment: drawArm(draw, design, treatment),
  };
  return TESTS.map((methodDefault) => {
    const metric = createMetric({
      ...{ name: "cost_per_task", kind: "ratio", category: "cost", methodDefault, metricVersion: 1 },
      ...{ sharedOrgWide: false, source: { event: "run", field: "cost_usd" } },
    });
    return compareArms(metric, [stratum], { permutations: PERMUTATIONS, seed: draw.seed() })?.outcome ?? null;
  });
}

interface RunsCell {
  readonly name: string;
  readonly measures: readonly Measure[];
  readonly observe: (outcome: TestOutcome | null, design: RunsDesign) => number | null;
}

const percent = (rate: number) => `${Math.round(100 * rate)}%`;

function cellOf(design: RunsDesign, { name, measures, observe }: RunsCell): Cell {
  const { perArm, unit, done } = design;
  const shares = [done.control, done.treatment].map(percent);
  return {
    id: `${SECTION}/${name}/${unit}/${perArm}/${shares.join("-")}`,
    labels: [unit, `${perArm}`, ...shares],
    repetitions: { long: 1_000, short: 8 },
    measures,
    observe: (draw) => compareRuns(draw, design).map((outcome) => observe(outcome, design)),
  };
}

const FALSE_POSITIVES: RunsCell = {
  name: "false-positives",
  measures: TESTS.map((test) => share(test, 0.05)),
  observe: rejects,
};

/** The bootstrap is shown, not judged: 199 replicates are rough, and it is not the default. */
const COVERAGE: RunsCell = {
  name: "coverage",
  measures: [
    share("ratio_delta", 0.95, "low"),
    share("permutation", 0.95, "low"),
    shownShare("cluster_bootstrap"),
  ],
  observe: (outcome, { done }) =>
    outcome && holds(outcome.ciLow, outcome.ciHigh, costOfTask(done.treatment) - costOfTask(done.control)),
};

/** The permutation's interval is shown, not judged: as the dual of its p-value, it is too narrow if the arms differ a lot. */
const LARGE_EFFECTS: RunsCell = {
  ...COVERAGE,
  name: "large-effects",
  measures: [share("ratio_delta", 0.95, "low"), shownShare("permutation"), shownShare("cluster_bootstrap")],
};

const equal = (perArm: number, unit: RunsDesign["unit"], rate: number): RunsDesign => ({
  ...{ perArm, unit, done: { control: rate, treatment: rate } },
});

const DESIGNS: readonly RunsDesign[] = [
  equal(200, "user", 0.7),
  equal(200, "user", 0.3),
  equal(200, "run", 0.7),
  equal(400, "run", 0.3),
  equal(2_000, "run", 0.1),
];

const HEADS = ["unit", "per arm", "tasks done, control", "treatment"];

export const costPerTask: Section = {
  id: SECTION,
  title: "Cost per task done",
  text: `An agent's run costs 1 on average (log-normal, σ 0.8), or 1.5 if it fails its task. The cost per task done is the cost of all runs
divided by the number of runs that did their task. Many units therefore have a cost but no task. If the unit is the run, these are the
failed runs. If the unit is the user, with one to five runs, these are the users whose runs all failed.

In the second and third table, the arms may do unequal shares of their tasks, and the intervals should contain the difference between
the true costs per task. The interval of a permutation test excludes 0 exactly when p is at most .05. For this it uses the standard
error of arms that do not differ. When one arm does many more tasks, that standard error is too small: the effect is then certain, but
the interval is too narrow. \`ratio_delta\` uses each arm's own standard error.`,
  tables: [
    {
      caption: "Cost per task done: rejections without an effect",
      heads: HEADS,
      cells: DESIGNS.map((design) => cellOf(design, FALSE_POSITIVES)),
    },
    {
      caption: "Cost per task done: intervals that hold the true difference",
      heads: HEADS,
      cells: [
        ...DESIGNS.map((design) => cellOf(design, COVERAGE)),
        cellOf({ perArm: 200, unit: "user", done: { control: 0.3, treatment: 0.33 } }, COVERAGE),
        cellOf({ perArm: 400, unit: "run", done: { control: 0.3, treatment: 0.33 } }, COVERAGE),
        cellOf({ perArm: 30, unit: "user", done: { control: 0.5, treatment: 0.55 } }, COVERAGE),
      ],
    },
    {
      caption: "Cost per task done, a third to a half lower: intervals that hold the true difference",
      heads: HEADS,
      cells: [
        cellOf({ perArm: 200, unit: "user", done: { control: 0.3, treatment: 0.5 } }, LARGE_EFFECTS),
        cellOf({ perArm: 400, unit: "run", done: { control: 0.3, treatment: 0.5 } }, LARGE_EFFECTS),
        cellOf({ perArm: 30, unit: "user", done: { control: 0.5, treatment: 0.7 } }, LARGE_EFFECTS),
      ],
    },
  ],
  figures: () => [],
};
