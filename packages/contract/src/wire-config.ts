import { type Experiment, hasEnded, toWireBuckets } from "@assay/domain";
import type { Static } from "typebox";
import { ClientConfig } from "./schemas/ingest.ts";
import { toWire, type ValueOf } from "./wire.ts";

type Entry = ValueOf<typeof ClientConfig>["experiments"][number];

/**
 * Writes the config that client libraries poll: every experiment but drafts, and the demo, which no application runs. A renamed
 * experiment is listed again, with the same id, under each former name: clients of every version index the entries by name.
 */
export function toWireClientConfig(
  configVersion: number,
  experiments: readonly Experiment[],
  formerNames: ReadonlyMap<string, readonly string[]>,
): Static<typeof ClientConfig> {
  const polled = experiments.filter(({ config, isDemo }) => config.status !== "draft" && !isDemo);
  const entries = polled.map(toEntry);
  const taken = new Set(experiments.map(({ config }) => config.name));
  const former = entries.flatMap((entry) =>
    (formerNames.get(entry.id) ?? []).filter((name) => !taken.has(name)).map((name) => ({ ...entry, name })),
  );
  return toWire(ClientConfig, { configVersion, experiments: [...entries, ...former] });
}

/** Fillers: clients of the previous version read no experiment without them; this version needs only id, name and status. */
const ENDED = { status: "stopped", salt: "", bucketCount: 1, buckets: [], variants: [] } as const;

function toEntry({ id, version, config, bucketMap }: Experiment): Entry {
  const { name, status, salt, bucketCount, variants, control } = config;
  if (hasEnded(status)) return { id, name, version, ...ENDED };
  const keys = variants.map(({ key }) => key);
  const buckets = toWireBuckets(bucketMap, keys);
  return { id, name, version, status: "running", salt, bucketCount, buckets, variants, control };
}
