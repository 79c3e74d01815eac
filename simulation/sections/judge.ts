import { normalQuantile, powerOf, type TestOutcome } from "@assay/stats";
import { type JudgedRows, judgedRows } from "../assay/judged-rows.ts";
import { type Cell, type Measure, mean, power, share, shownMean, shownShare } from "../harness/cell.ts";
import type { Row, Section } from "../harness/section.ts";
import { balanced, type Design, drawStrata, ramp } from "../populations/design.ts";
import {
  busyUsers,
  GRADES,
  gradedUsers,
  type JudgedPopulation,
  PASSES,
  passingUsers,
} from "../populations/judged-calls.ts";
import type { Draw } from "../random/draw.ts";
import { linePlot } from "../report/line-plot.ts";
import { holds, rejects } from "./comparison.ts";

const SECTION = "judge";
const Z = normalQuantile(0.975);
const USERS = 2_000;
const REPETITIONS = { long: 4_000, short: 30 };

interface Judged {
  readonly population: JudgedPopulation;
  readonly design: Design;
  /** Per arm. */
  readonly labels: number;
}

function rowsOf(draw: Draw, { population, design, labels }: Judged): JudgedRows {
  return judgedRows(draw, drawStrata(draw, design, population.user), labels);
}

/** Variances of a score and a label of `gradedUsers`, and the covariance of both. */
const OF_SCORE = GRADES.quality ** 2 + GRADES.judge ** 2;
const OF_LABEL = GRADES.quality ** 2 + GRADES.person ** 2;
const OF_BOTH = GRADES.quality ** 2;

/**
 * Computes the standard errors of the differences of `gradedUsers` with this many labels per arm: PPI++ with the best λ
 * leaves 1 − r² / (1 + n / N) of the labels' variance.
 */
function standardErrors(labels: number) {
  const people = Math.sqrt((2 * OF_LABEL) / labels);
  const explained = OF_BOTH ** 2 / (OF_SCORE * OF_LABEL) / (1 + labels / (USERS - labels));
  return {
    judge: Math.sqrt((2 * OF_SCORE) / USERS),
    people,
    calibrated: people * Math.sqrt(1 - explained),
  };
}

const NO_EFFECT_HEADS = ["judge's bias", "per arm", "labels per arm"];

/** Grades without an effect, except for what the judge adds to the treatment's scores. */
function biasCell(bias: number): Cell {
  const judged = { population: gradedUsers({ bias }), design: balanced(USERS), labels: 150 };
  const { judge } = standardErrors(judged.labels);
  return {
    id: `${SECTION}/bias-${bias}`,
    labels: [`${bias}`, "2000 / 2000", "150"],
    repetitions: REPETITIONS,
    measures: [
      power("judge alone: p ≤ .05", powerOf({ effect: bias, standardError: judge })),
      share("PPI++: p ≤ .05", 0.05),
      share("people alone: p ≤ .05", 0.05),
    ],
    observe: (draw) => rejections(rowsOf(draw, judged)),
  };
}

const rejections = ({ judge, calibrated, people }: JudgedRows) => [judge, calibrated, people].map(rejects);

/** Other calls and other numbers of labels, with a judge biased towards the treatment, without an effect. */
function nullCell(judged: Judged): Cell {
  const { population, design, labels } = judged;
  return {
    id: `${SECTION}/null/${idOf(judged)}`,
    labels: [population.name, design.name, `${labels}`],
    repetitions: REPETITIONS,
    measures: [
      shownShare("judge alone: p ≤ .05"),
      share("PPI++: p ≤ .05", 0.05),
      share("people alone: p ≤ .05", 0.05),
    ],
    observe: (draw) => rejections(rowsOf(draw, judged)),
  };
}

function idOf({ population, design, labels }: Judged): string {
  return `${[population.name, design.name].map((name) => name.replaceAll(/[^a-z0-9]+/g, "-")).join("/")}/${labels}`;
}

/** With fewer labels, fitting λ costs power that the theory for many labels does not include. */
const LABELS_OF_THEORY = 150;

