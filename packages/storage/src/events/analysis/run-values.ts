import {
  type AgentRun,
  type AgentRunOutcome,
  type ExperimentUnit,
  isOver,
  outcomeOf,
  runFromExposure,
  valueOfRun,
} from "@assay/domain";
import { addExactly } from "@assay/stats";
import { agentRunOf, type UnitRuns } from "../units/agent-runs.ts";
import { addValue, type FirstExposure, newValues, type UnitValues } from "../units/unit.ts";
import type { ValuesColumn } from "./metric-columns.ts";

/** A finished run, and how many runs it counts for. */
interface CountedRun {
  readonly run: AgentRun;
  readonly weight: number;
}

/** What is known about a unit's runs at a cut-off. */
export interface SettledRuns {
  readonly outcomes: readonly AgentRunOutcome[];
  readonly counted: readonly CountedRun[];
  /** Whether any run has a `run_end` event that says whether the task was completed. */
  readonly hasEnd: boolean;
}

/** Determines which runs of a unit count. If the unit is the run, there is one, which begins with the exposure. */
export function settleRuns(
  runs: UnitRuns,
  { at: startedAt, arm }: Pick<FirstExposure, "at" | "arm">,
  { unit, until }: { readonly unit: ExperimentUnit; readonly until: number },
): SettledRuns {
  const found = [...runs.values()].sort((one, other) => one.key - other.key);
  const known = found.map((totals) => ({ run: agentRunOf(totals), weight: totals.weight }));
  const all: readonly CountedRun[] =
    unit === "run"
      ? [{ weight: known[0]?.weight ?? 1, run: runFromExposure(known[0]?.run ?? null, startedAt) }]
      : known;
  const outcomes = all.map(({ run }) => outcomeOf(run, { startedAt, arm, until }));
  return {
    outcomes,
    counted: all.filter((_, i) => isOver(outcomes[i]!)),
    hasEnd: all.some(({ run }) => run.completed !== null),
  };
}

/** Adds up a unit's runs that began in a window. */
export function runValues(
  { counted }: SettledRuns,
  { startedAt, column }: { readonly startedAt: number; readonly column: ValuesColumn },
): UnitValues {
  const values = newValues(column);
  for (const { run, weight } of counted) {
    if (run.firstAt >= startedAt + column.windowMs) continue;
    const value = valueOfRun(run, column.run!);
    if (Number.isNaN(value)) continue;
    addValue(values, value, column.isPerCall, weight);
    // The run's value, such as its cost, counts, but the run does not count as a completed task.
    if (column.isPerCompleted === true && run.completed !== true) addExactly(values.weights!.sum, -weight);
  }
  return values;
}
