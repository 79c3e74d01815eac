import type { ExclusionMatch } from "../attribution/exclusions.ts";
import type { Experiment } from "../experiment/config.ts";
import type { ExperimentUnit } from "../experiment/unit.ts";

/** The events of an experiment that a query reads. */
export interface ExperimentEvents {
  readonly orgId: string;
  readonly experimentId: string;
  /** Events that match any of these are ignored. */
  readonly exclusions: readonly ExclusionMatch[];
}

/** The events of an experiment that a query reads unit by unit. */
export interface EventsOfUnits extends ExperimentEvents {
  readonly unit: ExperimentUnit;
}

/** Selects the events of an experiment, except those that match any of the exclusions. */
export function eventsOf(
  { orgId, id, config }: Pick<Experiment, "orgId" | "id" | "config">,
  exclusions: readonly ExclusionMatch[],
): EventsOfUnits {
  return { orgId, experimentId: id, unit: config.unit, exclusions };
}

/** Returns the ids of the experiments whose unit is not the user. */
export function experimentsOfUnits(experiments: readonly Pick<Experiment, "id" | "config">[]): string[] {
  return experiments.filter(({ config }) => config.unit !== "user").map(({ id }) => id);
}
