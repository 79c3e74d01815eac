import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, type WireExperiment } from "../../test-support/experiments.ts";
import {
  fromProtobuf,
  logsOf,
  newTraceId,
  type ShortSpan,
  spanIdOf,
  toProtobuf,
  tracesOf,
} from "../../test-support/otlp-bodies.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";
/** How far the service's clock is ahead: traces are settled once they were quiet for a while. */
let ahead = 0;
let api: TestService;
let key: string;
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService({}, { now: () => Date.now() + ahead });
  key = await api.newKey("secret");
  experiment = (
    await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody("greeting") })
  ).body;
});
afterAll(() => api.stop());

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function post(
  signal: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
): Promise<Sent> {
  const response = await fetch(`${api.service.url}/v1/otlp/v1/${signal}`, {
    method: "POST",
    headers: { "x-api-key": key, ...headers },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const sendSpans = (spans: readonly ShortSpan[]) =>
  post("traces", toProtobuf("Traces", tracesOf(spans)), { "content-type": PROTOBUF });

const evaluation = (user: string, variant = "treatment", flag = "greeting") => ({
  name: "feature_flag.evaluation",
  at: Date.now(),
  attributes: {
    "feature_flag.key": flag,
    "feature_flag.result.variant": variant,
    ...(user === "" ? {} : { "feature_flag.context.id": user }),
  },
});

interface StoredRow {
  readonly type: string;
  readonly source: string;
  readonly variant: string | null;
  readonly [field: string]: unknown;
}

/** The stored events of a user, once there are as many as expected. */
async function eventsOf(user: string, count: number): Promise<readonly StoredRow[]> {
  const read = async () => {
    const response = await fetch(`${api.service.url}/v1/users/${user}/events`, {
      headers: { authorization: `Bearer ${await api.token()}` },
    });
    const text = await response.text();
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as StoredRow]));
  };
  await expect.poll(async () => (await read()).length, { timeout: 20_000 }).toBe(count);
  return read();
}

const call = (span: Partial<ShortSpan> = {}): ShortSpan => ({
  traceId: newTraceId(),
  spanId: spanIdOf(7),
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.response.model": "gpt-5-mini",
    "gen_ai.usage.input_tokens": 1200,
    "gen_ai.usage.output_tokens": 80,
    "gen_ai.usage.cache_read.input_tokens": 1000,
  },
  ...span,
});

describe("a span that names its user", () => {
  test.each([
    { encoding: "protobuf", gzip: false },
    { encoding: "protobuf", gzip: true },
    { encoding: "JSON", gzip: false },
    { encoding: "JSON", gzip: true },
  ])("becomes an exposure and a call: $encoding, gzip $gzip", async ({ encoding, gzip }) => {
    const user = `${encoding}-${gzip}`;
    const request = tracesOf([call({ events: [evaluation(user)] })]);
    const isJson = encoding === "JSON";
    const plain = isJson ? Buffer.from(JSON.stringify(request)) : toProtobuf("Traces", request);
    const type = isJson ? JSON_TYPE : PROTOBUF;
    const headers = { "content-type": type, ...(gzip ? { "content-encoding": "gzip" } : {}) };
    const {
      status,
      headers: answered,
      bytes,
    } = await post("traces", gzip ? gzipSync(plain) : plain, headers);
    expect([status, answered.get("content-type"), String(bytes)]).toEqual([200, type, isJson ? "{}" : ""]);
    ahead += 40_000;
    const events = await eventsOf(user, 2);
    const byType = (type: string) => events.find((event) => event.type === type);
    expect(byType("exposure")).toMatchObject({
      source: "otlp",
      variant: "treatment",
      experiment_id: experiment.id,
    });
    expect(byType("model_call")).toMatchObject({
      ...{ source: "otlp", variant: "treatment", model: "gpt-5-mini", provider: "openai" },
      ...{ input_tokens: 1200, cached_input_tokens: 1000, output_tokens: 80, latency_ms: 500 },
      // What the span does not say is not 0.
      reasoning_tokens: null,
    });
  });
});

test("a flag's evaluation outside of all traces is an exposure, once", async () => {
  const { attributes, at, name } = evaluation("no-trace");
  const body = toProtobuf("Logs", logsOf([{ name, at, attributes }]));
  for (let time = 0; time < 2; time++)
    expect((await post("logs", body, { "content-type": PROTOBUF })).status).toBe(200);
  const [exposure] = await eventsOf("no-trace", 1);
  expect(exposure).toMatchObject({ type: "exposure", source: "otlp", variant: "treatment" });
});

