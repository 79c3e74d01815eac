import type { Wire } from "../../api/types.ts";
import { count, counted, percent } from "../../format/numbers.ts";

/** Contract: a nightly row needs so many judged answers in every variant. */
const NEEDED_PER_ARM = 200;
/** Stands for a day's calls where nobody knows how many there are. */
const EXAMPLE_CALLS = 1000;
const DAY_MS = 86_400_000;

interface SampleFacts {
  readonly sampleRate: number;
  /** Null: not known. */
  readonly usersPerDay: number | null;
  readonly arms: number;
  /** Undefined: not read yet. */
  readonly evaluations: Wire<"JudgesOverview">["evaluations"] | undefined;
  readonly now: number;
}

/** Says what a sampling rate comes to per day, and what the plan's allowance makes of it. */
export function sampleWords({ sampleRate, usersPerDay, arms, evaluations, now }: SampleFacts): string {
  const isKnown = usersPerDay !== null && usersPerDay > 0;
  const calls = isKnown ? usersPerDay : EXAMPLE_CALLS;
  const drawn = Math.ceil((sampleRate * calls) / arms) * arms;
  const perArm = drawn / arms;
  const of = isKnown
    ? `With ${counted(calls, "user")} a day and one call each, ${percent(sampleRate)} are`
    : `Of ${count(calls)} calls a day, ${percent(sampleRate)} are`;
  const days = counted(Math.ceil(NEEDED_PER_ARM / perArm), "day");
  const left = leftPerDay(evaluations, now);
  return [
    `${of} ${counted(drawn, "judged answer")}, ${count(perArm)} per variant: a first result, which needs ${NEEDED_PER_ARM} per variant, after about ${days}.`,
    ...(left === null ? [] : [allowanceWords(left, drawn)]),
  ].join(" ");
}

function allowanceWords(left: number, drawn: number): string {
  const shared = `Your plan leaves ${count(left)} a day until the month ends, shared by all judged metrics`;
  return left < drawn ? `${shared}: then fewer are drawn.` : `${shared}.`;
}

/** Evaluations per day for the rest of the UTC month, today included; null: no bound, or not known. */
function leftPerDay(evaluations: SampleFacts["evaluations"], now: number): number | null {
  if (evaluations === undefined || evaluations.allowance === null) return null;
  const date = new Date(now);
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const days = Math.ceil((end - now) / DAY_MS);
  return Math.floor(Math.max(0, evaluations.allowance - evaluations.used) / days);
}
