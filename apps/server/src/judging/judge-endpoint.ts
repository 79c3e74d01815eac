import type { BlindPair, CallTokens, Judge, JudgedText, JudgementFailure, ShownAnswer } from "@assay/domain";

/** What every request to an endpoint has. */
export interface Asking {
  /** The same for every retry of a question, so an endpoint that honors it charges once. */
  readonly idempotencyKey: string;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

export interface JudgeQuestion extends Asking {
  readonly judge: Judge;
  readonly judged: JudgedText;
}

/** Which of two answers is better. */
export interface PairQuestion extends Asking {
  readonly rubric: string;
  readonly pair: BlindPair;
}

export type TransientCause = Extract<
  JudgementFailure,
  "rate-limited" | "timed-out" | "server-error" | "unreachable"
>;

/**
 * A reply without the requested content. A detail never contains the API key; the endpoint's texts are cut to 300
 * characters. Usage is null when the endpoint does not report it.
 */
export type FailedReply =
  /** The model refused to answer. */
  | { readonly kind: "refused"; readonly detail: string; readonly usage: CallTokens | null }
  /** The answer does not have the requested form. Asking again may give one that does. */
  | { readonly kind: "malformed"; readonly detail: string; readonly usage: CallTokens | null }
  /** The endpoint does not accept this request. */
  | { readonly kind: "rejected"; readonly detail: string }
  /** A retry may succeed. */
  | {
      readonly kind: "transient";
      readonly cause: TransientCause;
      readonly detail: string;
      /** How long the endpoint asks to wait; null when it does not say. */
      readonly retryAfterMs: number | null;
    }
  /** The address, key, credit or model is wrong: every request fails until somebody fixes it. */
  | { readonly kind: "fault"; readonly detail: string }
  /** The question's signal aborted the request. */
  | { readonly kind: "aborted" };

/** The reply to a question about one answer. */
export type JudgeReply =
  | {
      readonly kind: "scored";
      readonly score: number;
      readonly reason: string;
      readonly usage: CallTokens | null;
    }
  | FailedReply;

/** The reply to a question about two answers. */
export type PairReply =
  | {
      readonly kind: "preferred";
      readonly better: ShownAnswer;
      readonly reason: string;
      readonly usage: CallTokens | null;
    }
  | FailedReply;

/** A model that scores answers. */
export interface JudgeEndpoint {
  readonly model: string;
  /** Asks once, without retries. Every behavior of the endpoint becomes a reply, never an exception. */
  ask(question: JudgeQuestion): Promise<JudgeReply>;
  /** Asks once which of two answers is better. */
  compare(question: PairQuestion): Promise<PairReply>;
}
