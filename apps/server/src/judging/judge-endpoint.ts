import type { BlindCall, CallTokens, Judge, JudgementFailure } from "@assay/domain";

export interface JudgeQuestion {
  readonly judge: Judge;
  readonly call: BlindCall;
  /** The same whenever the same question is asked again: an endpoint that honours it charges once. */
  readonly idempotencyKey: string;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

export type TransientCause = Extract<
  JudgementFailure,
  "rate-limited" | "timed-out" | "server-error" | "unreachable"
>;

/** What came of a question. No detail holds the key; words of the endpoint are cut to 300 characters. */
export type JudgeReply =
  | {
      readonly kind: "scored";
      readonly score: number;
      readonly reason: string;
      /** Null: the endpoint does not say. As all of these. */
      readonly usage: CallTokens | null;
    }
  /** The judge does not want to score this call. */
  | { readonly kind: "refused"; readonly detail: string; readonly usage: CallTokens | null }
  /** An answer that is no judgement: asked again, it may be one. */
  | { readonly kind: "malformed"; readonly detail: string; readonly usage: CallTokens | null }
  /** The endpoint does not take this one request. */
  | { readonly kind: "rejected"; readonly detail: string }
  /** Later it may work. */
  | {
      readonly kind: "transient";
      readonly cause: TransientCause;
      readonly detail: string;
      /** How long the endpoint asks to wait; null: it does not say. */
      readonly retryAfterMs: number | null;
    }
  /** Address, key, credit or model are wrong: no request will do until somebody mends it. */
  | { readonly kind: "fault"; readonly detail: string }
  /** By the question's signal. */
  | { readonly kind: "aborted" };

/** Whoever scores answers. */
export interface JudgeEndpoint {
  readonly model: string;
  /** Asks once, without trying again; never throws for what an endpoint does. */
  ask(question: JudgeQuestion): Promise<JudgeReply>;
}
