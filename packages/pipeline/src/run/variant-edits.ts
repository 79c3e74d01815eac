import type { Experiment, Variant } from "@assay/domain";
import type { VariantEdit } from "../run-frame.ts";

/** Lists the changes of what users of a variant get, from an experiment's versions, oldest first. */
export function variantEdits(versions: readonly Experiment[]): readonly VariantEdit[] {
  return versions.flatMap((version, index) => {
    const before = versions[index - 1];
    if (before === undefined) return [];
    return version.config.variants
      .filter((variant) => isEdited(before.config.variants, variant))
      .map(({ key }) => ({ variant: key, at: version.updatedAt }));
  });
}

function isEdited(before: readonly Variant[], after: Variant): boolean {
  const same = before.find(({ key }) => key === after.key);
  return same !== undefined && content(same) !== content(after);
}

function content({ prompt, variables, enabled }: Variant): string {
  return JSON.stringify([prompt, variables, enabled]);
}
