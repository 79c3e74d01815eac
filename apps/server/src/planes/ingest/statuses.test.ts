import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { newTraceId, spanIdOf, tracesOf } from "../../test-support/otlp-bodies.ts";
import { type Answer, openTestService, type TestService } from "../../test-support/test-service.ts";

/** Rates so small that a few calls reach them; each allows bursts of twice that. */
const RATES = {
  assignPerSecond: 1,
  eventsPerSecond: 1,
  publicRowsPerSecond: 10,
  publicBytesPerSecond: 100_000_000,
  rowsPerSecond: 10_000,
  bytesPerSecond: 100_000_000,
  configPerSecond: 1,
  businessEventsPerSecond: 1,
  importPerMinute: 4,
  analysesPerMinute: 100,
  searchesPerMinute: 100,
};
const ALLOWANCE = 50_000;
/** No bucket refills by itself, however long the requests take. */
const NOW = Date.now();

interface ImportResult {
  readonly events: number;
  readonly error_count: number;
  readonly errors: readonly { readonly line: number; readonly event_id?: string; readonly detail: string }[];
}

let api: TestService;
let keys: { readonly publishable: string; readonly secret: string };
let secret: string;
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService({ enforcePlanLimits: true, rateLimits: RATES }, { now: () => NOW });
  keys = { publishable: await api.newKey("publishable"), secret: await api.newKey("secret") };
  secret = (await api.call<{ secret: string }>("POST", "/v1/webhook-secrets")).body.secret;
  const body = experimentBody("every-status");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());

let count = 0;
const outcome = () => ({
  event_id: `e-${++count}`,
  type: "business_event",
  experiment_id: experiment.id,
  user_id: `u-${count}`,
  timestamp: new Date(NOW).toISOString(),
  business_metric: "bought",
});
const csv = (rows: number) => {
  const header = "event_id,type,experiment_id,user_id,timestamp,business_metric";
  return [header, ...Array.from({ length: rows }, () => Object.values(outcome()).join(","))].join("\n");
};
const importCsv = (body: string, key = keys.secret) =>
  api.call<ImportResult & WireProblem>("POST", "/v1/events/import", {
    key,
    body,
    headers: { "content-type": "text/csv" },
  });
const sendEvents = (key = keys.secret) =>
  api.call<WireProblem>("POST", "/v1/events", { key, body: [outcome()] });
const assign = (key = keys.publishable) =>
  api.call<WireProblem>("POST", "/v1/assign", {
    key,
    body: { experiment_id: experiment.id, user_id: "ann" },
  });
const sendSigned = (sign: (id: string, at: Date, body: string) => string) => {
  const [id, at, body] = [`w-${++count}`, new Date(NOW), JSON.stringify(outcome())];
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": sign(id, at, body),
  };
  return api.call<WireProblem>("POST", "/v1/business-events", { key: "", body, headers });
};
const sendOutcome = () => sendSigned((id, at, body) => new Webhook(secret).sign(id, at, body));

const problemOf = ({ status, body }: Answer<WireProblem>) => [status, slugOf(body)];

/** Calls until the rate is used up; a minute's worth of calls would be a fault. */
async function untilLimited(call: () => Promise<Answer<WireProblem>>): Promise<Answer<WireProblem>> {
  for (let calls = 0; calls < 20; calls++) {
    const answer = await call();
    if (answer.status === 429 && slugOf(answer.body) === "rate-limited") return answer;
  }
  throw new Error("The rate was never used up.");
}

describe("401", () => {
  test.each([
    { route: "assign", call: () => assign("svc_pk_unknown") },
    { route: "events", call: () => sendEvents("svc_sk_unknown") },
    { route: "events/import", call: () => importCsv(csv(1), "svc_sk_unknown") },
    { route: "events/import with a publishable key", call: () => importCsv(csv(1), keys.publishable) },
    {
      route: "config",
      call: () => api.call<WireProblem>("GET", "/v1/config", { key: "svc_pk_unknown" }),
    },
  ])("$route without a valid key", async ({ call }) => {
    expect(problemOf(await call())).toEqual([401, "invalid-credential"]);
  });

  test("business-events without a valid signature", async () => {
    expect(problemOf(await sendSigned(() => "v1,AAAA"))).toEqual([401, "invalid-signature"]);
  });
});

