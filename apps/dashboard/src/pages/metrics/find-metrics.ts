import type { Wire } from "../../api/types.ts";
import type { Unit } from "../../format/unit-words.ts";

/** A metric of the org and the experiments that use it. */
export type CatalogueEntry = Wire<"MetricCatalogue">["items"][number];

/** Returns whether every word occurs in the metric's name, category, kind, description or experiments. */
export function matches({ definition, used_by: usedBy }: CatalogueEntry, text: string): boolean {
  const { name, category, kind, description } = definition;
  const all = [name, category, kind, description ?? "", ...usedBy.map((experiment) => experiment.name)]
    .join(" ")
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Returns the other versions in use, newest first. */
export function olderVersions({ definition, used_by: usedBy }: CatalogueEntry): readonly number[] {
  const versions = new Set(usedBy.map(({ metric_version: version }) => version));
  versions.delete(definition.metric_version);
  return [...versions].sort((a, b) => b - a);
}

/** Returns the units of the experiments that use the metric, each once. Returns users if none does. */
export function unitsOf({ used_by: usedBy }: Pick<CatalogueEntry, "used_by">): readonly Unit[] {
  const units = [...new Set(usedBy.map(({ unit }) => unit))];
  return units.length === 0 ? ["user"] : units;
}
