import type { Json } from "../json.ts";

/** Attributes of OpenTelemetry by name. */
export type Attributes = ReadonlyMap<string, Json>;

/** Something that happened within a span. */
export interface SpanEvent {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly attributes: Attributes;
}

/** A span as OTLP carries it, with the parts that Assay reads. */
export interface Span {
  /** 32 lowercase hex digits. */
  readonly traceId: string;
  /** 16 lowercase hex digits. */
  readonly spanId: string;
  /** Null for the root of a trace. */
  readonly parentId: string | null;
  /** Name and version of the instrumentation that made it. */
  readonly scope: string;
  /** Epoch milliseconds, with fractions. */
  readonly startedAt: number;
  /** Null if the end is not known. */
  readonly endedAt: number | null;
  /** Whether its status is an error. */
  readonly isFailed: boolean;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** The probability with which its trace was kept; absent if unknown. */
  readonly samplingProbability?: number | null;
}

/** A log record with a name: an event of OpenTelemetry. */
export interface LogEvent extends SpanEvent {
  readonly traceId: string;
  /** Null when it was recorded outside of any span. */
  readonly spanId: string | null;
  readonly body: Json;
}

/** Returns the first attribute in a list of names that is a text and not empty; null if there is none. */
export function textAt(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** Returns the first attribute in a list of names that is a number of at least 0; null if there is none. */
export function amountAt(attributes: Attributes, names: readonly string[]): number | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  }
  return null;
}
