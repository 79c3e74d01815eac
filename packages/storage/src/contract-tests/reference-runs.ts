import {
  type ArmAgentRuns,
  type ExperimentUnit,
  type MetricQuery,
  type StoredEvent,
  TEST_USER_PREFIX,
} from "@assay/domain";
import { fineBin } from "@assay/stats";

/** A finished run, computed by hand. */
interface Run {
  readonly began: number;
  readonly values: Readonly<Record<string, number | null>>;
}

interface Asked {
  readonly unit: ExperimentUnit;
  readonly until: number;
  readonly metrics: readonly MetricQuery[];
}

interface Unit {
  readonly arm: string;
  readonly at: number;
  readonly runs: readonly Run[];
}

const HALF_AN_HOUR = 1_800_000;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Computes the metrics of runs event by event, without the store's code. */
export function runsByHand(events: readonly StoredEvent[], { unit, until, metrics }: Asked) {
  const counts: Record<string, Record<string, number>> = {};
  const units: Unit[] = [];
  for (const own of Map.groupBy(events, (event) =>
    unit === "user" ? event.userId : event.unitId,
  ).values()) {
    const seen = own
      .filter(({ type }) => type === "exposure")
      .sort((a, b) => a.occurredAt - b.occurredAt || (a.eventId < b.eventId ? -1 : 1));
    const [first] = seen;
    if (first === undefined) continue;
    const { occurredAt: at } = first;
    const arm = first.variant!;
    counts[arm] ??= { done: 0, failed: 0, idle: 0, open: 0, mixed: 0, early: 0 };
    const ofArm = counts[arm];
    const isTest = first.userId.startsWith(TEST_USER_PREFIX) || first.markedTest === true;
    if (isTest || new Set(seen.map(({ variant }) => variant)).size > 1) continue;
    const steps = own.filter(
      ({ type, markedTest, occurredAt }) =>
        ["model_call", "tool_call", "run_end"].includes(type) && markedTest !== true && occurredAt < until,
    );
    const groups =
      unit === "run"
        ? [[first, ...steps]]
        : [...Map.groupBy(steps, ({ runId }) => runId)].filter(([id]) => id !== null).map(([, run]) => run);
    const runs: Run[] = [];
    for (const group of groups) {
      const { outcome, run } = runOf(group, { arm, at, until });
      ofArm[outcome]! += 1;
      if (run !== null) runs.push(run);
    }
    units.push({ arm, at, runs });
  }
  const arms = Object.keys(counts).sort();
  return {
    runs: arms.map((arm) => ({ arm, period: 0, ...counts[arm] })) as unknown as readonly ArmAgentRuns[],
    metrics: metrics.flatMap((metric) =>
      arms.flatMap((arm) =>
        rowOf(metric, { arm, units: units.filter((one) => one.arm === arm), unit, until }),
      ),
    ),
  };
}

function runOf(
  group: readonly StoredEvent[],
  { arm, at, until }: { readonly arm: string; readonly at: number; readonly until: number },
): { readonly outcome: string; readonly run: Run | null } {
  const times = group.map(({ occurredAt }) => occurredAt);
  const [began, ended] = [Math.min(...times), Math.max(...times)];
  if (began < at) return { outcome: "early", run: null };
  if (group.some(({ variant }) => variant !== null && variant !== arm))
    return { outcome: "mixed", run: null };
  const ends = group.filter(({ type }) => type === "run_end");
  const lastEnd = Math.max(...ends.map(({ occurredAt }) => occurredAt));
  const isDone =
    ends.length > 0 &&
    ends.filter((end) => end.occurredAt === lastEnd).every((end) => end.completed === true);
  if (ends.length === 0 && ended > until - HALF_AN_HOUR) return { outcome: "open", run: null };
  const outcome = ends.length === 0 ? "idle" : isDone ? "done" : "failed";
  const calls = group.filter(({ type }) => type === "model_call");
  const tools = group.filter(({ type }) => type === "tool_call");
  const costs = calls.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const agents = [...calls, ...tools]
    .filter(({ agentName }) => agentName !== null)
    .sort((a, b) => a.occurredAt - b.occurredAt || (a.agentName! < b.agentName! ? -1 : 1))
    .map(({ agentName }) => agentName);
  const values = {
    ...{ turns: calls.length, steps: calls.length + tools.length, tool_calls: tools.length },
    tool_errors: tools.filter(({ error }) => error === true).length,
    duration_ms: ended - began,
    cost_usd: calls.length > 0 && costs.length === 0 ? null : sum(costs),
    completed: Number(outcome === "done"),
    handoffs: agents.filter((agent, i) => i > 0 && agent !== agents[i - 1]).length,
  };
  return { outcome, run: { began, values } };
}

function rowOf(
  { name, kind, source, windowDays, cap }: MetricQuery,
  {
    arm,
    units,
    unit,
    until,
  }: {
    readonly arm: string;
    readonly units: readonly Unit[];
    readonly unit: ExperimentUnit;
    readonly until: number;
  },
) {
  if (source.event !== "run") throw new Error("The metric must be one of runs.");
  const window = windowDays === null ? Number.POSITIVE_INFINITY : windowDays * 86_400_000;
  const isPerTask = source.field === "cost_usd" && kind === "ratio";
  const bins = new Map<number, number>();
  const [ys, ds]: [number[], number[]] = [[], []];
  let events = 0;
  for (const { at, runs } of units) {
    if (window !== Number.POSITIVE_INFINITY && at + window > until) continue;
    const own = runs.filter(({ began, values }) => began < at + window && values[source.field] !== null);
    if (own.length === 0 && (unit === "run" || kind === "ratio" || kind === "quantile")) continue;
    const values = own.map((run) => run.values[source.field]!);
    const y = kind === "binary" ? Number(values.some((value) => value !== 0)) : sum(values);
    ys.push(typeof cap === "number" ? Math.min(y, cap) : y);
    const isPerRun = kind === "ratio" || kind === "quantile";
    const counted = isPerTask ? sum(own.map((run) => run.values.completed!)) : own.length;
    ds.push(isPerRun ? counted : 1);
    events += kind === "binary" ? 1 : own.length;
    for (const value of isPerRun ? values : [ys.at(-1)!])
      bins.set(fineBin(value), (bins.get(fineBin(value)) ?? 0) + 1);
  }
  if (ys.length === 0) return [];
  return [
    {
      ...{ metric: name, arm, users: ys.length, events },
      ...{ meanY: sum(ys) / ys.length, meanD: sum(ds) / ds.length },
      fineCounts: [...bins].sort(([one], [other]) => one - other),
    },
  ];
}
