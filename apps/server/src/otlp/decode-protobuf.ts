import type { Json, SpanEvent } from "@assay/domain";
import protobuf from "protobufjs/minimal.js";
import {
  addLog,
  addSpan,
  checkDepth,
  logName,
  type OtlpBatch,
  scopeOf,
  valueBudget,
  wholeNumber,
} from "./otlp-batch.ts";

type Reader = protobuf.Reader;
/** Counts one value of the request. */
type Spend = () => void;

const LENGTH_DELIMITED = 2;
const FIXED64 = 1;
const VARINT = 0;
/** A field's number and wire type, as they precede its value. */
const bytes = (field: number): number => (field << 3) | LENGTH_DELIMITED;
const fixed64 = (field: number): number => (field << 3) | FIXED64;
const varint = (field: number): number => (field << 3) | VARINT;

/**
 * Decodes `ExportTraceServiceRequest`. Skips fields that Assay does not read, which takes no memory and cannot nest.
 * Throws `ExcessError`, and an error of the library for anything that is not such a message.
 */
export function decodeTraces(body: Buffer): OtlpBatch {
  return decode(body, (reader, batch, spend) =>
    readScopes(reader, spend, (scope) => readSpan(reader, scope, batch, spend)),
  );
}

/** Decodes `ExportLogsServiceRequest`. Throws as `decodeTraces` does. */
export function decodeLogs(body: Buffer): OtlpBatch {
  return decode(body, (reader, batch, spend) =>
    readScopes(reader, spend, () => readLog(reader, batch, spend)),
  );
}

type ReadResource = (reader: Reader, batch: OtlpBatch, spend: Spend) => void;

function decode(body: Buffer, readResource: ReadResource): OtlpBatch {
  const reader = protobuf.Reader.create(body);
  const batch: OtlpBatch = { spans: [], logs: [], malformed: 0 };
  const spend = valueBudget();
  readFields(reader, body.length, (tag) => {
    if (tag !== bytes(1)) return false;
    readResource(reader, batch, spend);
    return true;
  });
  return batch;
}

/** Calls `read` for each field. It returns whether it has read the value; other fields are skipped. */
function readFields(reader: Reader, end: number, read: (tag: number) => boolean): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!read(tag)) reader.skipType(tag & 7);
  }
  leave(reader, end);
}

/** Reads the fields of a nested message. Spans and attributes, of which there are many, do it without the function. */
function readNested(reader: Reader, read: (tag: number) => boolean): void {
  readFields(reader, enter(reader), read);
}

/** Begins a nested message, and returns where it ends. */
function enter(reader: Reader): number {
  const length = reader.uint32();
  return reader.pos + length;
}

function leave({ pos }: Reader, end: number): void {
  if (pos !== end) throw new RangeError("a message is longer than its stated length");
}

/** Reads `ResourceSpans` or `ResourceLogs`, which have the same form, and in them `ScopeSpans` or `ScopeLogs`. */
function readScopes(reader: Reader, spend: Spend, readItem: (scope: string) => void): void {
  readNested(reader, (tag) => {
    if (tag !== bytes(2)) return false;
    spend();
    readScope(reader, spend, readItem);
    return true;
  });
}

/** Code generated from the specification writes the scope as the first field. In theory it may follow later, hence two passes. */
function readScope(reader: Reader, spend: Spend, readItem: (scope: string) => void): void {
  const start = reader.pos;
  let [name, version] = ["", ""];
  readNested(reader, (tag) => {
    if (tag !== bytes(1)) return false;
    readNested(reader, (inner) => {
      if (inner === bytes(1)) name = reader.string();
      else if (inner === bytes(2)) version = reader.string();
      else return false;
      return true;
    });
    return true;
  });
  reader.pos = start;
  const scope = scopeOf(name, version);
  readNested(reader, (tag) => {
    if (tag !== bytes(2)) return false;
    spend();
    readItem(scope);
    return true;
  });
}

function readSpan(reader: Reader, scope: string, batch: OtlpBatch, spend: Spend): void {
  let [traceId, spanId, traceState, parentId] = ["", "", "", ""];
  let [startedAt, endedAt, isFailed] = [0, 0, false];
  const attributes = new Map<string, Json>();
  const events: SpanEvent[] = [];
  const end = enter(reader);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === bytes(9)) readAttribute(reader, attributes, spend, 0);
    else if (tag === bytes(1)) traceId = hex(reader);
    else if (tag === bytes(2)) spanId = hex(reader);
    else if (tag === bytes(3)) traceState = reader.string();
    else if (tag === bytes(4)) parentId = hex(reader);
    else if (tag === fixed64(7)) startedAt = millis(reader);
    else if (tag === fixed64(8)) endedAt = millis(reader);
    else if (tag === bytes(11)) events.push(readEvent(reader, spend));
    else if (tag === bytes(15)) isFailed = readStatus(reader);
    else reader.skipType(tag & 7);
  }
  leave(reader, end);
  addSpan(batch, {
    ...{ traceId, spanId, traceState, parentId, scope, startedAt, endedAt, isFailed, attributes, events },
  });
}

