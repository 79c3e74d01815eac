/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it begins its trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A protobuf message: values by field number. */
type Message = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** Reads an `ExportTraceServiceRequest` of OTLP 1 (opentelemetry/proto/trace/v1/trace.proto names the field numbers). */
export function readTraces(body: Buffer): readonly ReceivedSpan[] {
  return messages(parse(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const attributes = resource === undefined ? {} : keyValues(resource, 1);
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => toSpan(span, attributes));
  });
}

function toSpan(span: Message, resource: Readonly<Record<string, unknown>>): ReceivedSpan {
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    attributes: keyValues(span, 9),
    links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
    resource,
  };
}

function keyValues(message: Message, field: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const [value = new Map()] = messages(pair, 2);
      return [text(pair, 1), value.has(1) ? text(value, 1) : Number(value.get(3)?.[0])];
    }),
  );
}

function parse(bytes: Buffer): Message {
  const fields = new Map<number, (Buffer | bigint)[]>();
  for (let at = 0; at < bytes.length; ) {
    const tag = varint();
    const [field, type] = [Number(tag >> 3n), Number(tag & 7n)];
    const list = fields.get(field) ?? [];
    fields.set(field, list);
    if (type === 0) list.push(varint());
    else list.push(take(type === 1 ? 8 : type === 5 ? 4 : Number(varint())));

    function varint(): bigint {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++] ?? 0;
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    }
    function take(length: number): Buffer {
      at += length;
      return bytes.subarray(at - length, at);
    }
  }
  return fields;
}

const raw = (message: Message, field: number) =>
  (message.get(field) ?? []).filter((value) => typeof value !== "bigint");
const messages = (message: Message, field: number) => raw(message, field).map(parse);
const text = (message: Message, field: number) => raw(message, field)[0]?.toString("utf8") ?? "";
const hex = (message: Message, field: number) => raw(message, field)[0]?.toString("hex") ?? "";
