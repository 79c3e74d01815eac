import {
  type ConfigInput,
  type ControlStores,
  datedConfig,
  type Experiment,
  metricHistory,
  nextVersion,
  type SharedMetrics,
} from "@assay/domain";

interface Minting {
  readonly stores: Pick<ControlStores, "experiments">;
  readonly shared: SharedMetrics;
  readonly at: number;
  /** Id of the person, or `system`. */
  readonly by: string;
}

/** Stores the next version of an experiment, which the transaction must have locked. Throws `invalid-body`. */
export async function mintVersion(
  current: Experiment,
  change: Partial<ConfigInput>,
  { stores: { experiments }, shared, at, by }: Minting,
): Promise<Experiment> {
  const { id, orgId, servedAt } = current;
  const claims = servedAt === null ? await experiments.listClaims(id) : new Set<number>();
  // Most changes leave the metrics alone, so they need not load every version.
  const isAboutHistory = change.metrics !== undefined || change.holdback;
  const versions = isAboutHistory ? await experiments.listVersions(orgId, id) : [current];
  const { config, bucketMap } = nextVersion(current, change, claims, {
    history: metricHistory(versions),
    shared,
    wasShipped: versions.some(({ config }) => config.shippedVariant !== null),
  });
  const content = { bucketMap, config: datedConfig(config, current.config, at) };
  return experiments.putVersion({ ...content, id, orgId, version: current.version + 1, at, by });
}
