import type { Stratum } from "@assay/stats";
import type { Repetitions } from "../harness/cell.ts";
import { type Design, drawStrata } from "../populations/design.ts";
import type { Population } from "../populations/population.ts";
import type { Draw } from "../random/draw.ts";

/** Which test is run on which users; `Outcome` is the test's result. */
export interface Comparison<U, Outcome> {
  readonly test: {
    readonly name: string;
    readonly repetitions: Repetitions;
    readonly run: (strata: readonly Stratum<readonly U[]>[], seed: number) => Outcome;
  };
  readonly population: Population<U>;
  readonly design: Design;
}

/** Draws the users of a comparison and runs its test on them. */
export function compare<U, Outcome>(
  { test, population, design }: Comparison<U, Outcome>,
  draw: Draw,
): Outcome {
  return test.run(drawStrata(draw, design, population.user), draw.seed());
}

/** Names a comparison within a section: part of the cell's id and so of its seed. */
export function comparisonId<U, Outcome>({ test, population, design }: Comparison<U, Outcome>): string {
  return [test.name, population.name, design.name]
    .map((part) =>
      part
        .toLowerCase()
        .replaceAll("%", "pct")
        .replaceAll(/[^a-z0-9.]+/g, "-")
        .replaceAll(/^-|-$/g, ""),
    )
    .join("/");
}

/** The label columns of a comparison. */
export const COMPARISON_HEADS = ["test", "users", "per arm"];

/** Fills the label columns. */
export function comparisonLabels<U, Outcome>({
  test,
  population,
  design,
}: Comparison<U, Outcome>): readonly string[] {
  return [test.name, population.name, design.name];
}

/** Returns whether an interval contains a value; null without an interval. */
export function holds(low: number | null, high: number | null, value: number): number | null {
  return low === null || high === null ? null : Number(low <= value && value <= high);
}

/** Returns whether a test rejects at 5 %; null when it has no answer. */
export function rejects(outcome: { readonly pValue: number } | null): number | null {
  return outcome === null ? null : Number(outcome.pValue <= 0.05);
}
