import protobuf from "protobufjs";

/** The messages of OTLP as its specification numbers them, also those that the service skips. */
const PROTO = `syntax = "proto3";
message Traces { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Logs { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  repeated Event events = 11; Status status = 15; fixed32 flags = 16;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message LogRecord {
  fixed64 time_unix_nano = 1; int32 severity_number = 2; AnyValue body = 5; repeated KeyValue attributes = 6; fixed32 flags = 8;
  bytes trace_id = 9; bytes span_id = 10; fixed64 observed_time_unix_nano = 11; string event_name = 12;
}
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
    ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message Answer { Partial partial_success = 1; }
message Partial { int64 rejected = 1; string error_message = 2; }
message RpcStatus { int32 code = 1; string message = 2; }`;

const { root } = protobuf.parse(PROTO);

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
type Values = Readonly<Record<string, Value>>;

/** A span in short form: instants in milliseconds, attributes as an object. */
export interface ShortSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name?: string;
  readonly at?: number;
  readonly endsAt?: number;
  readonly failed?: boolean;
  readonly attributes?: Values;
  readonly events?: readonly { readonly name: string; readonly at: number; readonly attributes: Values }[];
}

/** A log record in short form. */
export interface ShortLog {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly name: string;
  readonly at: number;
  readonly attributes: Values;
  readonly body?: Value;
}

const nanos = (ms: number): string => `${Math.round(ms)}000000`;
const keyValues = (values: Values = {}) =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: Value): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return value === null ? {} : { kvlistValue: { values: keyValues(value as Values) } };
}

/** An `ExportTraceServiceRequest` in the form of JSON. */
export function tracesOf(spans: readonly ShortSpan[], scope = { name: "test-scope", version: "1.0" }) {
  const now = Date.now();
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues({ "service.name": "app" }) },
        scopeSpans: [
          {
            scope,
            spans: spans.map(({ attributes, events = [], failed, at = now, endsAt = at + 500, ...span }) => ({
              ...{ name: "span", kind: 3, ...span },
              startTimeUnixNano: nanos(at),
              endTimeUnixNano: nanos(endsAt),
              attributes: keyValues(attributes),
              events: events.map((event) => ({
                timeUnixNano: nanos(event.at),
                name: event.name,
                attributes: keyValues(event.attributes),
              })),
              status: failed === true ? { code: 2, message: "failed" } : {},
            })),
          },
        ],
      },
    ],
  };
}

/** An `ExportLogsServiceRequest` in the form of JSON. */
export function logsOf(logs: readonly ShortLog[]) {
  const logRecords = logs.map(({ at, name, attributes, body, ...ids }) => ({
    ...ids,
    eventName: name,
    timeUnixNano: nanos(at),
    attributes: keyValues(attributes),
    ...(body === undefined ? {} : { body: anyValue(body) }),
  }));
  return { resourceLogs: [{ scopeLogs: [{ scope: { name: "test-scope" }, logRecords }] }] };
}

/** Encodes a request in the form of JSON as protobuf. */
export function toProtobuf(message: "Traces" | "Logs", request: object): Buffer {
  const type = root.lookupType(message);
  return Buffer.from(type.encode(type.fromObject(withBytes(request) as object)).finish());
}

/** Ids are hex digits in JSON and bytes in protobuf. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      /^(trace|span|parentSpan)Id$/.test(key) ? Buffer.from(String(part), "hex") : withBytes(part),
    ]),
  );
}

/** Decodes a request of spans to the form of JSON. */
export function tracesFromProtobuf(body: Uint8Array): unknown {
  const type = root.lookupType("Traces");
  return withHex(type.toObject(type.decode(body), { longs: String }));
}

function withHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(withHex);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withHex(part)]));
}

/** Decodes an answer. */
export function fromProtobuf<T>(message: "Answer" | "RpcStatus", body: Uint8Array): T {
  const type = root.lookupType(message);
  return type.toObject(type.decode(body), { longs: Number }) as T;
}

let count = 0;
/** A new trace id. */
export const newTraceId = (): string => `1${(++count).toString(16).padStart(31, "0")}`;
/** A span id by number. */
export const spanIdOf = (number: number): string => number.toString(16).padStart(16, "0");
