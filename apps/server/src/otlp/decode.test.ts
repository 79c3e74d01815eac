import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DomainError, settleTrace } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../../tests/e2e/support/seeded-random.ts";
import { logsOf, newTraceId, spanIdOf, toProtobuf, tracesOf } from "../test-support/otlp-bodies.ts";
import { readFacts } from "./accept-traces.ts";
import { decodeBody } from "./read-request.ts";

const recorded = join(import.meta.dirname, "recorded");
interface Case {
  readonly traces: object;
  readonly logs?: object;
}
const cases = readdirSync(recorded)
  .filter((name) => name.endsWith(".json"))
  .flatMap((name) =>
    Object.values(JSON.parse(readFileSync(join(recorded, name), "utf8")) as Record<string, Case>),
  );

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const fromJson = (request: object, signal: "traces" | "logs" = "traces") =>
  decodeBody(json(request), signal, "json");
const fromBytes = (body: Buffer, signal: "traces" | "logs" = "traces") =>
  decodeBody(body, signal, "protobuf");

describe("both encodings say the same", () => {
  test("of what real emitters sent", () => {
    for (const { traces, logs } of cases) {
      const batch = fromJson(traces);
      expect(batch.spans.length).toBeGreaterThan(0);
      expect(fromBytes(toProtobuf("Traces", traces))).toEqual(batch);
      if (logs !== undefined)
        expect(fromBytes(toProtobuf("Logs", logs), "logs")).toEqual(fromJson(logs, "logs"));
    }
  });

  test("of values of every kind", () => {
    const attributes = {
      text: "é",
      no: false,
      count: 7,
      big: 2 ** 53 - 1,
      half: 0.5,
      list: [1, "a", [true]],
      map: { a: { b: 1 } },
      none: null,
    };
    const [traceId, spanId] = [newTraceId(), spanIdOf(1)];
    const request = tracesOf([
      {
        ...{ traceId, spanId, parentSpanId: spanIdOf(2), traceState: "a=b,ot=th:8" },
        ...{ failed: true, at: 1_000, attributes },
      },
    ]);
    const { spans } = fromJson(request);
    expect(spans).toEqual([
      {
        ...{ traceId, spanId, parentId: spanIdOf(2), scope: "test-scope 1.0", isFailed: true, events: [] },
        ...{ startedAt: 1_000, endedAt: 1_500, attributes: new Map(Object.entries(attributes)) },
        samplingProbability: 0.5,
      },
    ]);
    expect(fromBytes(toProtobuf("Traces", request)).spans).toEqual(spans);
    const records = logsOf([
      { traceId, spanId, name: "", at: 5, attributes: { "event.name": "older" }, body: { content: "x" } },
    ]);
    const { logs } = fromJson(records, "logs");
    expect(logs).toMatchObject([{ traceId, spanId, name: "older", at: 5, body: { content: "x" } }]);
    expect(fromBytes(toProtobuf("Logs", records), "logs").logs).toEqual(logs);
  });

  test.each([
    ["short", "ab", spanIdOf(1)],
    ["zero", "0".repeat(32), spanIdOf(1)],
    ["without a span", newTraceId(), ""],
  ])("of ids that are %s", (_name, traceId, spanId) => {
    const request = tracesOf([{ traceId, spanId }]);
    const expected = { spans: [], logs: [], malformed: 1 };
    expect(fromJson(request)).toEqual(expected);
    expect(fromBytes(toProtobuf("Traces", request))).toEqual(expected);
  });
});

test("an instrumentation's name fits in every database", () => {
  const request = tracesOf([{ traceId: newTraceId(), spanId: spanIdOf(1) }], {
    name: `a\0\ud800${"x".repeat(300)}`,
    version: "",
  });
  const [span] = fromJson(request).spans;
  expect(span?.scope).toMatch(/^a\ufffdx{197,198}$/);
});

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return Buffer.from(bytes);
  }
};
const field = (number: number, content: Buffer) =>
  Buffer.concat([Buffer.of(number * 8 + 2), varint(content.length), content]);
const repeated = (number: number, times: number) => {
  const all = Buffer.alloc(2 * times);
  for (let at = 0; at < all.length; at += 2) all[at] = number * 8 + 2;
  return all;
};
/** A value in lists within each other. */
function nested(levels: number): Buffer {
  let value = field(1, Buffer.from("x"));
  for (let level = 0; level < levels; level++) value = field(5, field(1, value));
  return value;
}
const inSpan = (...fields: readonly Buffer[]) => field(1, field(2, field(2, Buffer.concat(fields))));
const attribute = (value: Buffer) => field(9, Buffer.concat([field(1, Buffer.from("a")), field(2, value)]));

