import {
  type DomainError,
  type Experiment,
  type ExperimentOf,
  MOST_ROWS,
  ownExposures,
  type RawEvent,
  type ReadItem,
  type TraceFact,
  type TracePatience,
} from "@assay/domain";
import { splitFlagKey } from "../config/flag-key.ts";
import type { OrgSnapshot } from "../config/snapshots.ts";
import type { Deps } from "../deps.ts";
import { type Acceptance, acceptBatch, type Sender } from "../ingest/accept-batch.ts";
import { nextTurn, TURN_MS, turns } from "../next-turn.ts";
import { NO_TRACE, type OtlpBatch } from "./otlp-batch.ts";
import { addFacts, itemsOf, type Traces } from "./traces.ts";

type AcceptDeps = Parameters<typeof acceptBatch>[2];

/** What became of rows. */
export interface AcceptedRows {
  readonly accepted: number;
  readonly refused: number;
  /** The ids of refused rows. */
  readonly refusedIds: ReadonlySet<unknown>;
  /** The first reason; empty when nothing was refused. */
  readonly reason: string;
  /** Why nothing was accepted, if the month's allowance is used up. */
  readonly exhausted: DomainError | null;
}

/** Reads what a request says about experiments. */
export function readFacts(batch: OtlpBatch): Promise<Traces> {
  return collectFacts(itemsOf(batch));
}

/** Collects the facts of a request, reading its parts one by one. Other requests get turns in between. */
export async function collectFacts(parts: Iterable<ReadItem>): Promise<Traces> {
  const traces = new Map<string, TraceFact[]>();
  const left = parts[Symbol.iterator]();
  while (!collectForTurn(left, traces)) await nextTurn();
  return traces;
}

/** Collects facts for one turn. Returns whether there are no more. */
function collectForTurn(left: Iterator<ReadItem>, traces: Map<string, TraceFact[]>): boolean {
  const startedAt = performance.now();
  while (performance.now() - startedAt < TURN_MS) {
    const { done, value } = left.next();
    if (done === true) return true;
    addFacts(traces, value.traceId, value.facts);
  }
  return false;
}

/**
 * Makes the function that finds an experiment by a flag's name: the experiment's id, name or a former name, or the key of another system's flag that it analyzes. A running
 * experiment on the flag takes precedence over one that is not running and only has the flag's name, such as the last one on that flag. A flag for an experiment's prompt or
 * variables belongs to that experiment. Another process may have just created an experiment that some fact names.
 */
export async function experimentsOf(
  orgId: string,
  facts: readonly TraceFact[],
  { snapshots }: Pick<Deps, "snapshots">,
): Promise<ExperimentOf> {
  let snapshot = snapshots.peek(orgId) ?? (await snapshots.get(orgId));
  const find = (flag: string) => {
    const named = snapshot.experiments.get(flag)?.experiment ?? null;
    if (named?.config.status === "running") return named;
    return byFlagKey(snapshot).get(flag) ?? named ?? ofPart(flag, snapshot);
  };
  const isUnknown = (fact: TraceFact) => fact.kind === "evaluation" && find(fact.flag) === null;
  if (facts.some(isUnknown)) snapshot = (await snapshots.findNewer(snapshot)) ?? snapshot;
  return (flag) => {
    const found = find(flag);
    return found && { id: found.id, unit: found.config.unit };
  };
}

/** Returns the experiment whose prompt or variables the flag serves. Another system's flag has no such parts. */
function ofPart(flag: string, { experiments }: OrgSnapshot): Experiment | null {
  const split = splitFlagKey(flag);
  const found = split && experiments.get(split.experiment)?.experiment;
  return found?.config.flagKey === null ? found : null;
}

const flagKeys = new WeakMap<OrgSnapshot, ReadonlyMap<string, Experiment>>();

