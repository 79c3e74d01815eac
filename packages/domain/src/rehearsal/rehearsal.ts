import type { JsonObject } from "../json.ts";
import type { JudgeScale } from "../judge/judge.ts";

/** What a rehearsal compares: an answer to each input is made with this prompt, model and these parameters. */
export interface RehearsalArm {
  readonly name: string;
  /** The system message; null: none. */
  readonly prompt: string | null;
  readonly model: string;
  /** Sent with each request: `temperature`, `max_tokens` and the like. */
  readonly parameters: JsonObject;
}

/** `pairwise`: which of two answers is better, asked in both orders. `score`: each answer by itself, on a scale. */
export const REHEARSAL_JUDGE_MODES = ["pairwise", "score"] as const;
export type RehearsalJudgeMode = (typeof REHEARSAL_JUDGE_MODES)[number];

export interface RehearsalJudge {
  readonly rubric: string;
  readonly mode: RehearsalJudgeMode;
  /** Only for mode `score`. */
  readonly scale: JudgeScale;
}

/** What was asked for. It does not change once the rehearsal was created. */
export interface RehearsalPlan {
  readonly datasetId: string;
  /** The first is control. 2 to 5. */
  readonly arms: readonly RehearsalArm[];
  /** How often each arm answers each input. */
  readonly repeats: number;
  readonly judge: RehearsalJudge;
  /**
   * Largest acceptable loss of quality: in `pairwise`, of the preference, which runs from -1 (control is always preferred) over 0 to 1;
   * in `score`, in points of the scale.
   */
  readonly margin: number;
  /** No new request is made once this much was spent, for answers and judgements together. */
  readonly budgetUsd: number;
}

/** An answer that an arm gave to an input. */
export interface RehearsalAnswer {
  readonly itemId: string;
  readonly arm: string;
  /** From 0. */
  readonly repeat: number;
  readonly hasFailed: boolean;
  /** Null for a failed request, as are the following. */
  readonly latencyMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Null also if the model has no price. */
  readonly costUsd: number | null;
  /** Characters. */
  readonly length: number | null;
}

/** Which answer was preferred. */
export const PREFERENCES = ["control", "treatment", "tie"] as const;
export type Preference = (typeof PREFERENCES)[number];

/** One judgement of a pair of answers to the same input. Each pair is judged in both orders. */
export interface PairJudgement {
  readonly itemId: string;
  readonly treatment: string;
  readonly repeat: number;
  /** Whose answer the judge was shown first. */
  readonly first: "control" | "treatment";
  readonly preference: Preference;
}

/** A score of one answer, in mode `score`. A failed answer has the smallest score of the scale. */
export interface AnswerScore {
  readonly itemId: string;
  readonly arm: string;
  readonly repeat: number;
  readonly score: number;
}

/** A person's blind choice between two answers to the same input, of pairs that were shown at random. */
export interface PairPick {
  readonly itemId: string;
  readonly treatment: string;
  readonly repeat: number;
  readonly preference: Preference;
}

/** All that is known of a rehearsal, as its analysis reads it. Inputs that were not answered yet are in `items` too. */
export interface RehearsalFacts {
  readonly plan: RehearsalPlan;
  /** In the order in which inputs are worked on, which was drawn at random when the rehearsal was created. */
  readonly items: readonly {
    readonly id: string;
    /** Number of the user; each input without a known user has a number of its own. */
    readonly cluster: number;
    readonly probability: number;
  }[];
  readonly answers: readonly RehearsalAnswer[];
  readonly judgements: readonly PairJudgement[];
  readonly scores: readonly AnswerScore[];
  readonly picks: readonly PairPick[];
  /** Pairs of equal answers, by their treatment: nobody is asked about these. None if absent. */
  readonly same?: readonly Pick<AnswerScore, "itemId" | "arm" | "repeat">[];
  /** What the judge failed for good to judge: answers in mode `score`, in `pairwise` pairs by their treatment. None if absent. */
  readonly unjudged?: readonly Pick<AnswerScore, "itemId" | "arm" | "repeat">[];
}