test("the end of an agent is the end of its run, once however often it is sent", async () => {
  const traceId = newTraceId();
  const agent = { "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "openai" };
  const spans = [
    { traceId, spanId: spanIdOf(1), attributes: agent, events: [evaluation("agent-user")] },
    call({ traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1) }),
  ];
  for (const sent of [spans.toReversed(), spans]) expect((await sendSpans(sent)).status).toBe(200);
  ahead += 40_000;
  const rows = await eventsOf("agent-user", 3);
  expect((await sendSpans(spans)).status).toBe(200);
  ahead += 40_000;
  expect(rows.find(({ type }) => type === "run_end")).toMatchObject({
    ...{ source: "otlp", variant: "treatment", run_id: traceId, completed: true },
    event_id: `${traceId}-${experiment.id}-r${spanIdOf(1)}`,
  });
  await expect(eventsOf("agent-user", 3)).resolves.toHaveLength(3);
});

describe("partial success", () => {
  test.each([JSON_TYPE, PROTOBUF])("has the count and the first reason: %s", async (type) => {
    const traceId = newTraceId();
    const spans = [
      { traceId, spanId: spanIdOf(1), events: [evaluation("ann", "nonsense")] },
      { traceId, spanId: spanIdOf(2), events: [evaluation("svc-test-1")] },
      { traceId, spanId: spanIdOf(3), events: [evaluation(`fine-${type.length}`)] },
      { traceId: "00", spanId: spanIdOf(4) },
    ];
    const body = tracesOf(spans);
    const sent = await post("traces", type === PROTOBUF ? toProtobuf("Traces", body) : JSON.stringify(body), {
      "content-type": type,
    });
    expect(sent.status).toBe(200);
    const reason = expect.stringContaining('one of "control", "treatment"');
    if (type === PROTOBUF)
      expect(fromProtobuf("Answer", sent.bytes)).toEqual({
        partialSuccess: { rejected: 3, errorMessage: reason },
      });
    else
      expect(JSON.parse(String(sent.bytes))).toEqual({
        partialSuccess: { rejectedSpans: "3", errorMessage: reason },
      });
    await eventsOf(`fine-${type.length}`, 1);
  });

  test("says when ids are not valid", async () => {
    const sent = await sendSpans([{ traceId: "00", spanId: "00" }]);
    expect(fromProtobuf("Answer", sent.bytes)).toEqual({
      partialSuccess: { rejected: 1, errorMessage: "Without a valid trace id or span id: 1." },
    });
  });
});

test("an evaluation of another system's flag is an exposure of the running experiment on it", async () => {
  const body = { ...experimentBody("menu"), assignment: "external", flag_key: "new-menu-flag" };
  const { status } = await api.call<WireExperiment>("POST", "/v1/experiments", { body });
  expect(status).toBe(201);
  const sent = await sendSpans([call({ events: [evaluation("of-flag", "control", "new-menu-flag")] })]);
  expect([sent.status, sent.bytes.length]).toEqual([200, 0]);
  const [exposure] = await eventsOf("of-flag", 1);
  expect(exposure).toMatchObject({ type: "exposure", source: "otlp", variant: "control" });
});

test("an evaluation is of the running experiment on the flag, not of a stopped one that has the flag's key as its name", async () => {
  const bodies = [
    { ...experimentBody("banner"), status: "stopped" },
    { ...experimentBody("banner-again"), assignment: "external", flag_key: "banner" },
  ];
  const ids: string[] = [];
  for (const body of bodies)
    ids.push((await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body.id);
  await sendSpans([call({ events: [evaluation("of-banner", "control", "banner")] })]);
  const [exposure] = await eventsOf("of-banner", 1);
  expect(exposure).toMatchObject({ experiment_id: ids[1], variant: "control" });
});

test.each(["prompt", "variables"])(
  "an evaluation of an experiment's %s is an exposure of it",
  async (part) => {
    const { body } = await api.call<WireExperiment>("POST", "/v1/experiments", {
      body: experimentBody(`a-${part}`),
    });
    const user = `of-${part}`;
    await sendSpans([call({ events: [evaluation(user, "control", `a-${part}.${part}`)] })]);
    const [exposure] = await eventsOf(user, 1);
    expect(exposure).toMatchObject({ type: "exposure", experiment_id: body.id, variant: "control" });
  },
);

test("flags that are no experiments, and spans about other things, are passed over", async () => {
  const sent = await sendSpans([
    call({ attributes: { "http.request.method": "GET" }, events: [evaluation("ann", "on", "new-menu")] }),
  ]);
  expect([sent.status, sent.bytes.length]).toEqual([200, 0]);
});

test.each([JSON_TYPE, PROTOBUF])("metrics are acknowledged as not stored: %s", async (type) => {
  const { status, bytes } = await post("metrics", type === PROTOBUF ? Buffer.of(1, 2, 3) : "{}", {
    "content-type": type,
  });
  expect(status).toBe(200);
  const said = type === PROTOBUF ? fromProtobuf<object>("Answer", bytes) : JSON.parse(String(bytes));
  expect(JSON.stringify(said)).toContain("does not store metrics");
});

interface Summary {
  readonly instrumentations: readonly {
    readonly scope: string;
    readonly calls: number;
    readonly advice: readonly string[];
  }[];
}

test("GET /v1/telemetry says what an instrumentation's calls lack, to their own org", async () => {
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.system": "openai",
    "gen_ai.request.stream": true,
  };
  const spans = [
    { traceId: newTraceId(), spanId: spanIdOf(1), attributes, events: [evaluation("streamer")] },
  ];
  const request = tracesOf(spans, { name: "streaming", version: "2.0" });
  expect((await post("traces", JSON.stringify(request), { "content-type": JSON_TYPE })).status).toBe(200);
  const { body } = await api.call<Summary>("GET", "/v1/telemetry");
  expect(body.instrumentations.find(({ scope }) => scope === "streaming 2.0")).toMatchObject({
    ...{ calls: 1, streams: 1, waiting: 1, events: 0, without_usage: 1, streams_without_usage: 1 },
    advice: [
      expect.stringContaining("100% of the streamed calls carry no usage: set stream_options.include_usage"),
    ],
  });
  expect(body).toMatchObject({
    last_call: {
      ...{
        scope: "streaming 2.0",
        dialect: "opentelemetry-newest/3",
        outcome: "waiting",
      },
      trace_id: spans[0]?.traceId,
    },
    last_evaluation: { flag: "greeting", user_id: "streamer", trace_id: spans[0]?.traceId, is_logged: false },
  });
  const token = await api.token({ email: "o@strangers.org", org: "strangers" });
  expect((await api.call<Summary>("GET", "/v1/telemetry", { token })).body).toEqual({
    ...{ instrumentations: [], last_call: null, last_evaluation: null },
  });
});

