import type { ShownAnswer } from "../judge/pairwise-request.ts";
import type { Preference, RehearsalPlan } from "./rehearsal.ts";

/** `answer`: an arm answers. `judgement`: the judge compares a pair of answers, in one order. `score`: it scores one answer. */
export const REHEARSAL_REQUESTS = ["answer", "judgement", "score"] as const;

/** A request about one input. */
export interface RehearsalRequest {
  readonly kind: (typeof REHEARSAL_REQUESTS)[number];
  /** Number of the arm; for a judgement, of the treatment. */
  readonly arm: number;
  /** From 0. */
  readonly repeat: number;
  /** Whose answer the judge is shown first; null unless it is a judgement. */
  readonly first: "control" | "treatment" | null;
}

type PlanShape = Pick<RehearsalPlan, "repeats"> & {
  readonly arms: { readonly length: number };
  readonly judge: Pick<RehearsalPlan["judge"], "mode">;
};

const ORDERS = ["control", "treatment"] as const;

/** The requests for answers to one input, in the order of sending: all arms of a repeat together. */
export function answersOf({ arms, repeats }: PlanShape): readonly RehearsalRequest[] {
  return Array.from({ length: repeats }, (_, repeat) =>
    Array.from({ length: arms.length }, (__, arm) => ({ kind: "answer", arm, repeat, first: null }) as const),
  ).flat();
}

/** The number of a request among all requests that its input may need. */
export function stepOf({ arms, repeats }: PlanShape, { kind, arm, repeat, first }: RehearsalRequest): number {
  const own = repeat * arms.length + arm;
  if (kind === "answer") return own;
  const judged = arms.length * repeats;
  return kind === "score" ? judged + own : judged + 2 * own + (first === "control" ? 0 : 1);
}

/**
 * The judgements that a new answer makes possible. `answered`: arms that have answered the same input in the same repeat, this one
 * included.
 */
export function judgementsAfter(
  { judge }: PlanShape,
  { arm, repeat }: Pick<RehearsalRequest, "arm" | "repeat">,
  answered: readonly number[],
): readonly RehearsalRequest[] {
  if (judge.mode === "score") return [{ kind: "score", arm, repeat, first: null }];
  if (!answered.includes(0)) return [];
  const treatments = arm === 0 ? answered.filter((other) => other !== 0) : [arm];
  return treatments.flatMap((treatment) =>
    ORDERS.map((first) => ({ kind: "judgement", arm: treatment, repeat, first }) as const),
  );
}

/** The arms whose answers a judge sees: control first if there are two. Empty for a request of kind `answer`. */
export function judgedArms({ kind, arm }: Pick<RehearsalRequest, "kind" | "arm">): readonly number[] {
  if (kind === "answer") return [];
  return kind === "score" ? [arm] : [0, arm];
}

/** Translates the judge's preference for the first or second answer into an arm. `first`: whose answer was shown first. */
export function preferenceOf(better: ShownAnswer, first: RehearsalRequest["first"]): Preference {
  if (better === "tie") return "tie";
  return (better === "first") === (first === "control") ? "control" : "treatment";
}
