import type { Pick } from "../compare/picks.ts";
import type { ModelPrice } from "../price/model-price.ts";

/**
 * Selects an experiment's calls to compare: the newest calls of each variant and, for calls that name no variant, of each
 * user; or the calls with the given ids.
 */
export interface ComparedCallsQuery {
  readonly orgId: string;
  readonly experimentId: string;
  /** Price calls without a cost; one per model. */
  readonly prices: readonly ModelPrice[];
  readonly eventIds?: readonly string[];
  readonly perVariant: number;
  /** Over all variants together. */
  readonly limit: number;
  /** Maximum length of a prompt in bytes; calls with a longer prompt are left out. */
  readonly longestPrompt: number;
  /** Number of characters to keep of an answer's beginning. */
  readonly answerLength: number;
}

/** A model call with its texts. */
export interface ComparedCall {
  readonly eventId: string;
  readonly userId: string;
  /** The conversation or the run; null if the unit is the user. */
  readonly unitId: string | null;
  readonly variant: string | null;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  readonly hasFailed: boolean;
  readonly prompt: string;
  /** The beginning of the answer; null when none was sent. */
  readonly response: string | null;
  /** Whether `response` is cut. */
  readonly isCut: boolean;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** As sent, otherwise computed from the prices. */
  readonly costUsd: number | null;
  readonly latencyMs: number | null;
}

/** Stores which of several answers people preferred. */
export interface PickStore {
  /** Stores a pick; replaces an earlier one with the same id. */
  put(pick: Pick): Promise<void>;
  /** The newest picks of an experiment. */
  list(orgId: string, experimentId: string, limit: number): Promise<readonly Pick[]>;
  /** Removes the picks that involve these users' answers. Returns the number of calls removed. */
  eraseUsers(users: readonly { readonly orgId: string; readonly userId: string }[]): Promise<number>;
}
