import type { Experiment, ExperimentStatus } from "@assay/domain";

/** Makes the filter for a list's `status`. Without a status, it lists everything but archived experiments. */
export function isListed(
  asked: ExperimentStatus | undefined,
): (experiment: Pick<Experiment, "config">) => boolean {
  return ({ config: { status } }) => (asked === undefined ? status !== "archived" : status === asked);
}
