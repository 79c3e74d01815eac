import {
  DAY_MS,
  type DueTrace,
  type RawEvent,
  type SettledTrace,
  settleTrace,
  withRefusals,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import type { acceptBatch, Sender } from "../ingest/accept-batch.ts";
import { turns } from "../next-turn.ts";
import { acceptRows, experimentsOf } from "./accept-traces.ts";

type SettleDeps = Parameters<typeof acceptBatch>[2] & Pick<Deps, "control" | "clock" | "log" | "stopping">;

const TRACES_AT_A_TIME = 500;
/** The largest size that is settled at once; each fact counts as 1 KiB more. What a trace has beyond it is lost, which is logged. */
const MAX_SIZE = 16 * 1024 * 1024;

/**
 * Makes the task that turns traces that have been quiet for a while into events. It may be killed at any point and repeated: the same
 * facts give events with the same ids, which are stored once. A trace that grows later is settled again.
 */
export function traceTask(deps: SettleDeps): () => Promise<void> {
  return async () => {
    const { control, clock, stopping } = deps;
    for (let count = 1; count > 0 && !stopping.aborted; ) {
      const due = await control.waitingTraces.listDue(clock.now(), TRACES_AT_A_TIME, MAX_SIZE);
      count = due.length;
      await settle(due, deps);
    }
    const lost = await control.waitingTraces.expire(clock.now() - DAY_MS);
    for (const [reason, count] of lost) deps.metrics.tracesUnjoined.inc({ reason }, count);
    // Calls of traces without an experiment are everyday.
    const { "no-evaluation": _, ...unexpected } = Object.fromEntries(lost);
    if (Object.keys(unexpected).length > 0)
      deps.log.warn(
        unexpected,
        "calls or scores of traces with an experiment became no event: see GET /v1/telemetry",
      );
  };
}

/** Traces of one sender share batches. */
async function settle(due: readonly DueTrace[], deps: SettleDeps): Promise<void> {
  const senders = Map.groupBy(due, ({ orgId, keyPrefix, client }) =>
    JSON.stringify([orgId, keyPrefix, client]),
  );
  for (const traces of senders.values()) {
    const [{ orgId, keyPrefix, client }] = traces as [DueTrace];
    const sender: Sender = { orgId, provenance: { source: "otlp", keyPrefix, client } };
    const experimentOf = await experimentsOf(
      orgId,
      traces.flatMap(({ facts }) => facts),
      deps,
    );
    const settled: (SettledTrace & { readonly trace: DueTrace })[] = [];
    const takeTurn = turns();
    for (const trace of traces) {
      settled.push({ trace, ...settleTrace(trace, experimentOf) });
      const turn = takeTurn();
      if (turn !== null) await turn;
    }
    const rows: readonly RawEvent[] = settled.flatMap((one) => one.rows);
    const { refused, refusedIds, reason } = await acceptRows(sender, rows, deps);
    if (refused > 0) deps.log.warn({ orgId, refused, reason }, "events of OpenTelemetry were refused");
    if (traces.some(({ isWhole }) => !isWhole))
      deps.log.warn({ orgId, maxSize: MAX_SIZE }, "a trace is too large: a part of it is not read");
    await deps.control.waitingTraces.settle(
      settled.map((one) =>
        refused === 0 ? one : { ...one, outcomes: withRefusals(one.trace.traceId, one, refusedIds) },
      ),
    );
  }
}