function readEvent(reader: Reader, spend: Spend): SpanEvent {
  spend();
  let [name, at] = ["", 0];
  const attributes = new Map<string, Json>();
  readNested(reader, (tag) => {
    if (tag === fixed64(1)) at = millis(reader);
    else if (tag === bytes(2)) name = reader.string();
    else if (tag === bytes(3)) readAttribute(reader, attributes, spend, 0);
    else return false;
    return true;
  });
  return { name, at, attributes };
}

const STATUS_ERROR = 2;

function readStatus(reader: Reader): boolean {
  let code = 0;
  readNested(reader, (tag) => {
    if (tag !== varint(3)) return false;
    code = reader.int32();
    return true;
  });
  return code === STATUS_ERROR;
}

function readLog(reader: Reader, batch: OtlpBatch, spend: Spend): void {
  let [traceId, spanId, name, at, observedAt] = ["", "", "", 0, 0];
  let body: Json = null;
  const attributes = new Map<string, Json>();
  readNested(reader, (tag) => {
    if (tag === fixed64(1)) at = millis(reader);
    else if (tag === bytes(5)) body = readValue(reader, spend, 0);
    else if (tag === bytes(6)) readAttribute(reader, attributes, spend, 0);
    else if (tag === bytes(9)) traceId = hex(reader);
    else if (tag === bytes(10)) spanId = hex(reader);
    else if (tag === fixed64(11)) observedAt = millis(reader);
    else if (tag === bytes(12)) name = reader.string();
    else return false;
    return true;
  });
  addLog(batch, { traceId, spanId, name: logName(name, attributes), at: at || observedAt, attributes, body });
}

/** Reads a `KeyValue`. The last one of a name counts. */
function readAttribute(reader: Reader, attributes: Map<string, Json>, spend: Spend, depth: number): void {
  spend();
  let [name, value] = ["", null as Json];
  const end = enter(reader);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === bytes(1)) name = reader.string();
    else if (tag === bytes(2)) value = readValue(reader, spend, depth);
    else reader.skipType(tag & 7);
  }
  leave(reader, end);
  attributes.set(name, value);
}

/** Reads an `AnyValue`. Bytes are dropped, because no attribute that Assay reads has any. */
function readValue(reader: Reader, spend: Spend, depth: number): Json {
  checkDepth(depth);
  let value: Json = null;
  const end = enter(reader);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === bytes(1)) value = reader.string();
    else if (tag === varint(2)) value = reader.bool();
    else if (tag === varint(3)) value = wholeNumber(String(reader.int64()));
    else if (tag === fixed64(4)) value = reader.double();
    else if (tag === bytes(5)) value = readList(reader, spend, depth + 1);
    else if (tag === bytes(6)) value = readMap(reader, spend, depth + 1);
    else reader.skipType(tag & 7);
  }
  leave(reader, end);
  return value;
}

function readList(reader: Reader, spend: Spend, depth: number): Json {
  const values: Json[] = [];
  readNested(reader, (tag) => {
    if (tag !== bytes(1)) return false;
    spend();
    values.push(readValue(reader, spend, depth));
    return true;
  });
  return values;
}

function readMap(reader: Reader, spend: Spend, depth: number): Json {
  const fields = new Map<string, Json>();
  readNested(reader, (tag) => {
    if (tag !== bytes(1)) return false;
    readAttribute(reader, fields, spend, depth);
    return true;
  });
  return Object.fromEntries(fields);
}

/** Avoids the copy of `bytes` and the `Long` of `fixed64`, which took a third of the time. */
function hex(reader: Reader): string {
  const length = reader.uint32();
  const start = reader.pos;
  reader.skip(length);
  return (reader.buf as Buffer).toString("hex", start, reader.pos);
}

/** Converts nanoseconds into milliseconds with fractions. */
function millis(reader: Reader): number {
  const low = reader.fixed32();
  return (reader.fixed32() * 2 ** 32 + low) / 1e6;
}
