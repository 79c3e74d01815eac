import {
  type ExperimentUnit,
  type MetricDefinition,
  type MetricReplay,
  runSeed,
  UNIT_WORDS,
} from "@assay/domain";
import { ALPHA, binomialBand, minimumDetectableEffect, type Stratum, type TestOutcome } from "@assay/stats";
import { type ArmData, armData } from "../compare/arm-data.ts";
import { isUnreported, MIN_USERS_PER_ARM } from "../compare/eligibility.ts";
import type { JudgedUser } from "../judge/judged-users.ts";
import { qualityRows } from "../judge/quality-rows.ts";
import type { JudgedData, MetricData } from "../run/metric-data.ts";
import { compareMetric } from "../run/metric-rows.ts";
import type { RunFrame } from "../run-frame.ts";
import {
  hasHeavyUser,
  heavyUserInWords,
  judgeReplay,
  type ReplayFacts,
  replayInWords,
} from "./judge-replay.ts";
import { splitterOf, splitUsers, tossCoins } from "./split-users.ts";
import { weighUsers } from "./weigh-users.ts";

/** The scope of one metric's replay. */
export interface ReplayScope {
  /** Limits, with the number of permutations per split. */
  readonly frame: Pick<RunFrame, "experiment" | "limits">;
  readonly splits: number;
  readonly maxUsers: number;
}

/** The confidence of the band in which a correct false-positive rate lies. */
const BAND_LEVEL = 0.99;
/** Minimum share of splits that the test must compare. The band widens when fewer are tested. */
const MIN_TESTED = 0.5;
/** Splitting a judged user, with all calls and labels, takes this many times as long, so fewer are split. */
const JUDGED_COST = 4;
/** The name of the first half in a comparison. */
const CONTROL = "control";

/** The control arm of a metric, ready to be split. */
interface ReplaySource {
  readonly arm: ArmData;
  /** Number of users that are split. */
  readonly users: number;
  /** Splits the users; the second half gets the name of the treatment. */
  split(treatment: string, seed: number): Halves;
}

interface Halves {
  readonly arms: Stratum<ArmData>;
  readonly judged: JudgedData | null;
  readonly periods: readonly number[];
}

/** Compares halves of the control arm with each other, as a night compares two variants, and judges the outcomes. */
export function replayMetric(metric: MetricDefinition, data: MetricData, scope: ReplayScope): MetricReplay {
  const source = sourceOf(metric, data, scope);
  const { unit } = scope.frame.experiment.config;
  const { one, many } = UNIT_WORDS[unit];
  if (source.users < 2 * MIN_USERS_PER_ARM)
    return noData(metric, source.users, `Needs ${2 * MIN_USERS_PER_ARM} ${many} of the control variant.`);
  if (isUnreported(metric, data.sums)) return noData(metric, source.users, `No ${one} has a value yet.`);
  const outcomes = Array.from({ length: scope.splits }, (_, split) =>
    compareHalves(metric, { source, split }, scope),
  ).filter((outcome) => outcome !== null);
  const [first] = outcomes;
  if (first === undefined || outcomes.length < MIN_TESTED * scope.splits)
    return untested(metric, source, unit);
  const facts = { ...factsOf(metric, source), ...summarize(outcomes), unit, test: first.test };
  if (facts.effectSd === 0) return noData(metric, source.users, `All ${many} have the same value.`);
  const { falsePositiveRate, band, effectSd, standardError, largestShare, test } = facts;
  return {
    metric: metric.name,
    metricVersion: metric.metricVersion,
    users: source.users,
    test,
    splits: outcomes.length,
    falsePositiveRate,
    bandLow: band.low,
    bandHigh: band.high,
    value: meanOf(outcomes, ({ controlValue }) => controlValue),
    effectSd,
    standardError,
    smallestEffect: minimumDetectableEffect(effectSd),
    largestUserShare: largestShare,
    ...judgeReplay(facts),
    detail: replayInWords(facts),
  };
}

function compareHalves(
  metric: MetricDefinition,
  { source, split }: { readonly source: ReplaySource; readonly split: number },
  { frame }: ReplayScope,
): TestOutcome | null {
  const treatment = `split ${split}`;
  const seed = runSeed(frame.experiment.id, metric.name, String(metric.metricVersion), treatment);
  const { arms, judged, periods } = source.split(treatment, seed);
  const strata = { strata: [{ ...arms, periods }], leftOutUsers: 0 };
  const compared = compareMetric(metric, { judged }, { control: CONTROL, treatment, strata }, frame);
  return compared?.comparison.outcome ?? null;
}

