import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, type WireExperiment } from "../../test-support/experiments.ts";
import { newTraceId, spanIdOf, toProtobuf, tracesOf } from "../../test-support/otlp-bodies.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

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

const basic = (secret: string, name = "assay") =>
  `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function call(
  method: string,
  path: string,
  { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Answered> {
  const response = await fetch(`${api.service.url}/api/public${path}`, {
    method,
    headers: { authorization: basic(key), "content-type": "application/json", ...headers },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse((await response.text()) || "{}") };
}

interface StoredRow {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function readEvents(user: string): Promise<readonly StoredRow[]> {
  const response = await fetch(`${api.service.url}/v1/users/${user}/events`, {
    headers: { authorization: `Bearer ${await api.token()}` },
  });
  const text = await response.text();
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as StoredRow]));
}

/** The stored events of a user by type, once there are as many as expected. */
async function eventsOf(
  user: string,
  count: number,
): Promise<Readonly<Record<string, StoredRow | undefined>>> {
  await expect.poll(async () => (await readEvents(user)).length, { timeout: 20_000 }).toBe(count);
  return Object.fromEntries((await readEvents(user)).map((event) => [event.type, event]));
}

const instant = (ms = 0) => new Date(Date.now() - 60_000 + ms).toISOString();
let items = 0;
const item = (type: string, body: object) => ({ id: `item-${++items}`, timestamp: instant(), type, body });
const FLAG = { "feature_flag.key": "greeting", "feature_flag.result.variant": "treatment" };

/** What an SDK sends of one answer: the trace, a call that begins and ends, and a score. */
function itemsOf(user: string, traceId: string) {
  const [id, span] = [`call of ${user}`, `span of ${user}`];
  return {
    trace: item("trace-create", { id: traceId, timestamp: instant(), userId: user, metadata: FLAG }),
    span: item("span-create", { id: span, traceId, startTime: instant() }),
    create: item("generation-create", {
      ...{ id, traceId, parentObservationId: span, startTime: instant(100), input: "What?" },
    }),
    update: item("generation-update", {
      ...{ id, traceId, endTime: instant(350), model: "gpt-5-mini", output: "That." },
      ...{ usageDetails: { input: 200, output: 80, input_cached_tokens: 1_000, total: 1_280 } },
    }),
    score: item("score-create", { id: `score of ${user}`, traceId, name: "helpful", value: 0.5 }),
  };
}

const ingest = (batch: readonly unknown[]) => call("POST", "/ingestion", { body: { batch } });
const CALL = {
  ...{ source: "otlp", variant: "treatment", model: "gpt-5-mini", input_tokens: 1_200, output_tokens: 80 },
  ...{ cached_input_tokens: 1_000, reasoning_tokens: null, prompt: "What?", response: "That.", error: false },
};

test("the pieces of a trace become events, whatever their order and however often they come", async () => {
  const { trace, span, create, update, score } = itemsOf("pieces", "a trace of my own");
  const wrong = item("score-create", { traceId: "a trace of my own", name: "helpful" });
  const unknown = { ...item("dataset-run-item-create", {}), id: undefined };
  const log = item("sdk-log", { log: "x" });
  const { status, body } = await ingest([score, update, wrong, log, unknown]);
  expect(status).toBe(207);
  expect(body).toEqual({
    successes: [score, update, log].map(({ id }) => ({ id, status: 201 })),
    errors: [
      { id: wrong.id, status: 400, message: "Invalid request data", error: expect.stringContaining("value") },
      { id: "unknown", status: 400, message: "Invalid request data", error: expect.stringContaining("type") },
    ],
  });
  for (const batch of [
    [span, create],
    [trace, update],
    [trace, score],
  ])
    expect((await ingest(batch)).body).toMatchObject({ errors: [] });
  ahead += 40_000;
  const { exposure, model_call, business_event } = await eventsOf("pieces", 3);
  expect(exposure).toMatchObject({ experiment_id: experiment.id, variant: "treatment", source: "otlp" });
  expect(model_call).toMatchObject(CALL);
  expect(model_call?.latency_ms).toBeGreaterThanOrEqual(240);
  expect(business_event).toMatchObject({ business_metric: "helpful", value: 0.5, variant: "treatment" });
});

test("what was acknowledged is on disk, and a call counts when it ended, also a day later", async () => {
  const { trace, create, update, score } = itemsOf("late", newTraceId());
  await ingest([trace, create]);
  ahead += 40_000;
  await eventsOf("late", 1);
  const { body } = await api.call<{ instrumentations: readonly object[] }>("GET", "/v1/telemetry");
  expect(body.instrumentations).toContainEqual(
    expect.objectContaining({
      ...{ scope: "langfuse", unfinished: 1, advice: [expect.stringContaining("never ended")] },
    }),
  );
  await api.restart();
  ahead += 23 * 3_600_000;
  await ingest([update, score]);
  await api.restart();
  ahead += 40_000;
  const { model_call, business_event } = await eventsOf("late", 3);
  expect(model_call).toMatchObject(CALL);
  expect(business_event).toMatchObject({ value: 0.5 });
  expect((await api.call("GET", "/v1/telemetry")).body).toMatchObject({
    instrumentations: expect.arrayContaining([expect.objectContaining({ scope: "langfuse", unfinished: 0 })]),
  });
});

test("spans come to the address of Langfuse's exporters, and scores join their trace", async () => {
  const traceId = newTraceId();
  const attributes = {
    ...{ "user.id": "exported", "langfuse.observation.type": "generation" },
    "langfuse.observation.usage_details": '{"input":5,"output":3}',
    "langfuse.trace.metadata.feature_flag.key": '"greeting"',
    "langfuse.trace.metadata.feature_flag.result.variant": "treatment",
  };
  const spans = [1, 2].map((number) => ({
    traceId,
    spanId: spanIdOf(number),
    at: Date.now() - number,
    attributes,
  }));
  const response = await fetch(`${api.service.url}/api/public/otel/v1/traces`, {
    method: "POST",
    headers: {
      ...{ authorization: basic(key), "content-type": "application/x-protobuf", "content-encoding": "gzip" },
    },
    body: gzipSync(toProtobuf("Traces", tracesOf(spans))),
  });
  expect([response.status, await response.text()]).toEqual([200, ""]);
  const score = { traceId, name: "helpful", value: true, observationId: spanIdOf(1), comment: "yes" };
  expect(await call("POST", "/scores", { body: { ...score, id: "s1" } })).toEqual({
    ...{ status: 200, body: { id: "s1" } },
  });
  ahead += 40_000;
  const { exposure, business_event } = await eventsOf("exported", 4);
  expect(exposure).toMatchObject({ variant: "treatment" });
  expect(business_event).toMatchObject({ value: 1, metadata: { explanation: "yes" } });
  expect(await call("POST", "/scores", { body: { ...score, id: "s1" } })).toMatchObject({ status: 200 });
  const { status, body } = await call("POST", "/scores", { body: { ...score, id: "" } });
  expect([status, body]).toEqual([200, { id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  ahead += 40_000;
  await eventsOf("exported", 5);
});

describe("scores in a list", () => {
  const score = { traceId: newTraceId(), name: "helpful", value: 1 };
  test("are accepted", async () => {
    const body = [score, { ...score, value: "kind", dataType: "CATEGORICAL" }];
    expect(await call("POST", "/scores", { body })).toEqual({ status: 202, body: { message: "Accepted" } });
  });

  test("are accepted each by itself", async () => {
    const { status, body } = await call("POST", "/scores", { body: [score, { ...score, traceId: null }, 7] });
    expect(status).toBe(207);
    expect(body).toEqual({
      ...{ accepted: 1, rejected: 2 },
      errors: [
        { message: expect.stringContaining("traceId") },
        { message: expect.stringContaining("object") },
      ],
    });
  });
});

test("an SDK finds that its keys are right, and that the service runs", async () => {
  const { status, body } = await call("GET", "/projects");
  const named = { id: expect.any(String), name: expect.any(String) };
  expect([status, body]).toEqual([200, { data: [{ ...named, organization: named, metadata: {} }] }]);
  expect(await call("GET", "/health", { headers: { authorization: "" } })).toEqual({
    ...{ status: 200, body: { status: "OK", version: expect.stringMatching(/^\d/) } },
  });
});

describe("an error has Langfuse's form", () => {
  const error = (status: number, name: string, message: string) => ({
    ...{ status, body: { error: name, message: expect.stringContaining(message) } },
  });
  test.each<readonly [string, string, number, string]>([
    ["GET", "/v2/prompts/greeting", 404, "LangfuseNotFoundError"],
    ["POST", "/media", 404, "LangfuseNotFoundError"],
    ["GET", "/ingestion", 405, "MethodNotAllowedError"],
    ["GET", "/scores", 405, "MethodNotAllowedError"],
  ])("of what there is not: %s %s", async (method, path, status, name) => {
    const body = method === "POST" ? { body: {} } : {};
    expect(await call(method, path, body)).toEqual(error(status, name, path));
  });

  const many = Array.from({ length: 1_001 }, () => ({}));
  test.each<readonly [string, string, unknown, number, string]>([
    ["no JSON", "/ingestion", "{", 400, "not JSON"],
    ["no batch", "/ingestion", {}, 400, '{"batch": [...]}'],
    ["a list", "/ingestion", [], 400, '{"batch": [...]}'],
    ["too many items", "/ingestion", { batch: many }, 400, "1,000 items"],
    ["too many scores", "/scores", many, 400, "1,000 items"],
    ["too deep", "/scores", "[".repeat(101), 400, "100 levels"],
    ["too many values", "/ingestion", `{"batch":[${"0,".repeat(200_001)}0]}`, 400, "200,000 values"],
    ["a score that is none", "/scores", { name: "helpful", traceId: "t" }, 400, "value"],
    ["a text", "/scores", '"text"', 400, "object"],
    ["too large", "/ingestion", Buffer.alloc(6 * 1024 * 1024, 32), 413, "larger"],
  ])("of %s", async (_name, path, body, status, message) => {
    const name = status === 413 ? "PayloadTooLargeError" : "InvalidRequestError";
    expect(await call("POST", path, { body })).toEqual(error(status, name, message));
  });

  test("of another media type", async () => {
    const headers = { "content-type": "text/csv" };
    expect(await call("POST", "/scores", { body: "x", headers })).toEqual(
      error(415, "InvalidRequestError", "application/json"),
    );
  });

  test.each(["/ingestion", "/scores", "/otel/v1/traces", "/projects"])(
    "of wrong credentials: %s",
    async (path) => {
      const publishable = await api.newKey("publishable");
      const wrong = [
        ...[
          "",
          basic("svc_sk_wrong"),
          basic(publishable),
          basic("", key),
          `Bearer ${key}`,
          "Basic !",
          "Basic YQ==",
        ],
      ];
      for (const authorization of wrong) {
        const method = path === "/projects" ? "GET" : "POST";
        const body = method === "GET" ? {} : { body: {} };
        const answered = await call(method, path, { ...body, headers: { authorization } });
        expect([authorization, answered.status]).toEqual([authorization, 401]);
        if (!path.startsWith("/otel")) expect(answered).toEqual(error(401, "UnauthorizedError", "key"));
        else expect(answered.body).toEqual({ code: 16, message: expect.stringContaining("key") });
      }
    },
  );

  test("of a rate says when to try again", async () => {
    const fast = await openTestService({ rateLimits: { ...api.settings().rateLimits, eventsPerSecond: 1 } });
    try {
      const authorization = basic(await fast.newKey("secret"));
      const send = () =>
        fetch(`${fast.service.url}/api/public/ingestion`, {
          ...{ method: "POST", headers: { authorization, "content-type": "application/json" } },
          body: '{"batch": []}',
        });
      const answers = await Promise.all(Array.from({ length: 10 }, send));
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.headers.get("retry-after")).toBe("1");
      expect(await refused?.json()).toEqual({ error: "RateLimitError", message: expect.any(String) });
    } finally {
      await fast.stop();
    }
  });
});