describe("an error is google.rpc.Status in the encoding of the request", () => {
  const big = Buffer.alloc(6 * 1024 * 1024, 32);
  const other = "text/plain";
  test.each([
    { what: "not protobuf", body: Buffer.from("nonsense"), type: PROTOBUF, status: 400, code: 3 },
    { what: "not JSON", body: Buffer.from("{"), type: JSON_TYPE, status: 400, code: 3 },
    { what: "no object", body: Buffer.from("[]"), type: JSON_TYPE, status: 400, code: 3 },
    { what: "not gzip", body: Buffer.from("x"), type: JSON_TYPE, gzip: true, status: 400, code: 3 },
    { what: "too large", body: big, type: JSON_TYPE, status: 413, code: 8 },
    { what: "a bomb", body: gzipSync(big), type: PROTOBUF, gzip: true, status: 413, code: 8 },
    { what: "another media type", body: Buffer.from("x"), type: other, status: 415, code: 3 },
  ])("$what", async ({ body, type, gzip, status, code }) => {
    const headers = { "content-type": type, ...(gzip ? { "content-encoding": "gzip" } : {}) };
    const sent = await post("traces", body, headers);
    expect([sent.status, sent.headers.get("content-type")]).toEqual([
      status,
      type === PROTOBUF ? type : JSON_TYPE,
    ]);
    const said =
      type !== PROTOBUF ? JSON.parse(String(sent.bytes)) : fromProtobuf<object>("RpcStatus", sent.bytes);
    expect(said).toEqual({ code, message: expect.stringMatching(/\w/) });
  });

  test("of a missing or publishable key", async () => {
    for (const wrong of ["", "svc_sk_wrong", await api.newKey("publishable")]) {
      const sent = await post("traces", "{}", { "content-type": JSON_TYPE, "x-api-key": wrong });
      expect([sent.status, JSON.parse(String(sent.bytes)).code]).toEqual([401, 16]);
    }
  });
});

test.each(["/v1/traces", "/v1/logs", "/v1/otlp", "/v1/otlp/traces"])(
  "an exporter with the address %s is told the right one",
  async (path) => {
    const response = await fetch(`${api.service.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": key },
    });
    expect(await response.json()).toMatchObject({
      status: 404,
      detail: `There is nothing at ${path}. Set OTEL_EXPORTER_OTLP_ENDPOINT to the service's address with /v1/otlp.`,
    });
  },
);

test("a request over the rate is 429 with what an exporter needs", async () => {
  const fast = await openTestService({ rateLimits: { ...api.settings().rateLimits, eventsPerSecond: 1 } });
  try {
    const secret = await fast.newKey("secret");
    const send = () =>
      fetch(`${fast.service.url}/v1/otlp/v1/traces`, {
        method: "POST",
        headers: { "x-api-key": secret, "content-type": JSON_TYPE },
        body: "{}",
      });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect(await refused?.json()).toMatchObject({ code: 8 });
  } finally {
    await fast.stop();
  }
});
