import {
  type AllocationPeriod,
  allocationPeriods,
  type Experiment,
  type ExperimentStore,
} from "@assay/domain";

/**
 * Keeps the allocation periods of the guarded experiments in memory. They change with the version alone, and an experiment may have
 * thousands of versions.
 */
export function createKnownPeriods(experiments: Pick<ExperimentStore, "listVersions">) {
  const byExperiment = new Map<
    string,
    { readonly version: number; readonly periods: readonly AllocationPeriod[] }
  >();
  return {
    async load({
      orgId,
      id,
      version,
    }: Pick<Experiment, "orgId" | "id" | "version">): Promise<readonly AllocationPeriod[]> {
      const known = byExperiment.get(id);
      if (known?.version === version) return known.periods;
      const versions = await experiments.listVersions(orgId, id);
      const periods = allocationPeriods(versions.filter((one) => one.version <= version).toReversed());
      byExperiment.set(id, { version, periods });
      return periods;
    },
    /** Forgets the experiments that are not among these. */
    keepOnly(experimentIds: ReadonlySet<string>): void {
      for (const id of byExperiment.keys()) if (!experimentIds.has(id)) byExperiment.delete(id);
    },
  };
}
