import type { Pick } from "../compare/picks.ts";
import type { ModelPrice } from "../price/model-price.ts";

/** Which of an experiment's calls to compare: the newest of each variant, or those of these ids. */
export interface ComparedCallsQuery {
  readonly orgId: string;
  readonly experimentId: string;
  /** Price the calls that carry no cost; one per model. */
  readonly prices: readonly ModelPrice[];
  readonly eventIds?: readonly string[];
  readonly perVariant: number;
  /** Of all variants together. */
  readonly limit: number;
  /** Calls with a longer prompt are left out; bytes. */
  readonly longestPrompt: number;
  /** Characters of an answer's beginning. */
  readonly answerLength: number;
}

/** A model call with its texts. */
export interface ComparedCall {
  readonly eventId: string;
  readonly userId: string;
  readonly variant: string;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  readonly hasFailed: boolean;
  readonly prompt: string;
  /** Its beginning; null: none was sent. */
  readonly response: string | null;
  /** `response` is not the whole answer. */
  readonly isCut: boolean;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** As sent or else priced. */
  readonly costUsd: number | null;
  readonly latencyMs: number | null;
}

/** Stores which of several answers people found best. */
export interface PickStore {
  /** Stores a pick, in place of an earlier one with its id. */
  put(pick: Pick): Promise<void>;
  /** The newest picks of an experiment. */
  list(orgId: string, experimentId: string, limit: number): Promise<readonly Pick[]>;
  /** Removes the picks that users' answers were in. Returns how many calls went. */
  eraseUsers(users: readonly { readonly orgId: string; readonly userId: string }[]): Promise<number>;
}
