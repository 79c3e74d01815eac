import type { ShownAnswer } from "../judge/pairwise-request.ts";
import type { Preference, RehearsalPlan } from "./rehearsal.ts";

/** `answer`: by an arm. `judgement`: of a pair of answers, in one order. `score`: of one answer. */
export const REHEARSAL_REQUESTS = ["answer", "judgement", "score"] as const;

/** A request about one input. */
export interface RehearsalRequest {
  readonly kind: (typeof REHEARSAL_REQUESTS)[number];
  /** Number of the arm: of the treatment, for a judgement. */
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

/** The answers to one input, in the order in which they are asked for: control and treatments of a repeat together. */
export function answersOf({ arms, repeats }: PlanShape): readonly RehearsalRequest[] {
  return Array.from({ length: repeats }, (_, repeat) =>
    Array.from({ length: arms.length }, (__, arm) => ({ kind: "answer", arm, repeat, first: null }) as const),
  ).flat();
}

/** Number of a request among all those that its input may need. */
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

/** Arms whose answers a judge is shown: control first, where there are two. None for an answer. */
export function judgedArms({ kind, arm }: Pick<RehearsalRequest, "kind" | "arm">): readonly number[] {
  if (kind === "answer") return [];
  return kind === "score" ? [arm] : [0, arm];
}

/** Whose answer the judge preferred, when control's or the treatment's was shown first. */
export function preferenceOf(better: ShownAnswer, first: RehearsalRequest["first"]): Preference {
  if (better === "tie") return "tie";
  return (better === "first") === (first === "control") ? "control" : "treatment";
}
