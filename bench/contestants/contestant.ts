import { randomUUID } from "node:crypto";

/** One client library, set up on the same experiment: running, half of the users to each of two variants. */
export interface Contestant {
  /** Answers the user's variant. */
  decide(user: string): string | null;
  /** Delivers, or drops, the exposures recorded so far. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export const EXPERIMENT_NAME = "answer-style";
export const VARIANT_KEYS = ["base", "concise"] as const;

/**
 * Exposures of a library that hands them to the application: made into an event and serialised, as ours are, and kept
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
