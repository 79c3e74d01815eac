import { GUARD_COLUMNS, GUARD_GROUPS, type Guard, type GuardColumn } from "@assay/domain";
import { harmsOf, lookAtGuard, watchedSignals } from "@assay/pipeline";
import type { Draw } from "../random/draw.ts";

/** The rollout: how many minutes each stage lasts, and its percent of the users in the treatment, as control has. */
const STAGES = [1, 5, 20, 50] as const;
const STAGE_MINUTES = 60;
/** Calls of an arm in a minute of the last stage. */
const CALLS = 60;
const MINUTES = 30 * 24 * 60;
/** A look a minute until then; after that, each look comes later than the one before by this factor of the time since the start. */
const EVERY_MINUTE = STAGE_MINUTES * STAGES.length;
const LATER = 1.03;

const ERROR_RATE = 0.02;
const MISSING = 0.03;
const TRUNCATED = 0.02;
const LATENCY = { mean: 1_000, sd: 800 };
const COST = { mean: 0.012, sd: 0.011 };
/** From so many calls on, a sum of them is drawn and not each call. */
const MANY = 4;

/** Habits of a group of users, the same for the whole time. */
interface Habits {
  readonly activity: Float64Array;
  readonly level: Float64Array;
  readonly luck: Float64Array;
}

type Sums = Readonly<Record<GuardColumn, Float64Array>>;

function newArm(draw: Draw, spread: number) {
  const habit = () =>
    Float64Array.from({ length: GUARD_GROUPS }, () => Math.exp(spread * draw.normal() - spread ** 2 / 2));
  const habits: Habits = { activity: habit(), level: habit(), luck: habit() };
  const sums = Object.fromEntries(GUARD_COLUMNS.map((column) => [column, new Float64Array(GUARD_GROUPS)]));
  return { habits, sums: sums as unknown as Sums };
}

/** Knuth's product of uniforms; a rounded normal where that would take long. */
function poisson(mean: number, { uniform, normal }: Draw): number {
  if (mean > 12) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
  const least = Math.exp(-mean);
  let count = 0;
  for (let product = uniform(); product > least; product *= uniform()) count++;
  return count;
}

function binomial(n: number, p: number, draw: Draw): number {
  if (n > MANY) return Math.min(n, poisson(n * p, draw));
  let count = 0;
  for (let i = 0; i < n; i++) count += Number(draw.chance(p));
  return count;
}

/** The sum of n skewed values. */
function sumOf(n: number, { mean, sd }: { mean: number; sd: number }, draw: Draw): number {
  if (n > MANY) return Math.max(0, n * mean + Math.sqrt(n) * sd * draw.normal());
  const shape = Math.log1p((sd / mean) ** 2);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += mean * Math.exp(Math.sqrt(shape) * draw.normal() - shape / 2);
  return sum;
}

/** Adds the calls of a time in which an arm has so many on average. */
function addCalls({ habits, sums }: ReturnType<typeof newArm>, calls: number, draw: Draw): void {
  for (let group = 0; group < GUARD_GROUPS; group++) {
    const n = poisson((calls * habits.activity[group]!) / GUARD_GROUPS, draw);
    if (n === 0) continue;
    const level = habits.level[group]!;
    const errors = binomial(n, ERROR_RATE * habits.luck[group]!, draw);
    const completed = n - errors;
    sums.exposures[group]! += n;
    sums.calls[group]! += n;
    sums.errors[group]! += errors;
    sums.completed[group]! += completed;
    sums.latencySum[group]! += level * sumOf(n, LATENCY, draw);
    sums.latencyCount[group]! += n;
    sums.costSum[group]! += level * sumOf(completed, COST, draw);
    sums.costCount[group]! += completed;
    sums.missingUsage[group]! += binomial(completed, MISSING, draw);
    sums.truncated[group]! += binomial(completed, TRUNCATED, draw);
  }
}

/** Calls of an arm on average from the start to a minute. */
function callsUntil(minute: number): number {
  const ofStages = STAGES.map((percent, stage) => {
    const isLast = stage === STAGES.length - 1;
    const begun = Math.max(0, minute - stage * STAGE_MINUTES);
    return ((isLast ? begun : Math.min(STAGE_MINUTES, begun)) * percent * CALLS) / 50;
  });
  return ofStages.reduce((sum, calls) => sum + calls, 0);
}

/** Runs a rollout of 30 days in which both arms are the same, and returns whether the guard holds it. */
export function isHeldWithoutHarm(draw: Draw, guard: Guard, spread: number): boolean {
  const arms = { control: newArm(draw, spread), treatment: newArm(draw, spread) };
  const signals = watchedSignals(guard, []);
  const columns = ({ sums }: ReturnType<typeof newArm>) => GUARD_COLUMNS.map((column) => sums[column]);
  const sums = new Map(Object.entries(arms).map(([name, arm]) => [name, columns(arm)]));
  const shares = { control: 0.5, treatment: 0.5 };
  for (let minute = 0; minute < MINUTES; ) {
    const next = minute < EVERY_MINUTE ? minute + 1 : Math.min(MINUTES, minute * LATER);
    const calls = callsUntil(next) - callsUntil(minute);
    for (const arm of Object.values(arms)) addCalls(arm, calls, draw);
    minute = next;
    if (harmsOf(lookAtGuard({ sums, signals, control: "control", shares, starts: 1 })).length > 0)
      return true;
  }
  return false;
}
