import {
  type AlwaysValid,
  adjustFdrByEvidence,
  alwaysValid,
  type Moments,
  mergeMoments,
  momentsOf,
  type TestOutcome,
  welchT,
} from "@assay/stats";
import { type Cell, type Measure, meanShare, share, shownShare } from "../harness/cell.ts";
import type { Row, Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";
import { linePlot } from "../report/line-plot.ts";
import { anyByDay, DAYS, SHOWN_DAYS } from "./daily.ts";

const USERS_PER_DAY = 100;
/** Effect that one look at the end finds with 80% power. */
const EFFECT = 0.075;

interface Look {
  readonly outcome: TestOutcome;
  readonly valid: AlwaysValid;
}

/** What is checked every day. */
interface Alarm {
  readonly id: string;
  readonly name: string;
  readonly effect: number;
  readonly measure: (name: string) => Measure;
  readonly sounds: (look: Look, effect: number) => boolean;
}

const mostly = (name: string) => share(name, 0.05, "high");

const ALARMS: readonly Alarm[] = [
  {
    id: "fixed",
    name: "p_value ≤ .05, no effect",
    effect: 0,
    measure: shownShare,
    sounds: ({ outcome }) => outcome.pValue <= 0.05,
  },
  {
    id: "always-valid",
    name: "p_value_seq ≤ .05, no effect",
    effect: 0,
    measure: mostly,
    sounds: ({ valid }) => valid.pValue <= 0.05,
  },
  {
    id: "interval",
    name: "always-valid interval misses the true effect",
    effect: EFFECT,
    measure: mostly,
    sounds: ({ valid }, effect) => effect < valid.ciLow || effect > valid.ciHigh,
  },
  {
    id: "found",
    name: "p_value_seq ≤ .05, with effect (its power)",
    effect: EFFECT,
    measure: shownShare,
    sounds: ({ valid }) => valid.pValue <= 0.05,
  },
];

function alarmCell({ id, name, effect, measure, sounds }: Alarm): Cell {
  return {
    id: `looks/${id}`,
    labels: [name],
    repetitions: { long: 4_000, short: 60 },
    measures: SHOWN_DAYS.map((day) => measure(`day ${day}`)),
    observe: (draw) => anyByDay(dailyLooks(draw, effect), (look) => sounds(look, effect)),
  };
}

/** Checks the users so far, day by day. */
function* dailyLooks({ normal }: Draw, effect: number): Generator<Look> {
  const values = (shift: number) =>
    momentsOf(Float64Array.from({ length: USERS_PER_DAY }, () => shift + normal()));
  let [control, treatment] = [NO_USERS, NO_USERS];
  for (let day = 1; day <= DAYS; day++) {
    control = mergeMoments(control, values(0));
    treatment = mergeMoments(treatment, values(effect));
    yield lookAt(control, treatment);
  }
}

const NO_USERS: Moments = { n: 0, mean: 0, m2: 0 };

function lookAt(control: Moments, treatment: Moments): Look {
  const outcome = welchT([{ control, treatment }])!;
  const { effect, standardError } = outcome;
  return {
    outcome,
    valid: alwaysValid({ effect, standardError: standardError!, n: control.n + treatment.n }),
  };
}

const METRICS = 10;
const MOVED = 3;

/** Ten metrics, three of them moved; the experiment stops on the first day with any e-BH finding. */
const evidenceCell: Cell = {
  id: "looks/e-bh",
  labels: [`${METRICS} metrics, ${MOVED} of them moved`],
  repetitions: { long: 2_000, short: 30 },
  measures: [meanShare("false discoveries among those found", 0.05), shownShare("stopped before the end")],
  observe: (draw) => {
    const metrics = Array.from({ length: METRICS }, (_, k) => dailyLooks(draw, k < MOVED ? 0.1 : 0));
    for (let day = 1; day <= DAYS; day++) {
      const looks = metrics.map((days) => days.next().value as Look);
      const found = adjustFdrByEvidence(looks.map(({ valid }) => valid.logEvidence)).map((p) => p < 0.05);
      const count = found.filter(Boolean).length;
      if (count > 0) return [found.slice(MOVED).filter(Boolean).length / count, Number(day < DAYS)];
    }
    return [0, 0];
  },
};

export const looks: Section = {
  id: "looks",
  title: "Looking every day",
  text: `${USERS_PER_DAY} users per arm arrive each day. The tables show the share of experiments with an alarm on or before a day. The first line
is a warning: if you stop as soon as \`p_value\` is small, you find something in a quarter of the experiments without an effect.
\`p_value_seq\` and its interval are valid at any number of looks, but have less power: one look on day ${DAYS} finds this effect
(d = ${EFFECT}) in 80 % of the experiments.`,
  tables: [
    { caption: "Alarms up to a day", heads: ["alarm"], cells: ALARMS.map(alarmCell) },
    {
      caption: "e-BH, stopped on the first day with a finding",
      heads: ["experiment"],
      cells: [evidenceCell],
    },
  ],
  figures: (rows) => [
    {
      file: "looks.svg",
      alt: "Share of experiments with an alarm by day: the fixed test climbs to over a quarter, the always-valid one stays below 5 %",
      svg: linePlot({
        title: "Alarms up to a day, looking every day",
        xLabel: "day",
        series: rows.flatMap(toSeries),
        reference: { name: "5 %", y: 0.05 },
      }),
    },
  ],
};

function toSeries({ cell, verdicts }: Row) {
  if (!["looks/fixed", "looks/always-valid", "looks/interval"].includes(cell.id)) return [];
  const points = verdicts.map(({ tally }, k) => [SHOWN_DAYS[k]!, tally.mean] as const);
  return [{ name: NAMES[cell.id]!, points }];
}

const NAMES: Readonly<Record<string, string>> = {
  "looks/fixed": "p_value ≤ .05",
  "looks/always-valid": "p_value_seq ≤ .05",
  "looks/interval": "interval misses the effect",
};