/** Returns the running experiments on other systems' flags; of several on one flag, the one that was created last. */
function byFlagKey(snapshot: OrgSnapshot): ReadonlyMap<string, Experiment> {
  const known = flagKeys.get(snapshot);
  if (known !== undefined) return known;
  const running = [...snapshot.experiments.values()]
    .map(({ experiment }) => experiment)
    .filter(({ config }) => config.status === "running")
    .sort((one, other) => one.createdAt - other.createdAt);
  const found = new Map(
    running.flatMap((one) => (one.config.flagKey === null ? [] : [[one.config.flagKey, one]])),
  );
  flagKeys.set(snapshot, found);
  return found;
}

/** Accepts rows as `/v1/events` does, at most a batch of it at a time. */
export async function acceptRows(
  sender: Sender,
  rows: readonly RawEvent[],
  deps: AcceptDeps,
): Promise<AcceptedRows> {
  let [accepted, refused, reason] = [0, 0, ""];
  const refusedIds = new Set<unknown>();
  let exhausted: DomainError | null = null;
  for (const batch of batchesOf(rows)) {
    const done: Acceptance = await acceptBatch(sender, batch, deps);
    accepted += done.accepted;
    refused += done.refused.length;
    for (const { event_id } of done.refused) refusedIds.add(event_id);
    reason ||= done.refused[0]?.detail ?? "";
    exhausted ??= done.exhausted;
  }
  return { accepted, refused, refusedIds, reason, exhausted };
}

/** A batch has at most as many bytes as one that clients send, unless a single row has more. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

function* batchesOf(rows: readonly RawEvent[]) {
  let taken: { readonly row: RawEvent; readonly json: string }[] = [];
  let size = 0;
  const close = () => {
    const batch = {
      rows: taken.map(({ row }) => row),
      body: Buffer.from(`[${taken.map(({ json }) => json).join(",")}]`),
    };
    [taken, size] = [[], 0];
    return batch;
  };
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (taken.length === MOST_ROWS || (taken.length > 0 && size + json.length > MAX_BATCH_BYTES))
      yield close();
    taken.push({ row, json });
    size += json.length;
  }
  if (taken.length > 0) yield close();
}

/** How long a trace waits for more of it. */
export const TRACE_PATIENCE: TracePatience = { quietMs: 30_000, maxMs: 10 * 60_000 };

/**
 * Stores what a request says about experiments. Exposures that name their user are accepted at once. Facts that need
 * the rest of their trace are kept until the trace is settled (`settle-traces.ts`). Both are on disk when this
 * resolves, so a request that failed half way can be sent again.
 */
export async function receiveTraces(
  sender: Sender,
  traces: Traces,
  deps: AcceptDeps & Pick<Deps, "control" | "clock">,
): Promise<AcceptedRows> {
  const { orgId, provenance } = sender;
  const left = traces.size === 0 ? null : await deps.allowance.left(orgId);
  if (left?.events === 0) throw left.exhausted;
  const experimentOf = await experimentsOf(orgId, [...traces.values()].flat(), deps);
  const { keyPrefix, client } = provenance;
  const waiting: Parameters<typeof deps.control.waitingTraces.add>[0][number][] = [];
  const rows: RawEvent[] = [];
  const takeTurn = turns();
  for (const [traceId, facts] of traces) {
    const own = facts.filter((fact) => fact.kind !== "evaluation" || experimentOf(fact.flag) !== null);
    if (own.length > 0 && traceId !== NO_TRACE)
      waiting.push({ orgId, traceId, keyPrefix, client, facts: own });
    for (const row of ownExposures({ traceId, facts }, experimentOf)) rows.push(row);
    const turn = takeTurn();
    if (turn !== null) await turn;
  }
  const { waitingTraces } = deps.control;
  const [accepted] = await Promise.all([
    acceptRows(sender, rows, deps),
    waiting.length > 0 && waitingTraces.add(waiting, deps.clock.now(), TRACE_PATIENCE),
  ]);
  return accepted;
}
