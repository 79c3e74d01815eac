import type { JsonObject } from "../json.ts";
import type { JudgeScale } from "../judge/judge.ts";

/** An arm of a rehearsal. It answers each input with this prompt, model and parameters. */
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

/** The request for a rehearsal. It never changes after creation. */
export interface RehearsalPlan {
  readonly datasetId: string;
  /** The first is control. 2 to 5. */
  readonly arms: readonly RehearsalArm[];
  /** How often each arm answers each input. */
  readonly repeats: number;
  readonly judge: RehearsalJudge;
  /**
   * Largest acceptable loss of quality. In `pairwise`, a loss of preference, which ranges from -1 (control is always preferred) to 1;
   * in `score`, points of the scale.
   */
  readonly margin: number;
  /** No new request is sent once answers and judgements together have cost this much. */
  readonly budgetUsd: number;
}

/** An answer that an arm gave to an input. */
export interface RehearsalAnswer {
  readonly itemId: string;
  readonly arm: string;
  /** From 0. */
  readonly repeat: number;
  readonly hasFailed: boolean;
  /** This and the following fields are null for a failed request. */
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

/** All facts about a rehearsal that its analysis reads. `items` includes inputs without an answer yet. */
export interface RehearsalFacts {
  readonly plan: RehearsalPlan;
  /** In the order in which inputs are processed. It was drawn at random when the rehearsal was created. */
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
  /** Pairs of equal answers, by their treatment. They are never judged. Absent: none. */
  readonly same?: readonly Pick<AnswerScore, "itemId" | "arm" | "repeat">[];
  /** Judgements that failed for good: answers in mode `score`, pairs by their treatment in `pairwise`. Absent: none. */
  readonly unjudged?: readonly Pick<AnswerScore, "itemId" | "arm" | "repeat">[];
}
