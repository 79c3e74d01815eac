import type { ExperimentEvents } from "./experiment-events.ts";

/** An experiment's calls with a prompt in a time range, except test users' calls. */
export interface PromptedCallsQuery extends ExperimentEvents {
  /** Half-open window, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** A call that was drawn, without its texts. */
export interface PromptedCall {
  readonly eventId: string;
  readonly userId: string;
  readonly occurredAt: number;
  readonly receivedAt: number;
  /** Probability with which a sampler sent the call at all; null: all calls are sent. */
  readonly samplingProbability: number | null;
  /** Length of the prompt in bytes. */
  readonly promptBytes: number;
}
