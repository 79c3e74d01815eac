import type { Experiment, ExperimentStatus } from "@assay/domain";

/** Makes the filter of a list's `status`: without one, everything but archived experiments is listed. */
export function isListed(
  asked: ExperimentStatus | undefined,
): (experiment: Pick<Experiment, "config">) => boolean {
  return ({ config: { status } }) => (asked === undefined ? status !== "archived" : status === asked);
}