describe("400", () => {
  test.each([
    { name: "a header without the required columns", body: "event_id,colour\n1,red\n" },
    { name: "nothing", body: "" },
  ])("events/import of $name", async ({ body }) => {
    expect(problemOf(await importCsv(body))).toEqual([400, "invalid-body"]);
  });
});

// From here on the month is full: the tests depend on their order.
describe("429 allowance-exhausted", () => {
  test("a dry run reports the rows that would be past it, and stores none", async () => {
    const headers = { "content-type": "text/csv" };
    const { body } = await api.call<ImportResult>("POST", "/v1/events/import?dry_run=true", {
      key: keys.secret,
      body: csv(ALLOWANCE + 2),
      headers,
    });
    expect([body.events, body.error_count]).toEqual([ALLOWANCE, 2]);
    expect(body.errors.map(({ line }) => line)).toEqual([ALLOWANCE + 2, ALLOWANCE + 3]);
  });

  test("the import takes rows up to the allowance and reports the rest by line", async () => {
    const [most, rest] = [ALLOWANCE - 500, 500];
    expect((await importCsv(csv(most))).body).toMatchObject({ events: most, error_count: 0 });
    // Near its end the allowance goes by what is stored, and the import answers 503 while that lags behind.
    const used = async () =>
      (await api.call<{ events: { used: number } }>("GET", "/v1/usage")).body.events.used;
    await expect.poll(used).toBe(most);
    const { status, body } = await importCsv(csv(rest + 3));
    expect(status).toBe(200);
    expect(body.events).toBe(rest);
    expect(body.error_count).toBe(3);
    expect(body.errors.map(({ line }) => line)).toEqual([1, 2, 3].map((row) => rest + 1 + row));
    expect(body.errors[0]?.detail).toContain("50,000");
  });

  test.each([
    { route: "events", call: () => sendEvents() },
    { route: "events with a publishable key", call: () => sendEvents(keys.publishable) },
    { route: "events/import", call: () => importCsv(csv(1)) },
    { route: "business-events", call: () => sendOutcome() },
  ])("$route when nothing is left", async ({ call }) => {
    const answer = await call();
    expect(problemOf(answer)).toEqual([429, "allowance-exhausted"]);
    expect(answer.headers.get("ratelimit-policy")).toMatch(/^"events-per-month";q=50000;w=\d+$/);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("otlp/v1/traces when nothing is left tells the exporter when to try again", async () => {
    const attributes = {
      ...{ "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5-mini" },
      ...{ "feature_flag.key": experiment.name, "feature_flag.result.variant": "treatment" },
      "feature_flag.context.id": "ann",
    };
    const refused = await fetch(`${api.service.url}/v1/otlp/v1/traces`, {
      method: "POST",
      headers: { "x-api-key": keys.secret, "content-type": "application/json" },
      body: JSON.stringify(tracesOf([{ traceId: newTraceId(), spanId: spanIdOf(1), attributes }])),
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect(await refused.json()).toMatchObject({
      code: 8,
      message: expect.stringContaining("that the plan allows"),
    });
  });

  test("assign is free", async () => {
    expect((await assign()).status).toBe(200);
  });
});

describe("429 rate-limited", () => {
  test.each([
    { route: "assign", call: () => assign(), policy: '"assign";q=1;w=1' },
    { route: "events", call: () => sendEvents(), policy: '"events";q=1;w=1' },
    { route: "events/import", call: () => importCsv(csv(1)), policy: '"import";q=4;w=60' },
    {
      route: "config",
      call: () => api.call<WireProblem>("GET", "/v1/config", { key: keys.publishable }),
      policy: '"config";q=1;w=1',
    },
    { route: "business-events", call: () => sendOutcome(), policy: '"business-events";q=1;w=1' },
  ])("$route", async ({ call, policy }) => {
    const answer = await untilLimited(call);
    expect(answer.headers.get("ratelimit-policy")).toBe(policy);
    expect(answer.headers.get("ratelimit")).toMatch(/r=0;t=\d+$/);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

test("304: the config as the client has it", async () => {
  const lenient = await openTestService();
  const key = await lenient.newKey("publishable");
  const { headers } = await lenient.call("GET", "/v1/config", { key });
  const etag = headers.get("etag") ?? "";
  const again = await lenient.call("GET", "/v1/config", { key, headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  await lenient.stop();
});
