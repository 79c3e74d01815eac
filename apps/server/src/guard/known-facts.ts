import type { Experiment } from "@assay/domain";

/** A fact about each guarded experiment, read again only when its number (a version, that of the newest entry) changes. */
export interface KnownFacts<T> {
  load(experiment: Experiment, number: number): Promise<T>;
  /** Forgets the experiments that are not among these. */
  keepOnly(experimentIds: ReadonlySet<string>): void;
}

/** Keeps what `read` returns in memory. */
export function createKnownFacts<T>(read: (experiment: Experiment) => Promise<T>): KnownFacts<T> {
  const byExperiment = new Map<string, { readonly number: number; readonly fact: T }>();
  return {
    async load(experiment, number) {
      const known = byExperiment.get(experiment.id);
      if (known?.number === number) return known.fact;
      const fact = await read(experiment);
      byExperiment.set(experiment.id, { number, fact });
      return fact;
    },
    keepOnly(experimentIds) {
      for (const id of byExperiment.keys()) if (!experimentIds.has(id)) byExperiment.delete(id);
    },
  };
}
