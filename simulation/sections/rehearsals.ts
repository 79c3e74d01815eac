import type { RehearsalFacts, RehearsalReport, RehearsalRow } from "@assay/domain";
import { analyzeRehearsal } from "@assay/pipeline";
import { clusteredMean, studentTSf } from "@assay/stats";
import { type Cell, share, shownMean, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import {
  drawEdited,
  drawRecorded,
  type Edit,
  editedPreference,
  recordedEffect,
} from "../populations/recorded-answers.ts";
import { drawRehearsal, firstInputs, type Rehearsed, truePreference } from "../populations/rehearsals.ts";
import type { Draw } from "../random/draw.ts";

const SECTION = "rehearsals";
const ORDER_BIAS = 0.3;
/** With a margin this small, only the interval's upper end keeps equal arms from being called worse. */
const NO_MARGIN = 0.01;
/** Inputs between two looks of a rehearsal that may stop early. */
const LOOK = 20;

const rowOf = ({ rows }: RehearsalReport, treatment?: string) =>
  rows.find((row) => treatment === undefined || row.treatment === treatment)!;
const isOneWorse = ({ verdicts }: RehearsalReport) =>
  Number(verdicts.some(({ verdict }) => verdict === "worse"));
const isOneKept = ({ verdicts }: RehearsalReport) =>
  Number(verdicts.some(({ verdict }) => verdict === "not-worse"));
const holds = ({ ciLow, ciHigh }: RehearsalRow, truth: number) =>
  ciLow === null || ciHigh === null ? null : Number(ciLow <= truth && truth <= ciHigh);
const width = ({ ciLow, ciHigh }: RehearsalRow) => ciHigh! - ciLow!;

/** The p-value of the preference if a rehearsal always showed the treatment's answer first. */
function pValueOfOneOrder({ items, judgements }: RehearsalFacts): number {
  const values = { control: -1, tie: 0, treatment: 1 };
  const shown = judgements.filter(({ first }) => first === "treatment");
  const mean = clusteredMean(
    shown.map(({ preference }, i) => ({ ...items[i]!, weight: 1, value: values[preference] })),
  )!;
  return 2 * studentTSf(Math.abs(mean.mean) / mean.standardError, mean.df);
}

function orderCell(inputs: number): Cell {
  return {
    id: `${SECTION}/order/${inputs}`,
    labels: [`${inputs}`],
    repetitions: { long: 1_000, short: 20 },
    measures: [
      share("one order: called different", 0.5, "low"),
      share("both orders: p ≤ .05", 0.05, "high"),
      share("interval of the order bias holds .3", 0.95, "low"),
      shownShare("pairs that contradict each other"),
    ],
    observe: (draw) => {
      const facts = drawRehearsal(draw, { inputs, orderBias: ORDER_BIAS, margin: NO_MARGIN });
      const report = analyzeRehearsal(facts);
      const { low, high, inconsistentShare } = report.orderBias!;
      return [
        Number(pValueOfOneOrder(facts) <= 0.05),
        Number(rowOf(report).pValue! <= 0.05),
        Number(low <= ORDER_BIAS && ORDER_BIAS <= high),
        inconsistentShare,
      ];
    },
  };
}

interface Named extends Rehearsed {
  readonly name: string;
}

/** Looks at a rehearsal while it runs, and returns the reports. */
function looks(draw: Draw, rehearsed: Named): readonly RehearsalReport[] {
  const facts = drawRehearsal(draw, rehearsed);
  const counts = Array.from({ length: rehearsed.inputs / LOOK }, (_, look) => (look + 1) * LOOK);
  return counts.map((count) => analyzeRehearsal(firstInputs(facts, count)));
}

/** The look at which a rehearsal that may stop early ends. */
function lastLook(reports: readonly RehearsalReport[]): number {
  const enough = reports.findIndex(({ isEnough }) => isEnough);
  return enough === -1 ? reports.length - 1 : enough;
}

function idOf({ name }: Named): string {
  return name.replaceAll(/[^a-z0-9]+/g, "-");
}

function alikeCell(named: Named): Cell {
  return {
    id: `${SECTION}/alike/${idOf(named)}/${named.inputs}`,
    labels: [named.name, `${named.inputs}`],
    repetitions: { long: 1_000, short: 15 },
    measures: [share("a treatment called worse", 0.05, "high"), share("interval holds 0", 0.95, "low")],
    observe: (draw) => {
      const report = analyzeRehearsal(drawRehearsal(draw, { ...named, margin: NO_MARGIN }));
      return [isOneWorse(report), holds(rowOf(report), 0)];
    },
  };
}

function stoppedCell(named: Named): Cell {
  const truth = truePreference(named);
  const margin = truth < 0 ? -truth : 0.2;
  return {
    id: `${SECTION}/stops/${idOf(named)}/${named.inputs}`,
    labels: [named.name, `${named.inputs}`, truth.toFixed(3), margin.toFixed(3)],
    repetitions: { long: 1_000, short: 15 },
    measures: [
      share("a wrong verdict", 0.05, "high"),
      share("always-valid interval holds it at every look", 0.95, "low"),
      shownShare("stopped early"),
      shownShare("inputs used"),
    ],
    observe: (draw) => {
      const reports = looks(draw, { ...named, margin });
      const last = lastLook(reports);
      const always = reports.every((report) => {
        const { alwaysValidLow: low, alwaysValidHigh: high } = rowOf(report);
        return low !== null && high !== null && low <= truth && truth <= high;
      });
      const isWrong = truth < 0 ? isOneKept : isOneWorse;
      const isEarly = last < reports.length - 1;
      return [isWrong(reports[last]!), Number(always), Number(isEarly), (last + 1) / reports.length];
    },
  };
}

/** The treatment's true loss equals the margin, so a verdict of not worse is an error. */
function marginCell(named: Named): Cell {
  const margin = -truePreference(named);
  return {
    id: `${SECTION}/margin/${idOf(named)}/${named.inputs}`,
    labels: [named.name, `${named.inputs}`, margin.toFixed(3)],
    repetitions: { long: 1_000, short: 15 },
    measures: [share("called not worse", 0.025, "high")],
    observe: (draw) => [isOneKept(analyzeRehearsal(drawRehearsal(draw, { ...named, margin })))],
  };
}

function picksCell(named: Named & { readonly picks: number }): Cell {
  const truth = truePreference(named);
  return {
    id: `${SECTION}/picks/${idOf(named)}/${named.picks}/${named.effect ?? 0}`,
    labels: [named.name, `${named.inputs}`, `${named.picks}`, truth.toFixed(3)],
    repetitions: { long: 2_000, short: 15 },
    measures: [
      shownShare("judge alone: interval holds it"),
      share("corrected: interval holds it", 0.95, "low"),
      shownMean("judge alone: width"),
      shownMean("corrected: width"),
    ],
    observe: (draw) => {
      const facts = drawRehearsal(draw, named);
      const alone = rowOf(analyzeRehearsal({ ...facts, picks: [] }));
      const corrected = rowOf(analyzeRehearsal(facts));
      return [holds(alone, truth), holds(corrected, truth), width(alone), width(corrected)];
    },
  };
}

function orderedCell(inputs: number, mode: "pairwise" | "score"): Cell {
  return {
    id: `${SECTION}/recorded/${mode}/${inputs}`,
    labels: [mode, `${inputs}`],
    repetitions: { long: 200, short: 15 },
    measures: [
      share("verbose above base above concise", 0.8, "low"),
      shownShare("both differences significant"),
    ],
    observe: (draw) => {
      const report = analyzeRehearsal(drawRecorded(draw, { inputs, mode }));
      const [verbose, concise] = [rowOf(report, "verbose"), rowOf(report, "concise")];
      const isOrdered = verbose.effect! > 0 && concise.effect! < 0;
      return [Number(isOrdered), Number(isOrdered && verbose.isSignificant && concise.isSignificant)];
    },
  };
}

function scoredCell(inputs: number): Cell {
  const prompts = ["verbose", "concise"] as const;
  return {
    id: `${SECTION}/scored/${inputs}`,
    labels: [`${inputs}`],
    repetitions: { long: 200, short: 15 },
    measures: prompts.map((prompt) =>
      share(`${prompt}: interval holds ${recordedEffect(prompt).toFixed(4)}`, 0.95, "low"),
    ),
    observe: (draw) => {
      const report = analyzeRehearsal(drawRecorded(draw, { inputs, mode: "score" }));
      return prompts.map((prompt) => holds(rowOf(report, prompt), recordedEffect(prompt)));
    },
  };
}

const GATES = {
  /** Edits that are clearly harmless or clearly harmful. */
  clear: { inputs: 900, margin: 0.15, least: { verbose: 0, concise: 0.9 } },
  any: { inputs: 400, margin: 0.1, least: { verbose: 0, concise: 0 } },
} as const;

/** Draws an edit and rehearses it with two seeds. */
export function rehearseTwice(draw: Draw, kind: keyof typeof GATES) {
  const { least, ...gate } = GATES[kind];
  const prompt = draw.chance(0.5) ? "verbose" : "concise";
  const edit: Edit = { prompt, share: least[prompt] + (1 - least[prompt]) * draw.uniform() };
  const truth = editedPreference(edit);
  const verdicts = [1, 2].map(() => {
    const report = analyzeRehearsal(drawEdited(draw, edit, gate));
    return report.verdicts[0]!.verdict;
  });
  const isWrong = verdicts.some((verdict) =>
    truth < -gate.margin ? verdict === "not-worse" : truth >= 0 && verdict === "worse",
  );
  return { verdicts, isWrong };
}

function gateCell(kind: keyof typeof GATES): Cell {
  const { inputs, margin } = GATES[kind];
  const isClear = kind === "clear";
  return {
    id: `${SECTION}/gate/${kind}`,
    labels: [isClear ? "clearly harmless or harmful" : "of any size", `${inputs}`, `${margin}`],
    repetitions: { long: 200, short: 10 },
    measures: [
      isClear ? share("another verdict with another seed", 0.05, "high") : shownShare("another verdict"),
      share("not worse and worse", 0.05, "high"),
      share("a wrong verdict", 0.05, "high"),
    ],
    observe: (draw) => {
      const { verdicts, isWrong } = rehearseTwice(draw, kind);
      const isFlipped = verdicts[0] !== verdicts[1];
      return [Number(isFlipped), Number(isFlipped && !verdicts.includes("undecided")), Number(isWrong)];
    },
  };
}

export const rehearsals: Section = {
  id: SECTION,
  title: "Rehearsals",
  text: `A rehearsal answers the same inputs with every arm. A judge compares each pair of answers in both orders. The differences
between two answers are normal, a small difference is a tie, and the judge makes errors. *Heavy* users have
1 + ⌊lognormal(0.8, 0.9)⌋ inputs, and the inputs of a user react to the treatment in similar ways. *Unequal* means that inputs on which the
treatment is better were drawn five times as often as those on which it is worse. With a margin of ${NO_MARGIN}, only the upper end of the
interval prevents a verdict of worse for equal arms.

- First table: the judge chooses the first answer in 30 % of the pairs, whatever it says. With one order, most rehearsals of equal
  arms find a difference.
- Fourth table: a rehearsal ends as soon as it has enough inputs, or at its last input. A verdict is wrong if it calls equal arms
  worse, or calls a loss as large as the margin not worse.
- Fifth table: the judge prefers the treatment more than people do.

The recorded answers are those of the demo: 805 inputs from AlpacaEval, drawn with replacement, with the judge's preference for
each. An edit changes the base answer. On a share of the inputs, it becomes the answer of the prompt *verbose* (better) or
*concise* (worse). On the others it changes without becoming better or worse. Each edit is rehearsed with two seeds.`,
  tables: [
    {
      caption: "Equal arms, and a judge who prefers the first answer",
      heads: ["inputs"],
      cells: [50, 100, 400].map(orderCell),
    },
    {
      caption: "Equal arms",
      heads: ["rehearsal", "inputs"],
      cells: [
        alikeCell({ name: "plain", inputs: 40 }),
        alikeCell({ name: "plain", inputs: 400 }),
        alikeCell({ name: "3 repeats", inputs: 200, repeats: 3 }),
        alikeCell({ name: "heavy users", inputs: 400, isHeavy: true }),
        alikeCell({
          name: "heavy users, 2 repeats",
          inputs: 150,
          repeats: 2,
          isHeavy: true,
        }),
        alikeCell({ name: "unequal", inputs: 300, isUnequal: true }),
        alikeCell({ name: "nearly always a tie", inputs: 400, tie: 2.6 }),
        alikeCell({ name: "4 treatments", inputs: 200, treatments: 4 }),
      ],
    },
    {
      caption: "The truth is at the margin",
      heads: ["rehearsal", "inputs", "margin"],
      cells: [
        marginCell({ name: "plain", inputs: 40, effect: -0.16 }),
        marginCell({ name: "plain", inputs: 400, effect: -0.16 }),
        marginCell({ name: "heavy users", inputs: 400, effect: -0.16, isHeavy: true }),
        marginCell({ name: "unequal", inputs: 400, effect: -0.16, isUnequal: true }),
        marginCell({ name: "nearly always a tie", inputs: 400, effect: -0.8, tie: 3 }),
      ],
    },
    {
      caption: `Looked at after every ${LOOK} inputs`,
      heads: ["rehearsal", "inputs", "truth", "margin"],
      cells: [
        stoppedCell({ name: "plain", inputs: 200 }),
        stoppedCell({ name: "heavy users", inputs: 200, isHeavy: true }),
        stoppedCell({ name: "unequal", inputs: 200, isUnequal: true }),
        stoppedCell({ name: "3 repeats", inputs: 200, repeats: 3 }),
        stoppedCell({ name: "at the margin", inputs: 200, effect: -0.3 }),
      ],
    },
    {
      caption: "A biased judge, corrected by people's picks",
      heads: ["rehearsal", "inputs", "picks", "people's preference"],
      cells: [
        picksCell({ name: "plain", inputs: 500, picks: 50, judgeBias: 0.5 }),
        picksCell({ name: "plain", inputs: 500, picks: 100, judgeBias: 0.5 }),
        picksCell({ name: "plain", inputs: 500, picks: 100, judgeBias: 0.5, effect: 0.5 }),
        picksCell({ name: "heavy users", inputs: 500, picks: 150, judgeBias: 0.5, isHeavy: true }),
        picksCell({
          name: "unequal, 2 repeats",
          inputs: 300,
          repeats: 2,
          picks: 150,
          judgeBias: 0.5,
          isUnequal: true,
        }),
      ],
    },
    {
      caption: "Recorded answers: the published order",
      heads: ["mode", "inputs"],
      cells: (["score", "pairwise"] as const).flatMap((mode) =>
        [400, 900].map((inputs) => orderedCell(inputs, mode)),
      ),
    },
    {
      caption: "Recorded answers: scores",
      heads: ["inputs"],
      cells: [100, 400].map(scoredCell),
    },
    {
      caption: "Recorded answers: edits with a known truth",
      heads: ["edits", "inputs", "margin"],
      cells: [gateCell("clear"), gateCell("any")],
    },
  ],
  figures: () => [],
};
