import { type Attributes, type LogEvent, type Span, samplingProbability } from "@assay/domain";

/** What a request contains, with the parts that Assay reads. */
export interface OtlpBatch {
  readonly spans: Span[];
  readonly logs: LogEvent[];
  /** Spans or log records that name no valid trace or span. */
  malformed: number;
}

/** Values of one request: spans, events, log records, attributes, and the content of lists and maps in attributes. */
const MAX_VALUES = 100_000;
/** Lists and maps within each other in an attribute. */
export const MAX_DEPTH = 20;

/** A request that would take too much work. The message says what to do. */
export class ExcessError extends Error {}

/** Counts the values of a request. Throws `ExcessError`. */
export function valueBudget(): () => void {
  let left = MAX_VALUES;
  return () => {
    if (--left < 0)
      throw new ExcessError(
        `The body has more than ${MAX_VALUES.toLocaleString("en-US")} values: send fewer at a time.`,
      );
  };
}

/** Rejects values that are nested too deeply. Throws `ExcessError`. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new ExcessError(`An attribute has more than ${MAX_DEPTH} levels: nest less.`);
}

interface Ids {
  /** Hex digits; empty when absent. */
  readonly traceId: string;
  readonly spanId: string;
}

export interface FoundSpan
  extends Ids,
    Omit<Span, "parentId" | "traceId" | "spanId" | "samplingProbability"> {
  readonly parentId: string;
  readonly traceState: string;
}

export interface FoundLog extends Ids, Omit<LogEvent, "traceId" | "spanId"> {}

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/;
/** Stands for the trace of what was recorded outside of all traces. */
export const NO_TRACE = "0".repeat(32);

/** Adds a span, or counts it as malformed. */
export function addSpan(batch: OtlpBatch, found: FoundSpan): void {
  const { traceId, spanId, parentId, scope, startedAt, endedAt, isFailed, attributes, events } = found;
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) batch.malformed += 1;
  else
    batch.spans.push({
      ...{ traceId, spanId, scope, startedAt, endedAt, isFailed, attributes, events },
      parentId: SPAN_ID.test(parentId) ? parentId : null,
      samplingProbability: found.traceState === "" ? null : samplingProbability(found.traceState),
    });
}

/** Adds a log record, or counts it as malformed. A record outside of all traces has no ids. */
export function addLog(batch: OtlpBatch, { traceId, spanId, ...log }: FoundLog): void {
  const isOutside = /^0*$/.test(traceId);
  if (!isOutside && !TRACE_ID.test(traceId)) batch.malformed += 1;
  else
    batch.logs.push({
      ...log,
      traceId: isOutside ? NO_TRACE : traceId,
      spanId: SPAN_ID.test(spanId) ? spanId : null,
    });
}

/** The name of a log record. Instrumentations older than the field put it into an attribute. */
export function logName(eventName: string, attributes: Attributes): string {
  const older = attributes.get("event.name");
  return eventName === "" && typeof older === "string" ? older : eventName;
}

const MAX_SCOPE = 200;

/** Name and version of an instrumentation, in a form that every database can store. */
export function scopeOf(name: string, version: string): string {
  const scope = version === "" ? name : `${name} ${version}`;
  return scope.slice(0, MAX_SCOPE).replaceAll("\0", "").toWellFormed();
}

/**
 * Reads a whole number of 64 bits. A number that a double cannot represent becomes a text: user ids of 19 digits would
 * otherwise be rounded to other users' ids.
 */
export function wholeNumber(value: number | string): number | string {
  const number = Number(value);
  return typeof value === "string" && /^-?\d+$/.test(value) && !Number.isSafeInteger(number) ? value : number;
}
