import type { CallTokens, Judge, JudgedText, JudgementFailure } from "@assay/domain";

export interface JudgeQuestion {
  readonly judge: Judge;
  readonly judged: JudgedText;
  /** Equal for every retry of the same question: an endpoint that honors it charges once. */
  readonly idempotencyKey: string;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

export type TransientCause = Extract<
  JudgementFailure,
  "rate-limited" | "timed-out" | "server-error" | "unreachable"
>;

/** The reply to a question. A detail never contains the API key; texts of the endpoint are cut to 300 characters. */
export type JudgeReply =
  | {
      readonly kind: "scored";
      readonly score: number;
      readonly reason: string;
      /** Null when the endpoint does not report it; likewise in the other replies. */
      readonly usage: CallTokens | null;
    }
  /** The judge refused to score this call. */
  | { readonly kind: "refused"; readonly detail: string; readonly usage: CallTokens | null }
  /** The answer is not a judgement. Asking again may give one. */
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

/** A model that scores answers. */
export interface JudgeEndpoint {
  readonly model: string;
  /** Asks once, without retries. Every behavior of the endpoint becomes a reply, never an exception. */
  ask(question: JudgeQuestion): Promise<JudgeReply>;
}
