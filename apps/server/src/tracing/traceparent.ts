import type { SpanContext } from "@opentelemetry/api";

const FORMAT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const NOTHING = /^0+$/;

/** Reads a W3C `traceparent` (Trace Context, level 1); null when it is not valid. */
export function parseTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== "string" || text.length > 200 || text.startsWith("ff")) return null;
  const [, traceId = "", spanId = "", flags = ""] = FORMAT.exec(text) ?? [];
  if (traceId === "" || NOTHING.test(traceId) || NOTHING.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Writes a span's W3C `traceparent`. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
