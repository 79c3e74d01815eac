import type { Experiment } from "../api/types.ts";
import { armColors } from "./arm-colors.ts";

/** The variants of an experiment as pages show them. */
export interface Arms {
  readonly control: string;
  /** Control first. */
  readonly keys: readonly string[];
  readonly treatments: readonly string[];
  readonly colors: ReadonlyMap<string, string>;
}

/** Reads an experiment's variants. */
export function armsOf({
  variants = [],
  allocation,
  control,
}: Pick<Experiment, "variants" | "allocation" | "control">): Arms {
  const all = variants.length > 0 ? variants.map(({ key }) => key) : allocation.map(({ variant }) => variant);
  const first = control ?? all[0] ?? "control";
  const treatments = all.filter((key) => key !== first);
  return { control: first, keys: [first, ...treatments], treatments, colors: armColors(all, first) };
}
