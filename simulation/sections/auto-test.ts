import type { UserBins, UserValues } from "@assay/domain";
import {
  createWholeRun,
  type SimulatedMetric,
  toPairValues,
  toUserBins,
  toUserValues,
} from "../assay/whole-run.ts";
import { type Cell, type Side, share } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { callingUsers, latencySums, type ReturningUser, returningUsers } from "../populations/calls.ts";
import { balanced, type Design, drawStrata, ramp, unbalanced } from "../populations/design.ts";
import * as users from "../populations/per-user.ts";
import type { Population } from "../populations/population.ts";
import { dotPlot } from "../report/dot-plot.ts";

interface AutoCase<U> {
  readonly metric: Omit<SimulatedMetric, "name">;
  /** The test that `auto` should choose. */
  readonly runs: string;
  readonly population: Population<U>;
  readonly design: Design;
  readonly toSample: (users: readonly U[]) => UserValues | UserBins;
  readonly side?: Side;
}

/** Defines the cell of a whole run over one metric: gate, choice of the test, test. */
function autoCell<U>({ metric, runs, population, design, toSample, side = "both" }: AutoCase<U>): Cell {
  const name = "m";
  const run = createWholeRun([{ name, ...metric }], ["control", "treatment"]);
  return {
    id: `auto/${metric.kind}-${runs.replaceAll(/[^a-z0-9]+/gi, "-")}-${design.periods.length}`,
    labels: [metric.kind, runs, population.name, design.name],
    repetitions: { long: 4_000, short: 60 },
    measures: [share("p ≤ .05", 0.05, side)],
    observe: (draw) => {
      const strata = drawStrata(draw, design, population.user);
      const arms = strata.flatMap(({ control, treatment }, period) => [
        { arm: "control", period, metrics: [toSample(control)] },
        { arm: "treatment", period, metrics: [toSample(treatment)] },
      ]);
      const row = run(arms, draw.seed()).results[`${name}::treatment`];
      // A run with a different test says nothing about this one.
      return [row !== undefined && row.test === runs.split(" ")[0] ? Number(row.pValue <= 0.05) : null];
    },
  };
}

function toReturning(list: readonly ReturningUser[]): UserValues {
  const before = {
    preY: Float64Array.from(list, ({ x }) => x),
    preD: Float64Array.from(list, ({ xd }) => xd),
  };
  return { ...toPairValues(list), ...before };
}

const calling = callingUsers();

const cells: readonly Cell[] = [
  autoCell({
    metric: { kind: "mean" },
    runs: "permutation",
    population: users.revenueUsers(),
    design: unbalanced(1_800, 200),
    toSample: toUserValues,
  }),
  autoCell({
    metric: { kind: "mean" },
    runs: "permutation",
    population: users.driftingUsers(),
    design: ramp(1_000),
    toSample: toUserValues,
  }),
  autoCell({
    metric: { kind: "ratio" },
    runs: "permutation",
    population: latencySums(calling),
    design: balanced(300),
    toSample: toPairValues,
  }),
  autoCell({
    metric: { kind: "ratio" },
    runs: "permutation of CUPED",
    population: returningUsers(),
    design: balanced(300),
    toSample: toReturning,
  }),
  autoCell({
    metric: { kind: "binary" },
    runs: "two_proportion_z",
    population: users.convertingUsers(0.1),
    design: balanced(500),
    toSample: toUserValues,
  }),
  autoCell({
    metric: { kind: "binary" },
    runs: "fisher_exact",
    population: users.convertingUsers(0.01),
    design: balanced(300),
    toSample: toUserValues,
    side: "high",
  }),
  autoCell({
    metric: { kind: "binary" },
    runs: "permutation",
    population: users.convertingUsers(0.02),
    design: ramp(300),
    toSample: toUserValues,
    side: "high",
  }),
  autoCell({
    metric: { kind: "quantile", quantile: 0.5 },
    runs: "cluster_quantile",
    population: calling,
    design: balanced(400),
    toSample: toUserBins,
  }),
  autoCell({
    metric: { kind: "ordinal" },
    runs: "mann_whitney_u",
    population: users.scoredUsers(),
    design: balanced(300),
    toSample: toUserValues,
  }),
];

export const autoTest: Section = {
  id: "auto",
  title: "The test that `auto` chooses, through the whole pipeline",
  text: `These are whole nightly runs (\`analyze\`) over one metric. A run checks the traffic split, chooses the test from counts alone,
applies CUPED if users have earlier data, stratifies if the allocation changed, and runs the test.`,
  tables: [
    { caption: "Rejections without an effect", heads: ["kind", "test that ran", "users", "per arm"], cells },
  ],
  figures: (rows) => [
    {
      file: "auto.svg",
      alt: "False-positive rate of whole runs by kind of metric, with the band it has to keep",
      svg: dotPlot(
        "False positives of whole runs: figure and 99.9 % band",
        rows.filter(({ cell }) => cells.includes(cell)),
      ),
    },
  ],
};
