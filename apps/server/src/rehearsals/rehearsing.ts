import type { Rehearsal, RehearsalReport } from "@assay/domain";

/** Makes the requests of running rehearsals. */
export interface Rehearsing {
  /** Whether there are an endpoint and a judge to ask. */
  readonly isConfigured: boolean;
  /** Looks for requests now instead of in the next round. Does nothing in a process that makes no requests. */
  wake(): void;
  /** The results so far, at most a few seconds old while a large rehearsal runs. */
  report(rehearsal: Rehearsal): Promise<RehearsalReport>;
}
