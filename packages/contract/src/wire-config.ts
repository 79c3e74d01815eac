import { type Experiment, toWireBuckets } from "@assay/domain";
import type { Static } from "typebox";
import { ClientConfig } from "./schemas/ingest.ts";
import { toWire, type ValueOf } from "./wire.ts";

/** Writes the config that client libraries poll: every experiment but drafts, and the demo, which no application runs. */
export function toWireClientConfig(
  configVersion: number,
  experiments: readonly Experiment[],
): Static<typeof ClientConfig> {
  const polled = experiments.filter(({ config, isDemo }) => config.status !== "draft" && !isDemo);
  return toWire(ClientConfig, { configVersion, experiments: polled.map(toClientExperiment) });
}

function toClientExperiment({
  id,
  version,
  config: { name, status, salt, bucketCount, variants, control },
  bucketMap,
}: Experiment): ValueOf<typeof ClientConfig>["experiments"][number] {
  return {
    id,
    name,
    version,
    status: status === "stopped" ? "stopped" : "running",
    salt,
    bucketCount,
    buckets: toWireBuckets(
      bucketMap,
      variants.map(({ key }) => key),
    ),
    variants,
    control,
  };
}
