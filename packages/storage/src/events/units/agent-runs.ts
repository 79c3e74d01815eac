import { type AgentRun, type AgentStep, type AgentSteps, NO_STEPS, withSteps } from "@assay/domain";
import { addExactly, canonicalPartials, roundedSum } from "@assay/stats";
import type { RowBinaryReader, RowBinaryWriter } from "../engine/row-binary.ts";

/** The role of an event in its run. */
export type RunPart = "turn" | "tool" | "end";

/** The values of events that runs need, by index. */
export interface RunRows {
  /** Epoch milliseconds. */
  readonly at: ArrayLike<number>;
  /** Null: the event is part of no run. */
  runPart(i: number): RunPart | null;
  /** Identifies the run within its unit; 0: no run. */
  runKey(i: number): number;
  variant(i: number): string;
  isFailed(i: number): boolean;
  isCompleted(i: number): boolean;
  /** NaN: none. */
  cost(i: number): number;
  /** Empty: it names none. */
  agent(i: number): string;
  weight(i: number): number;
}

/** The end of a run. Of several at the same instant, one that did not complete the task counts. */
interface RunEnd {
  readonly at: number;
  readonly isCompleted: boolean;
}

/** The values of a run. They depend on which events exist, and not on their order. */
export interface RunTotals {
  readonly key: number;
  firstAt: number;
  lastAt: number;
  turns: number;
  toolCalls: number;
  toolErrors: number;
  /** The exact sum, as in `UnitValues`. */
  readonly cost: number[];
  pricedCalls: number;
  steps: AgentSteps;
  /** As in `AgentRun`. */
  variant: string | null;
  end: RunEnd | null;
  /** How many runs this one counts for: the largest weight of its events. */
  weight: number;
}

/** By their keys. */
export type UnitRuns = Map<number, RunTotals>;

/** Which values of runs an analysis reads. */
export interface RunsForm {
  /** Handoffs depend on the order of calls, so they are tracked only when a metric reads them. */
  readonly hasHandoffs: boolean;
  readonly isWeighted: boolean;
}

function newRun(key: number): RunTotals {
  return {
    ...{ key, firstAt: Number.POSITIVE_INFINITY, lastAt: Number.NEGATIVE_INFINITY },
    ...{ turns: 0, toolCalls: 0, toolErrors: 0, cost: [], pricedCalls: 0 },
    ...{ steps: NO_STEPS, variant: "", end: null, weight: 1 },
  };
}

/** Copies the runs of a unit. */
export function copyOfRuns(runs: UnitRuns): UnitRuns {
  return new Map([...runs].map(([key, run]) => [key, { ...run, cost: [...run.cost] }]));
}

/**
 * Adds further events to the runs of a unit. Returns false, and leaves the runs unusable, when a call precedes one that was added
 * before: only the events themselves then show which agent handed over to which.
 */
export function addToRuns(
  runs: UnitRuns,
  { events, rows }: { readonly events: readonly number[]; readonly rows: RunRows },
  { hasHandoffs, isWeighted }: RunsForm,
): boolean {
  const named = new Map<RunTotals, AgentStep[]>();
  for (let e = 0; e < events.length; e++) {
    const i = events[e]!;
    const part = rows.runPart(i);
    const key = part === null ? 0 : rows.runKey(i);
    if (key === 0) continue;
    let run = runs.get(key);
    if (run === undefined) {
      run = newRun(key);
      runs.set(key, run);
    }
    addEvent(run, part!, { i, rows });
    if (isWeighted) run.weight = Math.max(run.weight, rows.weight(i));
    const agent = hasHandoffs && part !== "end" ? rows.agent(i) : "";
    if (agent === "") continue;
    const steps = named.get(run);
    if (steps === undefined) named.set(run, [{ at: rows.at[i]!, agent }]);
    else steps.push({ at: rows.at[i]!, agent });
  }
  for (const [run, more] of named) {
    const steps = withSteps(run.steps, more);
    if (steps === null) return false;
    run.steps = steps;
  }
  return true;
}

