import { type ExperimentUnit, type ReplayCause, type ReplayVerdict, UNIT_WORDS } from "@assay/domain";
import type { Band, TestName } from "@assay/stats";
import type { UserWeights } from "./weigh-users.ts";

/** The result of a metric's splits. */
export interface ReplayFacts extends UserWeights {
  /** The unit that was split. All counts of users here are counts of this unit. */
  readonly unit: ExperimentUnit;
  readonly test: TestName;
  readonly falsePositiveRate: number;
  /** The band that contains the rate if the test is right, as shares. */
  readonly band: Band;
  readonly effectSd: number;
  readonly standardError: number | null;
  /** Average number of users of a half. */
  readonly usersPerHalf: number;
  /** Users of a half with the rarer outcome; null for a metric that is not binary. */
  readonly rarerOutcomes: number | null;
}

/** With a user above this share, the result depends on which half gets that user (statistics §13). */
const HEAVY_SHARE = 0.1;
/** Closed-form approximations need about this many users, and users with the rarer outcome, per arm. */
const FEW_USERS = 100;
const FEW_OUTCOMES = 10;
/** Above this share of users with the same value, ranks say little. */
const TIED_SHARE = 0.5;
/**
 * Accepted relative error of a standard error. A quantile's standard error is off by a tenth even in sound data.
 */
const ERROR_TOLERANCE = 0.25;

/** Judges a metric by its splits, and names possible causes. */
export function judgeReplay(facts: ReplayFacts): {
  readonly verdict: ReplayVerdict;
  readonly causes: readonly ReplayCause[];
} {
  const isHeavy = hasHeavyUser(facts);
  const isErrorOff = Math.abs(errorRatio(facts) - 1) > ERROR_TOLERANCE;
  const verdict = verdictOf(facts, isHeavy || isErrorOff);
  if (verdict === "correct") return { verdict, causes: [] };
  const isOut = verdict !== "doubtful";
  const checks: readonly (readonly [ReplayCause, boolean])[] = [
    ["heavy-users", isHeavy],
    ["few-users", isOut && facts.usersPerHalf < FEW_USERS],
    ["rare-outcome", isOut && (facts.rarerOutcomes ?? FEW_OUTCOMES) < FEW_OUTCOMES],
    ["ties", isOut && facts.test === "mann_whitney_u" && (facts.tiedShare ?? 0) > TIED_SHARE],
    ["standard-error", isErrorOff],
  ];
  const causes = checks.filter(([, holds]) => holds).map(([cause]) => cause);
  return { verdict, causes: causes.length > 0 ? causes : ["unexplained"] };
}

/** Returns whether one user's share is so large that the result depends on which half gets that user. */
export function hasHeavyUser({ largestShare }: Pick<UserWeights, "largestShare">): boolean {
  return (largestShare ?? 0) > HEAVY_SHARE;
}

function verdictOf({ falsePositiveRate, band }: ReplayFacts, isDoubtful: boolean): ReplayVerdict {
  if (falsePositiveRate > band.high) return "false-alarms";
  if (falsePositiveRate < band.low) return "cautious";
  return isDoubtful ? "doubtful" : "correct";
}

/**
 * Ratio of the effects' spread to the formula's standard error; 1 when there is no standard error.
 */
function errorRatio({ effectSd, standardError }: ReplayFacts): number {
  return standardError === null || standardError === 0 ? 1 : effectSd / standardError;
}

const VERDICT_WORDS: Readonly<Record<Exclude<ReplayVerdict, "no-data">, string>> = {
  correct: "False positives occur as often as they should.",
  doubtful: "The false-positive rate is right, but read the interval with care.",
  "false-alarms":
    "The metric finds differences that do not exist: do not base a decision on it in this form.",
  cautious: "The metric finds too few differences: real effects are missed more often than planned.",
};

/** Describes the verdict, its causes, and what to do. */
export function replayInWords(facts: ReplayFacts): string {
  const { verdict, causes } = judgeReplay(facts);
  const words = VERDICT_WORDS[verdict as keyof typeof VERDICT_WORDS];
  return [words, ...causes.map((cause) => CAUSE_WORDS[cause](facts))].join(" ");
}

/** Describes the share of the heaviest unit, and what to do. */
export function heavyUserInWords({ largestShare, unit }: Pick<ReplayFacts, "largestShare" | "unit">): string {
  const { one, many } = UNIT_WORDS[unit];
  const user = unit === "user" ? "that user" : "its user";
  return `One ${one} holds ${percent(largestShare!)} of the total: set ${user} aside if it is a machine, or cap the metric or count ${many} instead of calls.`;
}

const CAUSE_WORDS: Readonly<Record<ReplayCause, (facts: ReplayFacts) => string>> = {
  "heavy-users": heavyUserInWords,
  "few-users": ({ usersPerHalf, unit }) =>
    `The halves have only ${Math.round(usersPerHalf)} ${UNIT_WORDS[unit].many} each: wait for more.`,
  "rare-outcome": ({ rarerOutcomes, unit }) =>
    `The halves have only ${Math.round(rarerOutcomes!)} ${UNIT_WORDS[unit].many} with the rarer outcome each: wait for more.`,
  ties: ({ tiedShare, unit }) =>
    `${percent(tiedShare!)} of the ${UNIT_WORDS[unit].many} have the same value, so that ranks say little: measure a share of ${UNIT_WORDS[unit].many} instead.`,
  "standard-error": (facts) =>
    `Effects spread ${errorRatio(facts).toFixed(2)} times as far as the standard error says.`,
  unexplained: () => "No usual cause was found: look at how the metric's values are distributed.",
};

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`;
}
