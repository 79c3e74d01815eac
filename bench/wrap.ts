import { formatFigure, formatSpread, type Spread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { type CallTimes, timeBatches } from "./harness/time-batches.ts";
import { ratioOf } from "./harness/time-calls.ts";
import { workloads } from "./workloads/model-calls.ts";
import { STREAM_CHUNKS } from "./workloads/model-replies.ts";

/**
 * Compares model calls through a wrapped provider package with the same calls through the unwrapped package.
 */
export async function benchWrap(): Promise<void> {
  const calls = await workloads();
  const times = await timeBatches(calls);
  for (const { stop } of calls) await stop?.();
  const rows = calls.flatMap(({ name }, index) =>
    index % 2 === 0 ? [rowOf(name, times[index]!, times[index + 1]!)] : [],
  );
  printTable(
    "wrap",
    "A model call through the provider's package, with a `fetch` that answers from memory. Wall-clock time, median " +
      `(min–max) of the rounds. A stream has ${STREAM_CHUNKS} chunks, which arrive one by one. The client records exposure, prompt ` +
      "and response.",
    [["call", "wrapped ÷ package alone", "package alone, µs", "added, µs", "added per chunk, µs"], ...rows],
  );
}

function rowOf(name: string, alone: CallTimes, wrapped: CallTimes): readonly string[] {
  const added = spreadOf(wrapped.p50.map((ns, round) => (ns - alone.p50[round]!) / 1000));
  const perChunk = name.endsWith("stream") ? formatFigure(added.median / STREAM_CHUNKS) : "—";
  return [
    name,
    formatSpread(ratioOf(wrapped.p50, alone.p50)),
    formatSpread(inMicroseconds(alone.p50)),
    formatSpread(added),
    perChunk,
  ];
}

function inMicroseconds(times: readonly number[]): Spread {
  return spreadOf(times.map((ns) => ns / 1000));
}
