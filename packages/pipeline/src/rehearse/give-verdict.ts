import type {
  ArmVerdict,
  RehearsalFault,
  RehearsalPlan,
  RehearsalRow,
  RehearsalVerdict,
} from "@assay/domain";
import { ALPHA, detectableStandardErrors, normalQuantile } from "@assay/stats";
import {
  MAX_FAILED_SHARE,
  MAX_INCONSISTENT_SHARE,
  MAX_UNJUDGED_SHARE,
  MIN_REHEARSED_USERS,
} from "./thresholds.ts";

type Interval = readonly [low: number | null, high: number | null];

/** The inputs of a treatment's verdict. */
export interface Judged {
  readonly plan: Pick<RehearsalPlan, "arms" | "margin">;
  readonly quality: RehearsalRow;
  readonly cost: RehearsalRow;
  readonly fault: RehearsalFault | null;
}

/** Decides whether a treatment is not worse than control, and whether it is also cheaper. */
export function giveVerdict(judged: Judged): ArmVerdict {
  const { quality, cost, fault } = judged;
  const verdict = fault === null ? verdictOf([quality.ciLow, quality.ciHigh], judged) : "invalid";
  const isCheaper = verdict === "not-worse" && cost.isSignificant && cost.effect! < 0;
  const { treatment } = quality;
  return { treatment, verdict, fault, isCheaper, detail: describe({ ...judged, verdict, isCheaper }) };
}

/** Returns whether the always-valid interval already gives the same verdict, so that the rehearsal may stop. */
export function isSettled(judged: Judged): boolean {
  const { fault, quality } = judged;
  if (fault !== null) return false;
  const verdict = verdictOf([quality.ciLow, quality.ciHigh], judged);
  const atEveryLook = verdictOf([quality.alwaysValidLow, quality.alwaysValidHigh], judged);
  return verdict !== "undecided" && verdict === atEveryLook;
}

/**
 * Compares an interval of the quality with the margin. With several treatments, `worse` needs a smaller p (Bonferroni): if all equal
 * control, the chance that any of them is called worse is the same as with one.
 */
function verdictOf([low, high]: Interval, { plan, quality }: Judged): Exclude<RehearsalVerdict, "invalid"> {
  if (low === null || high === null) return "undecided";
  if (low > -plan.margin) return "not-worse";
  const treatments = plan.arms.length - 1;
  return high < 0 && quality.pValue! <= ALPHA / treatments ? "worse" : "undecided";
}

const FAULTS: Readonly<Record<RehearsalFault, string>> = {
  "no-data": "No input was answered by both arms and judged. Start the rehearsal, or check its budget.",
  "too-few-inputs": `Inputs of at least ${MIN_REHEARSED_USERS} users are needed (an input without a user counts as one). Use a larger dataset.`,
  "too-many-failures": `More than ${percent(MAX_FAILED_SHARE)} of the answers of control or of this treatment failed. Fix the arm's model and parameters, then rehearse again.`,
  "judge-inconsistent": `The judge contradicts itself in more than ${percent(MAX_INCONSISTENT_SHARE)} of the pairs when the answers change places. Write a clearer rubric, use a stronger judge model, or let people pick blind.`,
  "judge-failed": `The judge failed on ${percent(MAX_UNJUDGED_SHARE)} of the pairs of answers or more. Read its errors, then retry.`,
};

type Described = Judged & Pick<ArmVerdict, "verdict" | "isCheaper">;

function describe({ plan, quality, cost, fault, verdict, isCheaper }: Described): string {
  if (fault !== null) return FAULTS[fault];
  const found = `${subjectOf(quality)} changed by ${intervalOf(quality)}`;
  const margin = `the margin of ${amount(plan.margin)}`;
  if (verdict === "worse") return `${found}. Keep control, or change the treatment and rehearse again.`;
  if (verdict === "undecided")
    return `${found}, so a loss beyond ${margin} is neither shown nor ruled out. ${moreInputs(quality, plan.margin)}`;
  return `${found}: a loss beyond ${margin} is ruled out.${isCheaper ? ` ${saving(cost)}` : ""}`;
}

function subjectOf({ metric, isCorrected, picks }: RehearsalRow): string {
  if (metric === "score") return "The score";
  return isCorrected ? `The preference, corrected by ${picks} blind picks,` : "The preference";
}

function intervalOf({ effect, ciLow, ciHigh }: RehearsalRow): string {
  if (effect === null || ciLow === null || ciHigh === null) return "an amount whose error is not known";
  return `${signed(effect)} (95% CI ${signed(ciLow)} to ${signed(ciHigh)})`;
}

/** Says how many inputs would show that equal arms are not worse, whatever the effect so far. */
function moreInputs({ ciLow, ciHigh, inputs }: RehearsalRow, margin: number): string {
  if (ciLow === null || ciHigh === null) return "Add inputs.";
  const standardError = (ciHigh - ciLow) / 2 / normalQuantile(1 - ALPHA / 2);
  if (margin === 0)
    return "With a margin of 0, no number of inputs can show that a treatment equal to control is not worse: set a margin above 0.";
  const needed = Math.ceil(inputs * ((detectableStandardErrors() * standardError) / margin) ** 2);
  return needed > inputs
    ? `About ${needed.toLocaleString("en-US")} inputs would rule out such a loss if the arms are alike; ${inputs.toLocaleString("en-US")} were compared.`
    : "More inputs may not help: the effect seems to be near the margin.";
}

function saving({ effect, controlValue }: RehearsalRow): string {
  return `It costs ${percent(-effect! / controlValue!)} less.`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${amount(Math.abs(value))}`;
}

/** Three decimals suffice for preferences and for the points of all scales. */
function amount(value: number): string {
  return String(Number(value.toFixed(3)));
}
