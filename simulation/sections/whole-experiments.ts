import type { ExperimentResults, MetricDefinition } from "@assay/domain";
import { type Course, NIGHTS, wholeNights } from "../assay/whole-nights.ts";
import { type Cell, type Measure, mean, share } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";

/** Standard errors of an effect that one look at the end finds with 80% power. */
const FOUND = 2.8016;

/** A population of users' values: how to draw control's values, and their mean and standard deviation. */
interface Population {
  readonly name: string;
  readonly kind: MetricDefinition["kind"];
  readonly usersPerDay: number;
  readonly mean: number;
  readonly sd: number;
  readonly value: (draw: Draw) => number;
  /** The value of a user of treatment when the mean is higher by the given amount. */
  readonly moved: (draw: Draw, effect: number) => number;
}

const share01 = (rate: number, usersPerDay: number): Population => ({
  name: `binary ${rate * 100} %`,
  ...{ kind: "binary", usersPerDay, mean: rate, sd: Math.sqrt(rate * (1 - rate)) },
  value: (draw) => Number(draw.chance(rate)),
  moved: (draw, effect) => Number(draw.chance(rate + effect)),
});
const shifted = (
  name: string,
  { kind, usersPerDay, mean, sd }: Pick<Population, "kind" | "usersPerDay" | "mean" | "sd">,
  value: (draw: Draw) => number,
): Population => ({
  ...{ name, kind, usersPerDay, mean, sd, value },
  moved: (draw, effect) => value(draw) + effect,
});
const scaled = (
  name: string,
  of: Pick<Population, "usersPerDay" | "mean" | "sd">,
  value: (draw: Draw) => number,
): Population => ({
  ...{ name, kind: "mean", ...of, value },
  moved: (draw, effect) => value(draw) * (1 + effect / of.mean),
});

const NORMAL = shifted(
  "normal",
  { kind: "mean", usersPerDay: 40, mean: 10, sd: 1 },
  (draw) => 10 + draw.normal(),
);
const LOGNORMAL = scaled(
  "lognormal, σ 2",
  { usersPerDay: 60, mean: Math.exp(2), sd: Math.exp(2) * Math.sqrt(Math.exp(4) - 1) },
  (draw) => Math.exp(2 * draw.normal()),
);
const REVENUE = scaled(
  "revenue, 5 % pay",
  {
    usersPerDay: 60,
    mean: 0.05 * Math.exp(0.5),
    sd: Math.sqrt(0.05 * Math.exp(2) - (0.05 * Math.exp(0.5)) ** 2),
  },
  (draw) => (draw.chance(0.05) ? Math.exp(draw.normal()) : 0),
);
const ORDINAL = shifted(
  "ordinal 1 to 5",
  // P(T > C) + P(T = C) / 2 moves by about .28 for a step of one standard deviation; the target is fixed at .05.
  { kind: "ordinal", usersPerDay: 40, mean: 3, sd: Math.SQRT2 },
  (draw) => 1 + draw.below(5),
);
const RARE = share01(0.002, 400);
const POPULATIONS = [
  RARE,
  share01(0.05, 200),
  share01(0.5, 100),
  share01(0.998, 400),
  NORMAL,
  LOGNORMAL,
  REVENUE,
  ORDINAL,
];
const SPLITS = [0.5, 0.1, 0.05];

/** A night needs 200 users in the smaller arm, so unequal splits get more users. */
const LEAST_PER_DAY = 20;
const usersPerDayOf = ({ usersPerDay }: Population, treatmentShare: number) =>
  Math.max(usersPerDay, LEAST_PER_DAY / treatmentShare);

/** Effect that one look at the end finds with 80% power. */
function target(population: Population, treatmentShare: number): number {
  const { sd } = population;
  const users = usersPerDayOf(population, treatmentShare) * NIGHTS;
  return FOUND * sd * Math.sqrt(1 / (users * treatmentShare) + 1 / (users * (1 - treatmentShare)));
}

const readyOn = (nights: readonly ExperimentResults[]) =>
  nights.findIndex(({ decision }) => decision?.state === "ready-to-decide") + 1;

/** One primary metric; `effect` is the treatment's, in multiples of the target. */
function primary(population: Population, treatmentShare: number, effect: number): Course {
  const aim = target(population, treatmentShare);
  const { kind } = population;
  return {
    metric: { name: "primary", kind, role: "primary", targetEffect: Math.min(10, aim / population.mean) },
    value: (draw, arm) =>
      arm === "control" || effect === 0 ? population.value(draw) : population.moved(draw, effect * aim),
  };
}

function nothingCell(population: Population, treatmentShare: number): Cell {
  const courses = [primary(population, treatmentShare, 0)];
  return {
    id: `whole-experiments/nothing/${population.name}/${treatmentShare}`,
    labels: [population.name, `${100 - 100 * treatmentShare}/${100 * treatmentShare}`],
    repetitions: { long: 1_000, short: population === NORMAL && treatmentShare === 0.5 ? 10 : 0 },
    measures: [
      share("ready on any night", 0.025, "high"),
      share("losing on any night", 0.05, "high"),
      share("p_value_seq < .05 on any night", 0.05, "high"),
    ],
    observe: (draw) => {
      const nights = [
        ...wholeNights(
          { courses, usersPerDay: usersPerDayOf(population, treatmentShare), treatmentShare },
          draw,
        ),
      ];
      const last = nights.at(-1)!.results["primary::treatment"]?.pValueSeq ?? 1;
      const isLosing = nights.some(({ decision }) => decision?.state === "losing");
      return [Number(readyOn(nights) > 0), Number(isLosing), Number(last < 0.05)];
    },
  };
}

