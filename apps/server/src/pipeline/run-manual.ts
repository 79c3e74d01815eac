import type { Experiment, ExperimentResults } from "@assay/domain";
import { runExperiment } from "@assay/pipeline";
import type { Deps } from "../deps.ts";
import { waitForDrainOrWarn } from "../worker/wait-for-drain.ts";
import { pipelineDeps } from "./run-nightly.ts";

const SETTLE_MS = 5_000;

/** Computes a preliminary run over a window that ends now and stores it under its manual label (spec §1.7). */
export async function runManual(experiment: Experiment, deps: Deps): Promise<ExperimentResults> {
  deps.pipeline.prepare();
  await waitForDrainOrWarn(SETTLE_MS, deps);
  const at = deps.clock.now();
  const { results } = await runExperiment(
    experiment,
    { label: { kind: "manual", at }, until: at },
    await pipelineDeps(experiment.orgId, deps),
  );
  return results;
}
