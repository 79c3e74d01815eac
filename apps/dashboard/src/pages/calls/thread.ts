import type { Experiment } from "../../api/types.ts";
import type { StoredCall, StoredCallDetail } from "./queries.ts";

/** What a call is part of, and its id. */
export interface ThreadName {
  readonly thread: string;
  readonly kind: "conversation" | "run" | "trace";
}

/**
 * Returns what a call is part of: the experiment's unit, or else the largest thing that it names (conversations contain
 * runs, and runs contain traces). Null: it names none.
 */
export function threadOf(
  { unit_id, run_id, metadata }: Pick<StoredCallDetail, "unit_id" | "run_id" | "metadata">,
  unit: Experiment["unit"] = "user",
): ThreadName | null {
  const { conversation_id, trace_id } = metadata ?? {};
  const ids: readonly (readonly [ThreadName["kind"], unknown])[] = [
    ...(unit === "user" ? [] : ([[unit, unit_id]] as const)),
    ["conversation", conversation_id],
    ["run", run_id],
    ["trace", trace_id],
  ];
  for (const [kind, thread] of ids) if (typeof thread === "string" && thread !== "") return { kind, thread };
  return null;
}

/** What the events of a thread add up to. */
export interface ThreadSums {
  readonly calls: number;
  /** Calls of tools. */
  readonly tools: number;
  /** Failed calls of models and tools. */
  readonly failures: number;
  /** Null if no call has a cost. */
  readonly costUsd: number | null;
  /** Calls without a cost. */
  readonly unpriced: number;
  /** Milliseconds from the first event to the last one. */
  readonly durationMs: number;
}

/** Adds up the events of a thread, at least one. */
export function sumThread(
  events: readonly Pick<StoredCall, "type" | "occurred_at" | "error" | "cost_usd">[],
): ThreadSums {
  const calls = events.filter(({ type }) => type === "model_call");
  const costs = calls.flatMap(({ cost_usd }) => cost_usd ?? []);
  const times = events.map(({ occurred_at }) => Date.parse(occurred_at));
  return {
    calls: calls.length,
    tools: events.filter(({ type }) => type === "tool_call").length,
    failures: events.filter(({ error }) => error).length,
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    unpriced: calls.length - costs.length,
    durationMs: Math.max(...times) - Math.min(...times),
  };
}
