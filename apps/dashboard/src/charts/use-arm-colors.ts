import { useMemo } from "react";
import type { Experiment } from "../api/types.ts";
import { armsOf } from "./arms.ts";

const NONE: ReadonlyMap<string, string> = new Map();

/** Returns the colors of an experiment's variants as a stable map; empty while it loads. */
export function useArmColors(experiment: Experiment | undefined): ReadonlyMap<string, string> {
  return useMemo(() => (experiment === undefined ? NONE : armsOf(experiment).colors), [experiment]);
}