function effectCell(population: Population, treatmentShare: number): Cell {
  const courses = [primary(population, treatmentShare, 1)];
  const measures: readonly Measure[] = [
    share("ready by the planned end", 0.77, "low"),
    mean("nights to the decision, of those planned", 0.75, { side: "high", tolerance: 0.02 }),
  ];
  return {
    id: `whole-experiments/effect/${population.name}/${treatmentShare}`,
    labels: [population.name, `${100 - 100 * treatmentShare}/${100 * treatmentShare}`],
    repetitions: { long: 1_000, short: 0 },
    measures,
    observe: (draw) => {
      const nights = [
        ...wholeNights(
          { courses, usersPerDay: usersPerDayOf(population, treatmentShare), treatmentShare },
          draw,
        ),
      ];
      const on = readyOn(nights);
      return [Number(on > 0), (on > 0 ? on : NIGHTS) / NIGHTS];
    },
  };
}

/** Equal quality, and a fifth less cost. The planned weeks can decide about the margin; a begun week counts as a whole one. */
const SAVING_DAYS = 25;
const quality = share01(0.7, 200);
const margin = target(quality, 0.5) * Math.sqrt(NIGHTS / SAVING_DAYS);
const savingCell = (
  effect: number,
  id: string,
  measure: Measure,
  isMet: (nights: readonly ExperimentResults[]) => boolean,
): Cell => ({
  id: `whole-experiments/${id}`,
  labels: [id],
  repetitions: { long: 1_000, short: 0 },
  measures: [measure],
  observe: (draw) => {
    const courses: readonly Course[] = [
      {
        metric: { name: "quality", kind: "binary", role: "primary", margin, targetEffect: 0.05 },
        value: (d, arm) => Number(d.chance(arm === "control" ? 0.7 : 0.7 + effect * margin)),
      },
      {
        metric: {
          ...{ name: "cost", kind: "mean", role: "secondary", desired: "decrease", targetEffect: 0.2 },
          ...{
            category: "cost",
            source: { event: "model_call", field: "cost_usd" },
            methodDefault: "welch_t",
          },
        },
        value: (d, arm) => (arm === "control" ? 1 : 0.8) * Math.exp(d.normal() / 2),
      },
    ];
    return [
      Number(
        isMet([...wholeNights({ courses, usersPerDay: quality.usersPerDay, treatmentShare: 0.5 }, draw)]),
      ),
    ];
  },
});

const alarmCell: Cell = {
  id: "whole-experiments/alarms",
  labels: ["four guardrails, no effect"],
  repetitions: { long: 2_000, short: 20 },
  measures: [share("an alarm on any night", 0.05, "high")],
  observe: (draw) => {
    const rate = share01(0.2, 100);
    const courses = ["primary", "g1", "g2", "g3", "g4"].map(
      (name): Course => ({
        metric: { name, kind: "binary", role: name === "primary" ? "primary" : "guardrail" },
        value: rate.value,
      }),
    );
    const nights = wholeNights({ courses, usersPerDay: rate.usersPerDay, treatmentShare: 0.5 }, draw);
    return [Number([...nights].some(({ decision }) => (decision?.alarms.length ?? 0) > 0))];
  },
};

const pairs = (cell: (population: Population, treatmentShare: number) => Cell) =>
  POPULATIONS.flatMap((population) => SPLITS.map((split) => cell(population, split)));

export const wholeExperiments: Section = {
  id: "whole-experiments",
  title: "Whole experiments",
  text: `These experiments last ${NIGHTS} nights and use the real run and the rule of the decision plan: group-sequential looks, a minimum run of a
week, a horizon of four weeks. Each night has the results of the previous nights. "On any night" covers people who act on the first
alarm and people who never stop. The target is the effect that one look at the end finds with 80 % power.`,
  tables: [
    { caption: "No effect", heads: ["values", "split"], cells: pairs(nothingCell) },
    {
      caption: "The target effect",
      heads: ["values", "split"],
      cells: [share01(0.05, 200), share01(0.5, 100), NORMAL].flatMap((population) =>
        [0.5, 0.1].map((split) => effectCell(population, split)),
      ),
    },
    {
      caption: "A margin, and a cost a fifth lower",
      heads: ["truth"],
      cells: [
        savingCell(
          0,
          "equal quality",
          share("ready by the planned end", 0.8, "low"),
          (nights) => readyOn(nights) > 0,
        ),
        savingCell(-1, "worse by the margin", share("not worse, on any night", 0.025, "high"), (nights) =>
          nights.at(-1)!.decision!.evidence.some((one) => one.kind === "not-worse" && one.metOn !== null),
        ),
      ],
    },
    { caption: "False alarms", heads: ["experiment"], cells: [alarmCell] },
  ],
  figures: () => [],
};
