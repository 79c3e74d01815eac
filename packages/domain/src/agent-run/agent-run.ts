import type { MetricDefinition, RunField } from "../experiment/metric.ts";

/** A run that nobody reports as over is over when nothing of it came for so long. */
export const RUN_IDLE_MS = 30 * 60_000;

/** What the events of an agent's run came to: its calls of models and tools, and its end. */
export interface AgentRun {
  /** When its first and its last event occurred, epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Calls of models. */
  readonly turns: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  /** Over the calls that have a cost, and how many these are. */
  readonly costUsd: number;
  readonly pricedCalls: number;
  /** How often the agent changed from one call to the next. */
  readonly handoffs: number;
  /** The variant that its events name. Empty: none; null: several. */
  readonly variant: string | null;
  /** What its last end says; null: no end came. */
  readonly completed: boolean | null;
}

/**
 * Whether a run counts, and if not, why: `early` began before its unit's first exposure, `mixed` has events of another variant than the
 * unit's, `open` has not ended. Of those that count, `done` and `failed` have an end that says so, and `idle` has none.
 */
export const AGENT_RUN_OUTCOMES = ["done", "failed", "idle", "open", "mixed", "early"] as const;
export type AgentRunOutcome = (typeof AGENT_RUN_OUTCOMES)[number];

/** The first exposure of a run's unit, and the cut-off (exclusive, epoch milliseconds). */
export interface RunContext {
  readonly startedAt: number;
  readonly arm: string;
  readonly until: number;
}

/** Tells whether a run counts. */
export function outcomeOf(run: AgentRun, { startedAt, arm, until }: RunContext): AgentRunOutcome {
  if (run.firstAt < startedAt) return "early";
  if (run.variant === null || (run.variant !== "" && run.variant !== arm)) return "mixed";
  if (run.completed !== null) return run.completed ? "done" : "failed";
  return run.lastAt <= until - RUN_IDLE_MS ? "idle" : "open";
}

/** Returns whether runs of an outcome are in metrics. */
export function isOver(outcome: AgentRunOutcome): boolean {
  return outcome === "done" || outcome === "failed" || outcome === "idle";
}

const NOTHING: AgentRun = {
  ...{ firstAt: Number.POSITIVE_INFINITY, lastAt: Number.NEGATIVE_INFINITY },
  ...{ turns: 0, toolCalls: 0, toolErrors: 0, costUsd: 0, pricedCalls: 0, handoffs: 0 },
  ...{ variant: "", completed: null },
};

/**
 * Returns the run that is itself the unit of an experiment: its exposure is one of its events, so that a run which fails before its first
 * call counts as one, too. Null: no other event came.
 */
export function runFromExposure(run: AgentRun | null, startedAt: number): AgentRun {
  const { firstAt, lastAt, ...rest } = run ?? NOTHING;
  return { ...rest, firstAt: Math.min(firstAt, startedAt), lastAt: Math.max(lastAt, startedAt) };
}

/** Returns the value of a run that is over; NaN: it has none, because none of its model calls has a cost. */
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

/** Whether a metric is the cost of runs per run that did its task: all runs that are over cost, and only those count. */
export function isPerCompletedRun({ kind, source }: Pick<MetricDefinition, "kind" | "source">): boolean {
  return source.event === "run" && source.field === "cost_usd" && kind === "ratio";
}

/** Whether a metric needs the ends of runs: where nobody reports them, nobody can tell which runs did their task. */
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

/** Calls of agents in the order of time: of those at one instant, in the order of the names. */
export interface AgentSteps {
  /** Null: none. */
  readonly last: AgentStep | null;
  readonly handoffs: number;
}

export const NO_STEPS: AgentSteps = { last: null, handoffs: 0 };

/** Appends calls, in any order; null if one of them does not come after those before. */
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