describe("work is bounded", () => {
  test.each([
    ["spans without end", field(1, field(2, repeated(2, 2_000_000))), /100,000 values/],
    ["scopes without end", field(1, repeated(2, 2_000_000)), /100,000 values/],
    ["attributes without end", inSpan(repeated(9, 2_000_000)), /100,000 values/],
    ["events without end", inSpan(repeated(11, 2_000_000)), /100,000 values/],
    ["a list without end", inSpan(attribute(field(5, repeated(1, 2_000_000)))), /100,000 values/],
    ["a map without end", inSpan(attribute(field(6, repeated(1, 2_000_000)))), /100,000 values/],
    ["21 levels", inSpan(attribute(nested(21))), /20 levels/],
    ["5,000 levels", inSpan(attribute(nested(5_000))), /20 levels/],
    ["a message longer than the body", Buffer.of(10, 100, 1), /not a valid OTLP traces request/],
    [
      "a message longer than the one around it",
      field(1, Buffer.of(18, 5, 10)),
      /not a valid OTLP traces request/,
    ],
    ["half a number", Buffer.of(255), /not a valid OTLP traces request/],
    ["groups within each other", Buffer.alloc(100_000, 11), /not a valid OTLP traces request/],
  ])("%s", (_name, body, reason) => {
    const startedAt = performance.now();
    expect(() => fromBytes(body)).toThrow(reason);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test("20 levels are read, and fields that nobody reads are skipped", () => {
    const ids = [field(1, Buffer.alloc(16, 1)), field(2, Buffer.alloc(8, 1))];
    expect(fromBytes(inSpan(...ids, attribute(nested(20)))).spans).toHaveLength(1);
    expect(fromBytes(inSpan(...ids, repeated(13, 1_000_000))).spans).toHaveLength(1);
    // A field of another type than the specification's is not read either.
    expect(fromBytes(inSpan(...ids, Buffer.of(7 * 8, 5))).spans).toMatchObject([{ startedAt: 0 }]);
  });

  test.each([
    ["levels", () => `{"resourceSpans":${"[".repeat(5_000)}`, /levels/],
    ["values", () => `{"resourceSpans":[${"1,".repeat(1_000_000)}1]}`, /values/],
    [
      "spans",
      () => `{"resourceSpans":[{"scopeSpans":[{"spans":[${"{},".repeat(150_000)}{}]}]}]}`,
      /100,000 values/,
    ],
    ["no object", () => "[]", /not a valid OTLP traces request/],
  ])("of JSON: %s", (_name, make, reason) => {
    expect(() => decodeBody(Buffer.from(make()), "traces", "json")).toThrow(reason);
  });

  test("of whole numbers that a double does not hold: they keep every digit", () => {
    const attributes = { "user.id": "1234567890123456789", least: "-9223372036854775808", few: "42" };
    const list = Object.entries(attributes).map(([key, intValue]) => ({ key, value: { intValue } }));
    const span = { traceId: newTraceId(), spanId: spanIdOf(1), name: "s", attributes: list };
    const request = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
    const expected = new Map(Object.entries({ ...attributes, few: 42 }));
    expect(fromJson(request).spans[0]?.attributes).toEqual(expected);
    expect(fromBytes(toProtobuf("Traces", request)).spans[0]?.attributes).toEqual(expected);
  });

  test.each([
    [{ resourceSpans: 5 }, "resourceSpans"],
    [{ resourceSpans: [null] }, "resourceSpans"],
    [{ resourceSpans: [{ scopeSpans: {} }] }, "scopeSpans"],
    [{ resourceSpans: [{ scopeSpans: [{ scope: 1, spans: [7] }] }] }, "spans"],
  ])("of JSON, what should hold spans and does not is refused: %j", (strange, name) => {
    expect(() => fromJson(strange)).toThrow(`${name} is not a list of objects`);
  });

  test("of JSON of other forms, what is not understood is nothing", () => {
    for (const empty of [{}, { resourceSpans: null }, { resourceSpans: [{ scopeSpans: [{ scope: 1 }] }] }])
      expect(fromJson(empty)).toEqual({ spans: [], logs: [], malformed: 0 });
    const odd = {
      traceId: newTraceId(),
      spanId: spanIdOf(1),
      startTimeUnixNano: "soon",
      attributes: [{ key: 1 }, { value: { intValue: {} } }, { key: "a", value: 7 }],
    };
    const { spans } = fromJson({ resourceSpans: [{ scopeSpans: [{ spans: [odd] }] }] });
    expect(spans[0]).toMatchObject({ startedAt: 0, isFailed: false, parentId: null });
  });
});

test("mutated bodies are read or refused, and never fail", async () => {
  const random = seededRandom(27);
  const pick = (below: number) => Math.floor(random() * below);
  const bodies = cases.flatMap(({ traces }) => [
    { encoding: "json", body: json(traces) } as const,
    { encoding: "protobuf", body: toProtobuf("Traces", traces) } as const,
  ]);
  let [read, refused] = [0, 0];
  for (let run = 0; run < 3_000; run++) {
    const { encoding, body } = bodies[pick(bodies.length)] as (typeof bodies)[number];
    const mutated = Buffer.from(body);
    for (let change = 0; change <= pick(6); change++) mutated[pick(mutated.length)] = pick(256);
    const cut = pick(4) === 0 ? mutated.subarray(0, pick(mutated.length)) : mutated;
    try {
      const traces = await readFacts(decodeBody(cut, "traces", encoding));
      for (const [traceId, facts] of traces)
        JSON.stringify(settleTrace({ traceId, facts }, () => ({ id: "e", unit: "user" })));
      read += 1;
    } catch (error) {
      // By its kind: beside other files in one process, a class can be loaded twice.
      if ((error as Partial<DomainError>).kind !== "invalid-body") throw error;
      refused += 1;
    }
  }
  expect(read).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(500);
});
