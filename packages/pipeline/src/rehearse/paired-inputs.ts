import { type RehearsalAnswer, type RehearsalFacts, type RehearsalMetric, SCALE_RANGES } from "@assay/domain";
import { sumOf } from "@assay/stats";
import type { IndexedFacts, Place } from "./index-facts.ts";

/** An input that both arms answered in every repeat. */
export interface PairedInput {
  readonly cluster: number;
  /** Number of calls that it stands for: 1 / probability of its draw. */
  readonly weight: number;
  readonly pairs: readonly AnswerPair[];
}

/** The answers of both arms to an input in one repeat. */
export interface AnswerPair {
  readonly control: RehearsalAnswer;
  readonly treatment: RehearsalAnswer;
  /** In mode `score`, NaN without a judgement. */
  readonly scores: { readonly control: number; readonly treatment: number };
  /** In mode `pairwise`, -1 to 1; NaN without both judgements. */
  readonly preference: number;
  /** A person's, -1 to 1; NaN if nobody picked. */
  readonly pick: number;
  /** Whether the two answers are equal, so that no judgement was needed. */
  readonly isSame: boolean;
  readonly isUnjudged: boolean;
}

/** Lists the inputs that control and this arm (from 1) answered in every repeat, in the rehearsal's order. */
export function pairInputs(
  { plan, items }: RehearsalFacts,
  known: IndexedFacts,
  arm: number,
): readonly PairedInput[] {
  const { min } = SCALE_RANGES[plan.judge.scale];
  const repeats = Array.from({ length: plan.repeats }, (_, repeat) => repeat);
  return items.flatMap(({ cluster, probability }, item) => {
    const pairs = repeats.flatMap((repeat) => pairOf({ item, arm, repeat }, known, min) ?? []);
    return pairs.length < plan.repeats ? [] : { cluster, weight: 1 / probability, pairs };
  });
}

function pairOf(place: Place, known: IndexedFacts, smallestScore: number): AnswerPair | null {
  const ofControl = { ...place, arm: 0 };
  const [control, treatment] = [known.answer(ofControl), known.answer(place)];
  if (control === undefined || treatment === undefined) return null;
  const isJudged = !control.hasFailed && !treatment.hasFailed;
  return {
    control,
    treatment,
    scores: {
      control: control.hasFailed ? smallestScore : known.score(ofControl),
      treatment: treatment.hasFailed ? smallestScore : known.score(place),
    },
    // The mean over both orders: the position's effect cancels out, and a contradiction becomes a tie.
    preference: isJudged
      ? (known.controlFirst(place) + known.treatmentFirst(place)) / 2
      : Number(control.hasFailed) - Number(treatment.hasFailed),
    pick: isJudged ? known.pick(place) : Number.NaN,
    isSame: known.isSame(place),
    isUnjudged: known.isUnjudged(place) || known.isUnjudged(ofControl),
  };
}

/** Returns whether this pair needed a judgement, because both arms answered and the answers differ. */
export function isJudgeable({ control, treatment, isSame }: AnswerPair): boolean {
  return !control.hasFailed && !treatment.hasFailed && !isSame;
}

/** The values of an input: means over its repeats. The arms' values are null if only the difference exists. */
export interface InputValues {
  readonly cluster: number;
  readonly weight: number;
  readonly control: number | null;
  readonly treatment: number | null;
  readonly value: number;
}

type Side = "control" | "treatment";

/** An answer's value in each metric that is measured per arm; NaN if it has none. */
const VALUE_OF: Readonly<
  Record<Exclude<RehearsalMetric, "preference">, (pair: AnswerPair, side: Side) => number>
> = {
  score: ({ scores }, side) => scores[side],
  error: (pair, side) => Number(pair[side].hasFailed),
  latency_ms: (pair, side) => pair[side].latencyMs ?? Number.NaN,
  cost_usd: (pair, side) => pair[side].costUsd ?? Number.NaN,
  output_tokens: (pair, side) => pair[side].outputTokens ?? Number.NaN,
  length: (pair, side) => pair[side].length ?? Number.NaN,
};

/** Lists the inputs with a value of the metric: judged in every repeat, or with an answer that did not fail in each arm. */
export function inputValues(inputs: readonly PairedInput[], metric: RehearsalMetric): readonly InputValues[] {
  return inputs.flatMap(({ cluster, weight, pairs }) => {
    if (metric === "preference") {
      const value = meanOf(pairs.map(({ preference }) => preference));
      return Number.isNaN(value) ? [] : { cluster, weight, control: null, treatment: null, value };
    }
    const ofArm = (side: Side) => {
      const values = pairs.map((pair) => VALUE_OF[metric](pair, side));
      return meanOf(metric === "score" ? values : values.filter((value) => !Number.isNaN(value)));
    };
    const [control, treatment] = [ofArm("control"), ofArm("treatment")];
    const value = treatment - control;
    return Number.isNaN(value) ? [] : { cluster, weight, control, treatment, value };
  });
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}
