import type { ExperimentReplay } from "../results/replay.ts";

/** The newest A/A replay of each experiment. */
export interface ReplayStore {
  /** Stores a replay of the org's experiment; replaces the previous one. */
  put(orgId: string, replay: ExperimentReplay): Promise<void>;
  /** Null when the experiment was never replayed. */
  find(orgId: string, experimentId: string): Promise<ExperimentReplay | null>;
}
