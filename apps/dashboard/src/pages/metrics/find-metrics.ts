import type { Wire } from "../../api/types.ts";

/** A metric of the org, and who uses it. */
export type CatalogueEntry = Wire<"MetricCatalogue">["items"][number];

/** Tells whether every word of the text occurs in the metric: its name, kind, description or an experiment's name. */
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

/** Returns the versions that experiments use besides the one shown, newest first. */
export function olderVersions({ definition, used_by: usedBy }: CatalogueEntry): readonly number[] {
  const versions = new Set(usedBy.map(({ metric_version: version }) => version));
  versions.delete(definition.metric_version);
  return [...versions].sort((a, b) => b - a);
}
