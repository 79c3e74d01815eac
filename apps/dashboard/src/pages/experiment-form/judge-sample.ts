import type { Wire } from "../../api/types.ts";
import { count, counted, percent } from "../../format/numbers.ts";

/** Contract: judged answers that every variant needs for a nightly row. */
const NEEDED_PER_ARM = 200;
/** An example, used when the number of calls per day is unknown. */
const EXAMPLE_CALLS = 1000;
const DAY_MS = 86_400_000;

interface SampleFacts {
  readonly sampleRate: number;
  /** Null: unknown. */
  readonly usersPerDay: number | null;
  readonly arms: number;
  /** Undefined: not read yet. */
  readonly evaluations: Wire<"JudgesOverview">["evaluations"] | undefined;
  readonly now: number;
}

/** Describes what a sampling rate means per day, and whether the plan's allowance covers it. */
export function sampleWords({ sampleRate, usersPerDay, arms, evaluations, now }: SampleFacts): string {
  const isKnown = usersPerDay !== null && usersPerDay > 0;
  const calls = isKnown ? usersPerDay : EXAMPLE_CALLS;
  const drawn = Math.ceil((sampleRate * calls) / arms) * arms;
  const perArm = drawn / arms;
  const of = isKnown
    ? `With ${counted(calls, "user")} per day and one call each, ${percent(sampleRate)} is`
    : `With ${count(calls)} calls per day, ${percent(sampleRate)} is`;
  const days = counted(Math.ceil(NEEDED_PER_ARM / perArm), "day");
  const left = leftPerDay(evaluations, now);
  return [
    `${of} ${counted(drawn, "judged answer")}, ${count(perArm)} per variant. A first result needs ${NEEDED_PER_ARM} per variant: about ${days}.`,
    ...(left === null ? [] : [allowanceWords(left, drawn)]),
  ].join(" ");
}

function allowanceWords(left: number, drawn: number): string {
  const shared = `Your plan leaves ${count(left)} evaluations per day until the end of the month, shared by all judged metrics`;
  return left < drawn ? `${shared}, so fewer answers are drawn.` : `${shared}.`;
}

/** Evaluations left per day for the rest of the UTC month, including today; null: unlimited or unknown. */
function leftPerDay(evaluations: SampleFacts["evaluations"], now: number): number | null {
  if (evaluations === undefined || evaluations.allowance === null) return null;
  const date = new Date(now);
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const days = Math.ceil((end - now) / DAY_MS);
  return Math.floor(Math.max(0, evaluations.allowance - evaluations.used) / days);
}
