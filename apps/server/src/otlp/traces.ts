import { factsOfLog, factsOfSpan, type ReadItem, type TraceFact } from "@assay/domain";
import type { OtlpBatch } from "./otlp-batch.ts";

/** Facts by trace. */
export type Traces = ReadonlyMap<string, readonly TraceFact[]>;

/** Reads what each span and log record of a request says about experiments, as it is taken. */
export function* itemsOf({ spans, logs }: Pick<OtlpBatch, "spans" | "logs">): Iterable<ReadItem> {
  for (const span of spans) yield { traceId: span.traceId, facts: factsOfSpan(span) };
  for (const log of logs) yield { traceId: log.traceId, facts: factsOfLog(log) };
}

/** Adds facts to those that are known of a trace. */
export function addFacts(
  traces: Map<string, TraceFact[]>,
  traceId: string,
  facts: readonly TraceFact[],
): void {
  if (facts.length === 0) return;
  const known = traces.get(traceId);
  if (known === undefined) traces.set(traceId, [...facts]);
  else for (const fact of facts) known.push(fact);
}

/** How many things were read: a sender's rows. */
export const countFacts = (traces: Traces): number =>
  [...traces.values()].reduce((sum, facts) => sum + facts.length, 0);
