import { type Experiment, toWireBuckets } from "@assay/domain";
import type { Static } from "typebox";
import type { ClientConfig } from "./schemas/ingest.ts";

/** Writes the config that client libraries poll: every experiment but drafts, and the demo, which no application runs. */
export function toWireClientConfig(
  configVersion: number,
  experiments: readonly Experiment[],
): Static<typeof ClientConfig> {
  return {
    config_version: configVersion,
    experiments: experiments.flatMap((experiment) =>
      experiment.config.status === "draft" || experiment.isDemo ? [] : [toWire(experiment)],
    ),
  };
}

function toWire({
  id,
  version,
  config,
  bucketMap,
}: Experiment): Static<typeof ClientConfig>["experiments"][number] {
  return {
    id,
    name: config.name,
    version,
    status: config.status === "stopped" ? "stopped" : "running",
    salt: config.salt,
    bucket_count: config.bucketCount,
    buckets: toWireBuckets(
      bucketMap,
      config.variants.map(({ key }) => key),
    ).map(([end, index]) => [end, index]),
    variants: config.variants.map(({ key, prompt, variables, enabled }) => ({
      key,
      prompt,
      variables: variables as Record<string, unknown> | null,
      enabled,
    })),
    control: config.control,
  };
}
