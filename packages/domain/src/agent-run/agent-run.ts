import type { MetricDefinition, RunField } from "../experiment/metric.ts";

/** A run without a reported end counts as over after this long without an event. */
export const RUN_IDLE_MS = 30 * 60_000;

/** An agent's run, summed up from its events: model calls, tool calls and its end. */
export interface AgentRun {
  /** When its first and its last event occurred, epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Model calls. */
  readonly turns: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  /** The total over the calls that have a cost; `pricedCalls` is their number. */
  readonly costUsd: number;
  readonly pricedCalls: number;
  /** How often the agent changed from one call to the next. */
  readonly handoffs: number;
  /** The variant that its events name. Empty: none; null: several. */
  readonly variant: string | null;
  /** What the last reported end says; null: no end was reported. */
  readonly completed: boolean | null;
}

/**
 * Whether a run counts, and if not, why. Not counted: `early` began before its unit's first exposure, `mixed` has events of a variant
 * other than the unit's, `open` has not ended. Counted: `done` and `failed` have a reported end that says so, `idle` has none.
 */
export const AGENT_RUN_OUTCOMES = ["done", "failed", "idle", "open", "mixed", "early"] as const;
export type AgentRunOutcome = (typeof AGENT_RUN_OUTCOMES)[number];

/** The first exposure of a run's unit, and the cut-off (exclusive, epoch milliseconds). */
export interface RunContext {
  readonly startedAt: number;
  readonly arm: string;
  readonly until: number;
}

/** Returns whether a run counts, and if not, why. */
export function outcomeOf(run: AgentRun, { startedAt, arm, until }: RunContext): AgentRunOutcome {
  if (run.firstAt < startedAt) return "early";
  if (run.variant === null || (run.variant !== "" && run.variant !== arm)) return "mixed";
  if (run.completed !== null) return run.completed ? "done" : "failed";
  return run.lastAt <= until - RUN_IDLE_MS ? "idle" : "open";
}

/** Returns whether metrics include runs with this outcome. */
export function isOver(outcome: AgentRunOutcome): boolean {
  return outcome === "done" || outcome === "failed" || outcome === "idle";
}

const NOTHING: AgentRun = {
  ...{ firstAt: Number.POSITIVE_INFINITY, lastAt: Number.NEGATIVE_INFINITY },
  ...{ turns: 0, toolCalls: 0, toolErrors: 0, costUsd: 0, pricedCalls: 0, handoffs: 0 },
  ...{ variant: "", completed: null },
};

/**
 * Returns a run that is itself the unit of an experiment. Its exposure is one of its events, so a run that fails before its first call
 * counts too. `run` is null if the run has no event other than the exposure.
 */
export function runFromExposure(run: AgentRun | null, startedAt: number): AgentRun {
  const { firstAt, lastAt, ...rest } = run ?? NOTHING;
  return { ...rest, firstAt: Math.min(firstAt, startedAt), lastAt: Math.max(lastAt, startedAt) };
}

/** Returns a field's value for a run that is over; NaN for the cost of a run whose model calls all lack one. */
export function valueOfRun(run: AgentRun, field: RunField): number {
  switch (field) {
    case "turns":
      return run.turns;
    case "steps":
      return run.turns + run.toolCalls;
    case "tool_calls":
      return run.toolCalls;
    case "tool_errors":
      return run.toolErrors;
    case "duration_ms":
      return run.lastAt - run.firstAt;
    case "cost_usd":
      return run.turns > 0 && run.pricedCalls === 0 ? Number.NaN : run.costUsd;
    case "completed":
      return Number(run.completed === true);
    case "handoffs":
      return run.handoffs;
  }
}

/** Whether a metric is the cost per completed run: the cost of all runs that are over, divided by the number of completed ones. */
export function isPerCompletedRun({ kind, source }: Pick<MetricDefinition, "kind" | "source">): boolean {
  return source.event === "run" && source.field === "cost_usd" && kind === "ratio";
}

/** Whether a metric needs reported ends of runs: without them it is unknown which runs completed their task. */
export function needsRunEnds(metric: Pick<MetricDefinition, "kind" | "source">): boolean {
  const { source } = metric;
  return isPerCompletedRun(metric) || (source.event === "run" && source.field === "completed");
}

/** A call that names its agent. */
export interface AgentStep {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly agent: string;
}

/** Agents' calls, sorted by time and, at the same instant, by the agent's name. */
export interface AgentSteps {
  /** Null: none. */
  readonly last: AgentStep | null;
  readonly handoffs: number;
}

export const NO_STEPS: AgentSteps = { last: null, handoffs: 0 };

/** Appends calls, given in any order. Null if one of them is not later than all calls appended before. */
export function withSteps({ last, handoffs }: AgentSteps, more: readonly AgentStep[]): AgentSteps | null {
  const sorted = more.toSorted((one, other) => one.at - other.at || (one.agent < other.agent ? -1 : 1));
  if (last !== null && sorted.length > 0 && sorted[0]!.at <= last.at) return null;
  let [before, changes] = [last, handoffs];
  for (const step of sorted) {
    if (before !== null && before.agent !== step.agent) changes += 1;
    before = step;
  }
  return { last: before, handoffs: changes };
}