function sourceOf(metric: MetricDefinition, { sums, judged }: MetricData, scope: ReplayScope): ReplaySource {
  const { control } = scope.frame.experiment.config;
  const own = sums.filter(({ arm }) => arm === control);
  const periods = own.map(({ period }) => period);
  const arm = armData(own, periods);
  if (judged !== null) {
    const most = Math.floor(scope.maxUsers / JUDGED_COST);
    const users = judged.users.filter((user) => user.arm === control).slice(0, most);
    return {
      arm,
      users: users.length,
      split: (treatment, seed) => splitJudged(metric, { users, judged }, { treatment, seed }),
    };
  }
  const isKnown = metric.kind === "binary" || arm.values !== null || arm.bins !== null;
  const split = splitterOf(arm, scope.maxUsers);
  return {
    arm,
    users: isKnown ? splitUsers(arm, scope.maxUsers) : 0,
    split: (_, seed) => ({ arms: split(seed), judged: null, periods }),
  };
}

/**
 * Assigns each judged user to one of the halves, in a single period, because a split has no periods.
 */
function splitJudged(
  metric: MetricDefinition,
  { users, judged }: { readonly users: readonly JudgedUser[]; readonly judged: JudgedData },
  { treatment, seed }: { readonly treatment: string; readonly seed: number },
): Halves {
  const { isHeads } = tossCoins(users.length, seed);
  const split = users.map((user, i) => ({ ...user, arm: isHeads(i) ? CONTROL : treatment, period: 0 }));
  const half = (name: string) =>
    armData(
      qualityRows(
        metric,
        split.filter(({ arm }) => arm === name),
        split.length,
      ),
      [0],
    );
  return {
    arms: { control: half(CONTROL), treatment: half(treatment) },
    judged: { ...judged, users: split },
    periods: [0],
  };
}

type Facts = Omit<ReplayFacts, keyof ReturnType<typeof summarize> | "unit" | "test">;

function factsOf(metric: MetricDefinition, { arm, users }: ReplaySource): Facts {
  const { meanY } = arm.moments;
  return {
    ...weighUsers(metric, arm),
    usersPerHalf: users / 2,
    rarerOutcomes: metric.kind === "binary" ? (users / 2) * Math.min(meanY, 1 - meanY) : null,
  };
}

function summarize(outcomes: readonly TestOutcome[]) {
  const count = outcomes.length;
  const { low, high } = binomialBand(count, ALPHA, BAND_LEVEL);
  const errors = outcomes.flatMap(({ standardError }) => standardError ?? []);
  return {
    falsePositiveRate: outcomes.filter(({ pValue }) => pValue < ALPHA).length / count,
    band: { low: low / count, high: high / count },
    // The halves differ only by chance, so the true effect is 0.
    effectSd: Math.sqrt(meanOf(outcomes, ({ effect }) => effect ** 2)),
    standardError: errors.length === 0 ? null : Math.sqrt(meanOf(errors, (error) => error ** 2)),
  };
}

function meanOf<T>(list: readonly T[], value: (item: T) => number): number {
  return list.reduce((sum, item) => sum + value(item), 0) / list.length;
}

/** Builds the result of a metric whose test cannot compare most of the splits. */
function untested(
  metric: MetricDefinition,
  { arm, users }: ReplaySource,
  unit: ExperimentUnit,
): MetricReplay {
  const { largestShare } = weighUsers(metric, arm);
  const found = noData(metric, users, "The metric's test cannot compare most of the splits.");
  if (!hasHeavyUser({ largestShare })) return found;
  const detail = `${found.detail} ${heavyUserInWords({ largestShare, unit })}`;
  return { ...found, largestUserShare: largestShare, causes: ["heavy-users"], detail };
}

function noData({ name, metricVersion }: MetricDefinition, users: number, detail: string): MetricReplay {
  return {
    ...{ metric: name, metricVersion, users, test: null, splits: 0 },
    ...{ falsePositiveRate: null, bandLow: null, bandHigh: null },
    ...{ value: null, effectSd: null, standardError: null, smallestEffect: null, largestUserShare: null },
    ...{ verdict: "no-data", causes: [], detail: `Not enough data. ${detail}` },
  };
}