const width = ({ ciLow, ciHigh }: TestOutcome) => ciHigh! - ciLow!;

/** Grades with an effect and an unbiased judge: what the scores add to the labels. */
function gainCell(labels: number, effect: number): Cell {
  const judged = { population: gradedUsers({ effect }), design: balanced(USERS), labels };
  const { calibrated, people } = standardErrors(labels);
  const found = (standardError: number) => powerOf({ effect, standardError });
  const ofPpi = "PPI++: found";
  // λ and the variances are fitted to the labels.
  const ofWidth = (name: string, standardError: number) =>
    mean(name, 2 * Z * standardError, { tolerance: (2 * Z * standardError) / labels });
  return {
    id: `${SECTION}/gain/${labels}`,
    labels: [`${effect}`, "2000 / 2000", `${labels}`],
    repetitions: REPETITIONS,
    measures: [
      ofWidth("PPI++: width", calibrated),
      ofWidth("people alone: width", people),
      labels < LABELS_OF_THEORY ? shownShare(ofPpi) : power(ofPpi, found(calibrated)),
      power("people alone: found", found(people)),
    ],
    observe: (draw) => {
      const rows = rowsOf(draw, judged);
      const outcomes = [rows.calibrated, rows.people];
      return [
        ...outcomes.map((outcome) => (outcome === null ? null : width(outcome))),
        ...outcomes.map(rejects),
      ];
    },
  };
}

/** The effect according to the judge and to PPI++, and how often their intervals contain the true one. */
function effectCell(judged: Judged): Cell {
  const { population, design, labels } = judged;
  const { effect, judgedEffect } = population;
  const seen: Measure = judgedEffect === effect ? share(JUDGE_HOLDS, 0.95) : shownShare(JUDGE_HOLDS);
  return {
    id: `${SECTION}/effect/${idOf(judged)}`,
    labels: [population.name, effect.toPrecision(3), design.name, `${labels}`],
    repetitions: REPETITIONS,
    measures: [
      mean("judge alone: effect", judgedEffect, { tolerance: 0.01 * effect }),
      mean("PPI++: effect", effect, { tolerance: 0.01 * effect }),
      seen,
      share("PPI++: interval holds it", 0.95),
      shownMean("λ"),
    ],
    observe: (draw) => {
      const rows = rowsOf(draw, judged);
      const outcomes = [rows.judge, rows.calibrated];
      return [
        ...outcomes.map((outcome) => outcome?.effect ?? null),
        ...outcomes.map((outcome) => outcome && holds(outcome.ciLow, outcome.ciHigh, effect)),
        rows.calibrated?.lambda.control ?? null,
      ];
    },
  };
}
const JUDGE_HOLDS = "judge alone: interval holds it";

const BIASES = [0, 0.005, 0.01, 0.02] as const;

