import { useMemo } from "react";
import type { Experiment } from "../api/types.ts";

/** Treatment colors that color-blind readers can distinguish (Okabe & Ito 2008, adjusted for contrast); base.css defines them for light and dark. */
const NAMED = 6;
/** Hues of further treatments, between those of the named ones. A variant's name is always shown next to its color. */
const FURTHER_HUES = [20, 110, 195, 305, 345, 80, 135, 220, 265, 0, 60, 165, 285];

/** Returns each variant's color as a CSS value: control is always gray, and a variant has the same color on every page. */
export function armColors(variants: readonly string[], control: string): ReadonlyMap<string, string> {
  const treatments = variants.filter((key) => key !== control);
  return new Map([
    [control, "var(--arm-control)"],
    ...treatments.map((key, index) => [key, colorOf(index)] as const),
  ]);
}

function colorOf(index: number): string {
  if (index < NAMED) return `var(--arm-${index})`;
  const hue = FURTHER_HUES[(index - NAMED) % FURTHER_HUES.length];
  return `light-dark(oklch(0.48 0.12 ${hue}), oklch(0.8 0.11 ${hue}))`;
}

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

const NONE: ReadonlyMap<string, string> = new Map();

/** Returns the colors of an experiment's variants as a stable map; empty while it loads. */
export function useArmColors(experiment: Experiment | undefined): ReadonlyMap<string, string> {
  return useMemo(() => (experiment === undefined ? NONE : armsOf(experiment).colors), [experiment]);
}
