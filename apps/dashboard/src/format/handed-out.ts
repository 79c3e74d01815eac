import type { Experiment } from "../api/types.ts";

type Ended = Pick<Experiment, "status" | "shipped_variant" | "control" | "holdback" | "flag_key"> & {
  readonly decision?: { readonly variant?: string | null } | null | undefined;
};

/** Describes what users get from an experiment that has ended: what POST /v1/assign answers. */
export function handedOutWords(ended: Ended): string {
  const { status, shipped_variant: shipped, decision, control = "control" } = ended;
  const held = ended.holdback?.to === null ? ended.holdback.percent : null;
  if (shipped && held) return `${held}% of all users keep ${control}; everybody else gets ${shipped}.`;
  if (shipped) return `Everybody gets ${shipped}.`;
  if (ended.flag_key)
    return `Users get what the flag ${ended.flag_key} gives them: change it in its own system.`;
  const chosen = decision?.variant ?? null;
  if (chosen === null || chosen === control || status === "archived")
    return `Assay gives nobody a variant: clients get null and fall back to ${control}.`;
  return `Assay gives nobody a variant. To give ${chosen} to everybody, ship it.`;
}
