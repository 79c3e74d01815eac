import { isRecord, type Json, measureJson } from "@assay/domain";
import {
  addLog,
  addSpan,
  checkDepth,
  ExcessError,
  logName,
  MAX_DEPTH,
  type OtlpBatch,
  scopeOf,
  valueBudget,
  wholeNumber,
} from "./otlp-batch.ts";

/** An attribute takes two objects and three values. `valueBudget` counts the values that they stand for. */
const LIMITS = { depth: 16 + 4 * MAX_DEPTH, containers: 400_000, values: 800_000 };

type Fields = Readonly<Record<string, unknown>>;

/** Decodes `ExportTraceServiceRequest` as JSON. Throws `ExcessError` and `SyntaxError`. */
export function decodeJsonTraces(body: Buffer): OtlpBatch {
  return decode(body, ["resourceSpans", "scopeSpans", "spans"], (span, scope, batch, spend) => {
    addSpan(batch, {
      traceId: hex(span.traceId),
      spanId: hex(span.spanId),
      parentId: hex(span.parentSpanId),
      scope,
      traceState: text(span.traceState),
      startedAt: millis(span.startTimeUnixNano),
      endedAt: millis(span.endTimeUnixNano),
      isFailed: isRecord(span.status) && Number(span.status.code) === 2,
      attributes: attributesOf(span.attributes, spend),
      events: records(span.events).map((event) => {
        spend();
        const { timeUnixNano, attributes } = event;
        return {
          name: text(event.name),
          at: millis(timeUnixNano),
          attributes: attributesOf(attributes, spend),
        };
      }),
    });
  });
}

/** Decodes `ExportLogsServiceRequest` as JSON. Throws as `decodeJsonTraces` does. */
export function decodeJsonLogs(body: Buffer): OtlpBatch {
  return decode(body, ["resourceLogs", "scopeLogs", "logRecords"], (log, _scope, batch, spend) => {
    const attributes = attributesOf(log.attributes, spend);
    addLog(batch, {
      traceId: hex(log.traceId),
      spanId: hex(log.spanId),
      name: logName(text(log.eventName), attributes),
      at: millis(log.timeUnixNano) || millis(log.observedTimeUnixNano),
      attributes,
      body: readValue(log.body, spend, 0),
    });
  });
}

type ReadItem = (item: Fields, scope: string, batch: OtlpBatch, spend: () => void) => void;

function decode(body: Buffer, names: readonly [string, string, string], readItem: ReadItem): OtlpBatch {
  const { excess } = measureJson(body, LIMITS);
  if (excess !== null) throw new ExcessError(`The body ${excess}`);
  const request: unknown = JSON.parse(body.toString("utf8"));
  if (!isRecord(request)) throw new SyntaxError("it is not an object");
  const batch: OtlpBatch = { spans: [], logs: [], malformed: 0 };
  const spend = valueBudget();
  const [resources, scopes, items] = names;
  for (const resource of listOf(request, resources)) {
    for (const group of listOf(resource, scopes)) {
      const scope = isRecord(group.scope) ? group.scope : {};
      for (const item of listOf(group, items)) {
        spend();
        readItem(item, scopeOf(text(scope.name), text(scope.version)), batch, spend);
      }
    }
  }
  return batch;
}

/** Reads a list of objects, which may be absent. Refuses other forms, as protobuf does, because their content would be lost. */
function listOf(of: Fields, name: string): readonly Fields[] {
  const list = of[name] ?? [];
  if (!Array.isArray(list) || !list.every(isRecord))
    throw new SyntaxError(`${name} is not a list of objects`);
  return list;
}

const records = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const hex = (value: unknown): string => text(value).toLowerCase();

/** 64-bit integers are texts in JSON. */
function millis(value: unknown): number {
  const nanoseconds = Number(value ?? 0);
  return Number.isFinite(nanoseconds) ? nanoseconds / 1e6 : 0;
}

function attributesOf(list: unknown, spend: () => void, depth = 0): Map<string, Json> {
  const attributes = new Map<string, Json>();
  for (const { key, value } of records(list)) {
    spend();
    attributes.set(text(key), readValue(value, spend, depth));
  }
  return attributes;
}

function readValue(value: unknown, spend: () => void, depth: number): Json {
  checkDepth(depth);
  if (!isRecord(value)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  if (typeof intValue === "number" || typeof intValue === "string") return wholeNumber(intValue);
  if (typeof doubleValue === "number" || typeof doubleValue === "string") return Number(doubleValue);
  if (isRecord(arrayValue))
    return records(arrayValue.values).map((each) => {
      spend();
      return readValue(each, spend, depth + 1);
    });
  return isRecord(kvlistValue)
    ? Object.fromEntries(attributesOf(kvlistValue.values, spend, depth + 1))
    : null;
}