export const judge: Section = {
  id: SECTION,
  title: "Judged answers, and people's labels that correct the judge",
  text: `A model judges answers, and people label some of them. *Judge alone* compares the scores, *people alone* the labels. *PPI++* is
the test \`ppi_z\`, which corrects the scores by the labels of the same arm. All three count users, and weight each call by 1 / the
probability that it was drawn.

The simulation assumes:

- *Grades*: the quality of an answer has a standard deviation of ${GRADES.quality}. A person's label differs from it with a standard deviation
  of ${GRADES.person}, a judge's score with one of ${GRADES.judge} (correlation ${correlation().toFixed(2)}). Both errors are normal. Each user makes one call.
- *Pass or fail*: ${100 * PASSES.good} % of the answers are good, and people recognize them. The judge passes ${100 * PASSES.ofGood} % of the good answers and ${100 * PASSES.ofBad} %
  of the bad ones.
- *Several calls per user*: one to three days of 1, 2, 4 or 8 calls, of which one or two are judged. Heavy users get worse answers.
- *Better later*: answers are better in the second of two allocation periods.
- Labeled calls are drawn at random from the judged calls. The judge's bias is ${BIASES.at(-1)}; with pass or fail, the judge passes 5 %
  more of the good answers.

If a judge prefers one arm's answers more than people do, by ${BIASES.at(-1)} on a scale from 0 to 1, nearly every experiment becomes
significant. Labels remove this bias, whatever its size. The scores then make the interval from the labels a third narrower. A
judge with equal random errors in both arms shrinks the effect instead, here to ${(PASSES.ofGood - PASSES.ofBad).toFixed(1)} of its size.

Widths and power are compared with the theory for the best λ. With fewer than ${LABELS_OF_THEORY} labels, fitting λ costs power; those figures
are shown, not judged.

Two cells with 50 labels were also run with 12,000 repetitions, outside these tables. PPI++ rejects in 5.75 % of them, both with
grades and with pass or fail. This is slightly too high, because λ and the variance come from the same few labels.`,
  tables: [
    {
      caption: "No effect: rejections by the judge's bias",
      heads: NO_EFFECT_HEADS,
      cells: BIASES.map(biasCell),
    },
    {
      caption: "No effect: other calls, fewer labels, a biased judge",
      heads: ["calls", "per arm", "labels per arm"],
      cells: [
        nullCell({ population: gradedUsers({ bias: 0.02 }), design: balanced(USERS), labels: 50 }),
        nullCell({ population: gradedUsers({ bias: 0.02 }), design: balanced(60), labels: 50 }),
        nullCell({ population: passingUsers({ bias: 0.05 }), design: balanced(USERS), labels: 50 }),
        nullCell({ population: passingUsers({ bias: 0.05 }), design: balanced(USERS), labels: 150 }),
        nullCell({ population: busyUsers({ bias: 0.02 }), design: balanced(800), labels: 50 }),
        nullCell({ population: busyUsers({ bias: 0.02 }), design: balanced(800), labels: 150 }),
        nullCell({ population: busyUsers({ bias: 0.02 }), design: balanced(200), labels: 300 }),
        nullCell({ population: gradedUsers({ bias: 0.02 }, 0.1), design: ramp(2_000), labels: 150 }),
      ],
    },
    {
      caption: "An effect and an unbiased judge: what scores add to labels",
      heads: ["true effect", "per arm", "labels per arm"],
      cells: [gainCell(150, 0.04), gainCell(50, 0.06), gainCell(500, 0.02)],
    },
    {
      caption: "The size of an effect",
      heads: ["calls", "true effect", "per arm", "labels per arm"],
      cells: [
        effectCell({
          population: gradedUsers({ effect: 0.04, bias: 0.02 }),
          design: balanced(USERS),
          labels: 150,
        }),
        effectCell({ population: passingUsers({ effect: 0.1 }), design: balanced(USERS), labels: 150 }),
        effectCell({ population: passingUsers({ effect: 0.1 }), design: balanced(USERS), labels: 50 }),
        effectCell({
          population: busyUsers({ effect: 0.1, bias: 0.02 }),
          design: balanced(800),
          labels: 150,
        }),
      ],
    },
  ],
  figures: (rows) => [
    {
      file: "judge.svg",
      alt: "Share of experiments without an effect that are called different, by the judge's bias: the judge alone rises to nearly all of them, PPI++ and people stay at 5 %",
      svg: linePlot({
        title: "False positives by the judge's bias",
        xLabel: "what the judge adds to the treatment's scores",
        series: ["judge alone", "PPI++", "people alone"].map((name, measure) => ({
          name,
          points: biasRows(rows).map(({ verdicts }, k) => [BIASES[k]!, verdicts[measure]!.tally.mean]),
        })),
        reference: { name: "5 %", y: 0.05 },
      }),
    },
  ],
};

function biasRows(rows: readonly Row[]): readonly Row[] {
  return BIASES.flatMap((bias) => rows.filter(({ cell }) => cell.id === `${SECTION}/bias-${bias}`));
}

function correlation(): number {
  return OF_BOTH / Math.sqrt(OF_SCORE * OF_LABEL);
}