function addEvent(
  run: RunTotals,
  part: RunPart,
  { i, rows }: { readonly i: number; readonly rows: RunRows },
): void {
  const at = rows.at[i]!;
  if (at < run.firstAt) run.firstAt = at;
  if (at > run.lastAt) run.lastAt = at;
  const variant = rows.variant(i);
  if (variant !== "" && run.variant !== variant) run.variant = run.variant === "" ? variant : null;
  if (part === "end") {
    const end: RunEnd = { at, isCompleted: rows.isCompleted(i) };
    if (run.end === null || isAfter(end, run.end)) run.end = end;
  } else if (part === "tool") {
    run.toolCalls += 1;
    if (rows.isFailed(i)) run.toolErrors += 1;
  } else {
    run.turns += 1;
    const cost = rows.cost(i);
    if (Number.isNaN(cost)) return;
    addExactly(run.cost, cost);
    run.pricedCalls += 1;
  }
}

function isAfter(one: RunEnd, other: RunEnd): boolean {
  return one.at === other.at ? !one.isCompleted : one.at > other.at;
}

/** Returns the values that the rules on runs read. */
export function agentRunOf({ cost, steps, end, ...run }: RunTotals): AgentRun {
  return {
    ...run,
    costUsd: roundedSum(cost),
    handoffs: steps.handoffs,
    completed: end === null ? null : end.isCompleted,
  };
}

const FLAG = { hasEnd: 1, completed: 2, mixed: 4, hasSteps: 8 } as const;

/** Names, each written once. */
type Names = Map<string, number>;

/** Returns a function that appends the runs of a unit. Equal runs give equal bytes, however many steps added them up. */
export function runsWriter(bytes: RowBinaryWriter): (runs: UnitRuns) => void {
  const names: Names = new Map();
  return (runs) => {
    bytes.count(runs.size);
    for (const run of [...runs.values()].sort((one, other) => one.key - other.key))
      writeRun(bytes, run, names);
  };
}

function writeRun(bytes: RowBinaryWriter, run: RunTotals, names: Names): void {
  const { end, steps, variant } = run;
  for (const number of [run.key, run.firstAt, run.lastAt, run.weight]) bytes.float64(number);
  for (const count of [run.turns, run.toolCalls, run.toolErrors, run.pricedCalls, steps.handoffs])
    bytes.count(count);
  const partials = canonicalPartials(run.cost);
  bytes.count(partials.length);
  for (const partial of partials) bytes.float64(partial);
  bytes.uint8(
    FLAG.hasEnd * Number(end !== null) +
      FLAG.completed * Number(end?.isCompleted === true) +
      FLAG.mixed * Number(variant === null) +
      FLAG.hasSteps * Number(steps.last !== null),
  );
  if (end !== null) bytes.float64(end.at);
  if (variant !== null) writeName(bytes, variant, names);
  if (steps.last === null) return;
  bytes.float64(steps.last.at);
  writeName(bytes, steps.last.agent, names);
}

function writeName(bytes: RowBinaryWriter, name: string, names: Names): void {
  const known = names.get(name);
  bytes.count(known ?? names.size);
  if (known !== undefined) return;
  names.set(name, names.size);
  bytes.string(name);
}

/** Returns a function that reads what `runsWriter` appended, unit by unit. */
export function runsReader(bytes: RowBinaryReader): () => UnitRuns {
  const names: string[] = [];
  return () => {
    const runs: UnitRuns = new Map();
    for (let left = bytes.count(); left > 0; left--) {
      const run = readRun(bytes, names);
      runs.set(run.key, run);
    }
    return runs;
  };
}

function readRun(bytes: RowBinaryReader, names: string[]): RunTotals {
  const [key, firstAt, lastAt, weight] = [bytes.float64(), bytes.float64(), bytes.float64(), bytes.float64()];
  const [turns, toolCalls, toolErrors] = [bytes.count(), bytes.count(), bytes.count()];
  const [pricedCalls, handoffs] = [bytes.count(), bytes.count()];
  const cost: number[] = [];
  for (let left = bytes.count(); left > 0; left--) cost.push(bytes.float64());
  const flags = bytes.uint8();
  const has = (flag: keyof typeof FLAG) => (flags & FLAG[flag]) !== 0;
  const end = has("hasEnd") ? { at: bytes.float64(), isCompleted: has("completed") } : null;
  const variant = has("mixed") ? null : readName(bytes, names);
  const last = has("hasSteps") ? { at: bytes.float64(), agent: readName(bytes, names) } : null;
  return {
    ...{ key, firstAt, lastAt, weight, turns, toolCalls, toolErrors, pricedCalls },
    ...{ cost, variant, end, steps: { last, handoffs } },
  };
}

function readName(bytes: RowBinaryReader, names: string[]): string {
  const index = bytes.count();
  names[index] ??= bytes.string();
  return names[index];
}
