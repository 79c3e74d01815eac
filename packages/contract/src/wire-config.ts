import {
  type Experiment,
  hasEnded,
  hidesContent,
  holdbackMap,
  type KeyScope,
  openHold,
  openHoldback,
  qaDigests,
  toWireBuckets,
  type Variant,
} from "@assay/domain";
import type { Static } from "typebox";
import { ClientConfig } from "./schemas/ingest.ts";
import { toWire, type ValueOf } from "./wire.ts";

type Entry = ValueOf<typeof ClientConfig>["experiments"][number];

/**
 * Writes the config that client libraries poll with a key of this scope. It contains every experiment except drafts, the demo
 * (no application runs it), and experiments whose variants another system's flag assigns. A renamed experiment appears again
 * under each former name with the same id, because clients of every version look entries up by name.
 */
export function toWireClientConfig(
  scope: KeyScope,
  configVersion: number,
  experiments: readonly Experiment[],
  formerNames: ReadonlyMap<string, readonly string[]>,
): Static<typeof ClientConfig> {
  const polled = experiments.filter(
    ({ config, isDemo }) => config.status !== "draft" && !isDemo && config.flagKey === null,
  );
  const entries = polled.map((experiment) => toEntry(experiment, scope));
  const taken = new Set(experiments.map(({ config }) => config.name));
  const former = entries.flatMap((entry) =>
    (formerNames.get(entry.id) ?? []).filter((name) => !taken.has(name)).map((name) => ({ ...entry, name })),
  );
  return toWire(ClientConfig, { configVersion, experiments: [...entries, ...former] });
}

/** Nobody gets a variant. Only clients of the previous version read the fields after the status, which they require. */
const ENDED = { status: "stopped", salt: "", bucketCount: 1, buckets: [], variants: [] } as const;

/** The shipped variant owns the only bucket. The status is running so that clients of every version assign it. */
const SHIPPED = { status: "running", shipped: true, bucketCount: 1, buckets: [[1, 0]] } as const;

function toEntry(experiment: Experiment, scope: KeyScope): Entry {
  const { id, version, config, bucketMap } = experiment;
  const { name, status, unit, salt, bucketCount, control, shippedVariant } = config;
  const isHidden = hidesContent(config, scope);
  const variants = isHidden ? config.variants.map(withoutContent) : config.variants;
  const assigned = unit !== "user" && { unit };
  const tracked = !isHidden && { businessMetrics: businessMetricsOf(config) };
  if (shippedVariant !== null && openHoldback(config) !== null) {
    // Not marked as shipped: every client version must record the exposures that the comparison needs.
    const given = variants.filter(({ key }) => key === shippedVariant || key === control);
    const buckets = toWireBuckets(
      holdbackMap(experiment),
      given.map(({ key }) => key),
    );
    const common = { id, name, version, status: "running", salt, bucketCount, buckets } as const;
    return { ...common, variants: given, control, ...tracked, ...assigned };
  }
  if (shippedVariant !== null) {
    const shipped = variants.filter(({ key }) => key === shippedVariant);
    return { id, name, version, ...SHIPPED, salt, variants: shipped, control };
  }
  if (hasEnded(status) || openHold(config) !== null) return { id, name, version, ...ENDED };
  const keys = variants.map(({ key }) => key);
  const buckets = toWireBuckets(bucketMap, keys);
  const qaUsers = qaDigests({ id, config });
  const listed = Object.keys(qaUsers).length > 0 && { qaUsers };
  const running = {
    id,
    name,
    version,
    status: "running",
    salt,
    bucketCount,
    buckets,
    variants,
    control,
  } as const;
  return { ...running, ...tracked, ...listed, ...assigned };
}

function businessMetricsOf({ metrics }: Experiment["config"]): string[] {
  const names = metrics.flatMap(({ source }) =>
    source.event === "business_event" ? [source.businessMetric] : [],
  );
  return [...new Set(names)].sort();
}

/** Clients of every version read null as "no content" and return the caller's defaults. */
const withoutContent = (variant: Variant): Variant => ({ ...variant, prompt: null, variables: null });
