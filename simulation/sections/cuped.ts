import {
  cupedMeans,
  cupedRatios,
  momentsOf,
  powerOf,
  ratioDelta,
  ratioMomentsOf,
  welchT,
} from "@assay/stats";
import { type Cell, mean, power, share } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { type ReturningUser, returningUsers } from "../populations/calls.ts";
import { balanced, drawStrata, mapStrata } from "../populations/design.ts";
import type { Draw } from "../random/draw.ts";
import { rejects } from "./comparison.ts";

const USERS = 200;
const EFFECT = 0.2;

interface Covariate {
  /** Correlation between the outcome and the same metric before the experiment. */
  readonly correlation: number;
  /** Share of users with data from before. */
  readonly coverage: number;
}

/** Defines the cell of a metric with mean 0 and variance 1. */
function cupedCell(covariate: Covariate): Cell {
  const { correlation, coverage } = covariate;
  const factor = 1 - coverage * correlation ** 2;
  const theory = powerOf({ effect: EFFECT, standardError: Math.sqrt((2 * factor) / USERS) });
  return {
    id: `cuped/r${correlation}-of-${coverage}`,
    labels: [`mean, r = ${correlation}`, `${100 * coverage} %`, `${USERS} / ${USERS}`],
    repetitions: { long: 4_000, short: 150 },
    measures: [
      // θ is fitted to the same users, which lowers the variance by about 1 / users.
      mean("variance ÷ unadjusted", factor, { tolerance: 0.01 }),
      share("p ≤ .05 without effect", 0.05),
      power(`found at d = ${EFFECT}`, theory),
    ],
    observe: (draw) => {
      const still = compareAdjusted(draw, covariate, 0);
      const moved = compareAdjusted(draw, covariate, EFFECT);
      return [still.factor, rejects(still.outcome), rejects(moved.outcome)];
    },
  };
}

function compareAdjusted(draw: Draw, covariate: Covariate, effect: number) {
  const strata = [{ control: drawArm(draw, covariate, 0), treatment: drawArm(draw, covariate, effect) }];
  const before = welchT(mapStrata(strata, ({ y }) => momentsOf(y)))!;
  const adjusted = cupedMeans(strata);
  if (adjusted === null) return { factor: null, outcome: null };
  const outcome = welchT(mapStrata(adjusted.strata, momentsOf))!;
  return { factor: (outcome.standardError! / before.standardError!) ** 2, outcome };
}

function drawArm({ normal, chance }: Draw, { correlation, coverage }: Covariate, effect: number) {
  const x = Float64Array.from({ length: USERS }, normal);
  const noise = Math.sqrt(1 - correlation ** 2);
  const y = x.map((before) => effect + correlation * before + noise * normal());
  return { y, x: x.map((before) => (chance(coverage) ? before : Number.NaN)) };
}

const RATIO_USERS = 500;

/** Latency per call, with the same users' earlier calls as covariate. */
const ratioCell: Cell = {
  id: "cuped/latency-ratio",
  labels: ["latency per call", "100 %", `${RATIO_USERS} / ${RATIO_USERS}`],
  repetitions: { long: 4_000, short: 150 },
  measures: [share("p ≤ .05 without effect", 0.05)],
  observe: (draw) => {
    const strata = mapStrata(drawStrata(draw, balanced(RATIO_USERS), returningUsers().user), toColumns);
    const adjusted = cupedRatios(strata);
    if (adjusted === null) return [null];
    const [{ control, treatment }, own] = [strata[0]!, adjusted.strata[0]!];
    const outcome = ratioDelta([
      {
        control: ratioMomentsOf({ y: own.control, d: control.d }),
        treatment: ratioMomentsOf({ y: own.treatment, d: treatment.d }),
      },
    ]);
    return [rejects(outcome)];
  },
};

function toColumns(users: readonly ReturningUser[]) {
  const column = (name: keyof ReturningUser) => Float64Array.from(users, (user) => user[name]);
  return { y: column("y"), d: column("d"), x: column("x"), xd: column("xd") };
}

const HEADS = ["metric", "known from before", "per arm"];

export const cuped: Section = {
  id: "cuped",
  title: "CUPED: outcomes adjusted for earlier data",
  text: `The variance must fall to 1 − r² (times the share of users with earlier data), and false positives must stay at one in twenty.
The power must rise to the value that theory gives for the smaller variance. With d = ${EFFECT} and ${USERS} users per arm, unadjusted
means find the effect in ${(100 * unadjustedPower()).toFixed(0)} % of the experiments. The limits for the variance are 0.01 and 3.29 standard errors.`,
  tables: [
    {
      caption: "Adjusted means",
      heads: HEADS,
      cells: [
        cupedCell({ correlation: 0.4, coverage: 1 }),
        cupedCell({ correlation: 0.7, coverage: 1 }),
        cupedCell({ correlation: 0.9, coverage: 1 }),
        cupedCell({ correlation: 0.7, coverage: 0.5 }),
      ],
    },
    { caption: "Adjusted ratios", heads: HEADS, cells: [ratioCell] },
  ],
  figures: () => [],
};

function unadjustedPower(): number {
  return powerOf({ effect: EFFECT, standardError: Math.sqrt(2 / USERS) });
}
