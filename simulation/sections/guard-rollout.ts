import { GUARD_GROUPS, type Guard, type SignalLook } from "@assay/domain";
import { evidenceThreshold, harmsOf, lookAtGuard, TUNED_TO, watchedSignals } from "@assay/pipeline";
import { normalQuantile, oneSidedEvidence } from "@assay/stats";
import type { Draw } from "../random/draw.ts";
import { poisson } from "../random/poisson.ts";
import { createRunningArm, createRunningSplit, NO_SCORE, type RatioSums, type Score } from "./running-arm.ts";

/** The stages of the rollout: percent of the users in the treatment (control has as many), and minutes per stage. */
const STAGES = [1, 5, 20, 50] as const;
const STAGE_MINUTES = 60;
const MINUTES = 30 * 24 * 60;

/** Calls of an arm in a minute of the last stage, log-uniform between these. */
const CALLS = { least: 1, most: 10 };

/** A guard that accepts no harm at all: the hardest case, because equal arms are exactly at its limit. */
export const NOTHING: Guard = {
  ...{ errorRate: 0, latency: 0, costPerCall: 0, costPerUser: 0, missingUsage: 0, truncation: 0 },
};
const SIGNALS = watchedSignals(NOTHING, []);
const THRESHOLD = evidenceThreshold({ treatments: 1, signals: SIGNALS.length + 1, starts: 1 });
/** A smaller z never holds a rollout: z standard errors give at most z² / 2 + log 2 of evidence, however many events there are. */
const LEAST_Z = Math.sqrt(2 * (THRESHOLD - Math.LN2)) - 0.01;
/** Running sums differ in the last digits from sums over all groups. */
const ALMOST = 0.999;

/** Active users of both arms, once the rollout includes all of them. */
const USERS = 8_192;
/** After each call, a new user replaces another one with this probability, so users make 20 calls on average. */
const NEW = 0.05;
const ERROR_RATE = 0.02;
const MISSING = 0.03;
const TRUNCATED = 0.02;
const WORDS = 2 ** 32;
const VALUES = 1_024;

/** Equally likely values of a lognormal. */
const lognormals = (sd: number) =>
  Float64Array.from({ length: VALUES }, (_, i) => Math.exp(sd * normalQuantile((i + 0.5) / VALUES)));
const LATENCIES = lognormals(0.7);
const COSTS = lognormals(0.8);

/** Creates users with individual habits: slow or fast, lucky or not. Both arms have the same distribution. */
function createUsers(draw: Draw, arms: readonly ReturnType<typeof createRunningArm>[]) {
  const arm = new Uint8Array(USERS);
  const group = new Uint16Array(USERS);
  const level = new Float64Array(USERS);
  const failing = new Float64Array(USERS);
  const isSeen = new Uint8Array(USERS);
  const split = createRunningSplit();

  function replace(user: number): void {
    arm[user] = draw.below(2);
    group[user] = draw.below(GUARD_GROUPS);
    level[user] = Math.exp(0.5 * draw.normal());
    failing[user] = Math.min(1, ERROR_RATE * Math.exp(0.8 * draw.normal() - 0.32)) * WORDS;
    isSeen[user] = 0;
  }
  for (let user = 0; user < USERS; user++) replace(user);

  return {
    split,
    /** Makes a call by one of the first `users`. Users differ widely: the first of 8,192 makes 1 % of the calls, the last 1 in 16,000. */
    call(users: number): void {
      const place = draw.uniform();
      const user = Math.floor(users * place * place);
      const own = arms[arm[user]!]!;
      const of = group[user]!;
      if (isSeen[user] === 0) {
        isSeen[user] = 1;
        own.expose(of);
        split.expose(of, arm[user]!);
      }
      const first = draw.seed();
      const fails = first < failing[user]!;
      own.addCall(of, level[user]! * LATENCIES[first % VALUES]!, fails);
      if (!fails) {
        const second = draw.seed();
        const cost = level[user]! * COSTS[second % VALUES]!;
        own.complete(of, cost, second < MISSING * WORDS, second >= (1 - TRUNCATED) * WORDS);
      }
      if (draw.chance(NEW)) replace(draw.below(users));
    },
  };
}

/** Looks at the guard's signals in the same way as the service. */
export type Look = () => readonly SignalLook[];

/**
 * Runs a rollout of 30 days in which both arms are equal. Returns the minute at which the guard holds it; null if it does not.
 * `observe` sees the score of each signal after each minute.
 */
export function heldWithoutHarm(
  draw: Draw,
  {
    minutes = MINUTES,
    observe,
  }: { minutes?: number; observe?: (scores: readonly Score[], look: Look) => void } = {},
): number | null {
  const calls = CALLS.least * (CALLS.most / CALLS.least) ** draw.uniform();
  const arms = [createRunningArm(), createRunningArm()] as const;
  const users = createUsers(draw, arms);
  const sums = new Map(["control", "treatment"].map((name, i) => [name, arms[i]!.columns]));
  const shares = { control: 0.5, treatment: 0.5 };
  const look: Look = () => lookAtGuard({ sums, signals: SIGNALS, control: "control", shares, starts: 1 });
  for (let minute = 0; minute < minutes; minute++) {
    const stage = Math.min(STAGES.length - 1, Math.floor(minute / STAGE_MINUTES));
    const part = STAGES[stage]! / STAGES.at(-1)!;
    const coming = poisson(2 * calls * part, draw);
    for (let call = 0; call < coming; call++) users.call(Math.ceil(USERS * part));
    if (coming === 0) continue;
    const control = arms[0].ratios();
    const treatment = arms[1].ratios();
    const scores = [...control.map((one, i) => excess(one, treatment[i]!)), users.split.score()];
    observe?.(scores, look);
    if (scores.some((score) => mayHold(score)) && harmsOf(look()).length > 0) return minute;
  }
  return null;
}

/** Returns whether a look may find harm. A positive score means harm, except for the split, whose score is of any difference. */
function mayHold({ z, events }: Score): boolean {
  if (Math.abs(z) < LEAST_Z) return false;
  return (
    oneSidedEvidence({ effect: Math.abs(z), standardError: 1, n: events, expectedUsers: TUNED_TO }) >
    ALMOST * THRESHOLD
  );
}

/** Computes the excess of the treatment's ratio over control's from sums, as the guard does. */
function excess(control: RatioSums, treatment: RatioSums): Score {
  if (control.n === 0 || treatment.n === 0) return NO_SCORE;
  const common = (control.y + treatment.y) / (control.d + treatment.d);
  const error = Math.sqrt(errorAround(control, common) ** 2 + errorAround(treatment, common) ** 2);
  const z = (treatment.y / treatment.d - control.y / control.d) / error;
  return { z: Math.max(0, z), events: control.events + treatment.events };
}

/** Computes the standard error that a ratio would have if its true value were `ratio`. */
export function errorAround({ n, yy, yd, dd, d }: RatioSums, ratio: number): number {
  const square = yy - 2 * ratio * yd + ratio * ratio * dd;
  return Math.sqrt((Math.max(0, square) * n) / (n - 1)) / d;
}
