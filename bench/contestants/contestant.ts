import { randomUUID } from "node:crypto";

/**
 * A client library, set up with the same experiment: running, with half of the users in each of two variants.
 */
export interface Contestant {
  /** Returns the user's variant. */
  decide(user: string): string | null;
  /** Delivers or drops the exposures recorded so far. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export const EXPERIMENT_NAME = "answer-style";
export const VARIANT_KEYS = ["base", "concise"] as const;

/**
 * Exposures of a library that passes them to the application. They are made into an event, serialized like ours, and kept
 * for a batch.
 */
export class AppExposures {
  #rows: string[] = [];

  record(user: string, variant: string): void {
    const event = {
      experiment_id: EXPERIMENT_NAME,
      user_id: user,
      variant,
      event_id: randomUUID(),
      type: "exposure",
      timestamp: new Date().toISOString(),
    };
    this.#rows.push(JSON.stringify(event));
  }

  clear(): void {
    this.#rows = [];
  }
}
