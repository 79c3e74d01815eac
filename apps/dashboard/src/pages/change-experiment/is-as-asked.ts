import type { Experiment } from "../../api/types.ts";
import { sharesByVariant } from "./shares-by-variant.ts";

/** Whole buckets cannot meet every weight exactly. */
const TOLERANCE = 0.005;

/** Tells whether the split in force is what weights and coverage ask for. */
export function isAsAsked({
  allocation,
  coverage,
  effective_allocation,
}: Pick<Experiment, "allocation" | "coverage" | "effective_allocation">): boolean {
  const asked = sharesByVariant(allocation);
  const keys = new Set([...asked.keys(), ...Object.keys(effective_allocation)]);
  return [...keys].every((key) => {
    const wanted = (asked.get(key) ?? 0) * (coverage ?? 1);
    return Math.abs(wanted - (effective_allocation[key] ?? 0)) < TOLERANCE;
  });
}
