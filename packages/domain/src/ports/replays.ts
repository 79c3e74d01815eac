import type { ExperimentReplay } from "../results/replay.ts";

/** The newest A/A replay of each experiment. */
export interface ReplayStore {
  /** Keeps a replay of the org's experiment in place of the previous one. */
  put(orgId: string, replay: ExperimentReplay): Promise<void>;
  /** Null: the experiment was never replayed. */
  find(orgId: string, experimentId: string): Promise<ExperimentReplay | null>;
}
