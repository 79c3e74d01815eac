import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { experimentBody, type WireExperiment } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

/** Announced by the framework for each request that reaches a handler of it. */
const HANDLED = "tracing:fastify.request.handler:start";
let handled = 0;
const count = () => {
  handled += 1;
};
beforeEach(() => {
  handled = 0;
  subscribe(HANDLED, count);
});
afterEach(() => {
  unsubscribe(HANDLED, count);
});

let now = Date.now();
let api: TestService;
let key: string;
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  key = await api.newKey("publishable");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody("direct") }))
    .body;
  // Claims all buckets and marks the config as served.
  await api.call("GET", "/v1/config", { key });
});
afterAll(() => api.stop());

const send = async (path: string, init: RequestInit = {}, more: Readonly<Record<string, string>> = {}) => {
  const before = handled;
  const headers = { "x-api-key": key, ...more };
  const response = await fetch(api.service.url + path, { ...init, headers });
  const answer = {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== "date")),
    body: await response.text(),
  };
  return { answer, isDirect: handled === before };
};
const assignment = (user: string, of = experiment.id) => ({
  method: "POST",
  body: JSON.stringify({ experiment_id: of, user_id: user }),
});
const JSON_TYPE = { "content-type": "application/json" };
const countOf = async (route: string, status: string) => {
  const text = await (await fetch(`${api.service.url}/metrics`)).text();
  const label = `assay_http_request_seconds_count{method="${route}",status="${status}"} `.replace(
    " ",
    '",route="',
  );
  const line = text.split("\n").find((one) => one.startsWith(label));
  return line === undefined ? 0 : Number(line.slice(label.length));
};

/** A query that says nothing sends the same request through the framework. */
async function expectSame(path: string, init: RequestInit, more: Readonly<Record<string, string>>) {
  const direct = await send(path, init, more);
  const usual = await send(`${path}?`, init, more);
  expect([direct.isDirect, usual.isDirect]).toEqual([true, false]);
  expect(direct.answer).toEqual(usual.answer);
  return direct.answer;
}

describe("a direct answer is, header by header, the framework's", () => {
  test.each(["u-1", "u-2", "ünïcödé", "u-3"])("to assign %s", async (user) => {
    const { status, body } = await expectSame("/v1/assign", assignment(user), JSON_TYPE);
    expect([status, Object.keys(JSON.parse(body))]).toEqual([200, ["variant", "config_version"]]);
  });

  test.each(["gzip", "identity"])("to config, whole and unchanged, with %s", async (encoding) => {
    const accept = { "accept-encoding": encoding };
    const whole = await expectSame("/v1/config", {}, accept);
    expect(whole.status).toBe(200);
    const known = { ...accept, "if-none-match": whole.headers.etag! };
    expect((await expectSame("/v1/config", {}, known)).status).toBe(304);
  });
});

const batch = (...rows: readonly object[]) => ({ method: "POST", body: JSON.stringify({ events: rows }) });
const exposure = (more: object = {}) => ({
  ...{ event_id: randomUUID(), type: "exposure", experiment_id: experiment.id, user_id: "u" },
  ...{ timestamp: new Date(now).toISOString(), ...more },
});

describe("a batch is accepted directly as by the framework", () => {
  test.each([
    { name: "of good rows", more: [{}, {}], accepted: 2 },
    { name: "with rows to refuse", more: [{}, { user_id: "" }, { experiment_id: "none" }], accepted: 1 },
    { name: "with such rows alone", more: [{ user_id: "" }], accepted: 0 },
  ])("$name", async ({ more, accepted }) => {
    const { status, body } = await expectSame("/v1/events", batch(...more.map(exposure)), JSON_TYPE);
    expect([status, JSON.parse(body)]).toEqual([
      202,
      expect.objectContaining({ accepted, rejected: more.slice(accepted).map(() => expect.anything()) }),
    ]);
  });

  test("and stored", async () => {
    const row = exposure({ user_id: "stored-directly" });
    expect((await send("/v1/events", batch(row), JSON_TYPE)).isDirect).toBe(true);
    const path = `/v1/experiments/${experiment.id}/events?user_id=stored-directly`;
    const stored = async () =>
      (await api.call<{ items: readonly { event_id: string }[] }>("GET", path)).body.items;
    await expect.poll(stored).toEqual([expect.objectContaining({ event_id: row.event_id })]);
  });
});

interface Refused {
  readonly name: string;
  readonly path: string;
  readonly body?: unknown;
  readonly more?: Readonly<Record<string, string>>;
  readonly status: number;
}

describe("the framework answers", () => {
  test.each<Refused>([
    { name: "an unknown key", path: "/v1/config", more: { "x-api-key": "svc_pk_unknown" }, status: 401 },
    {
      name: "an unknown experiment",
      path: "/v1/assign",
      body: { experiment_id: "none", user_id: "u" },
      status: 404,
    },
    { name: "a body that is no JSON", path: "/v1/assign", body: "{", status: 400 },
    { name: "a body that lacks a field", path: "/v1/assign", body: { user_id: "u" }, status: 400 },
    {
      name: "another media type",
      path: "/v1/assign",
      body: {},
      more: { "content-type": "text/plain" },
      status: 415,
    },
    {
      name: "a body that is no gzip",
      path: "/v1/assign",
      body: {},
      more: { "content-encoding": "gzip" },
      status: 400,
    },
    { name: "events that are no JSON", path: "/v1/events", body: '{"events":[', status: 400 },
    { name: "no events", path: "/v1/events", body: { events: [] }, status: 400 },
    {
      name: "events of another type",
      path: "/v1/events",
      body: {},
      more: { "content-type": "a/b" },
      status: 415,
    },
    { name: "too large a body", path: "/v1/assign", body: { user_id: "u".repeat(70_000) }, status: 413 },
  ])("$name", async ({ path, body, more = {}, status }) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = body === undefined ? {} : { method: "POST", body: text };
    const { answer } = await send(path, init, body === undefined ? more : { ...JSON_TYPE, ...more });
    expect(answer.status).toBe(status);
  });

  test("a page, which needs more headers", async () => {
    const { answer, isDirect } = await send("/v1/config", {}, { origin: "https://app.example" });
    expect([isDirect, answer.headers["access-control-allow-origin"]]).toEqual([false, "*"]);
  });

  test("what has to be claimed or marked first, once", async () => {
    const body = experimentBody("not-yet-served");
    const { id } = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
    const assigned = [];
    for (let round = 0; round < 2; round++)
      assigned.push(await send("/v1/assign", assignment("u", id), JSON_TYPE));
    expect(assigned.map(({ isDirect }) => isDirect)).toEqual([false, true]);
    expect(assigned[0]!.answer).toEqual(assigned[1]!.answer);
    const polls = [await send("/v1/config"), await send("/v1/config")];
    expect(polls.map(({ isDirect }) => isDirect)).toEqual([false, true]);
  });

  test("a key after it was rotated", async () => {
    const old = await api.newKey("secret");
    expect((await send("/v1/config", {}, { "x-api-key": old })).isDirect).toBe(false);
    expect((await send("/v1/config", {}, { "x-api-key": old })).isDirect).toBe(true);
    await api.newKey("secret");
    expect((await send("/v1/config", {}, { "x-api-key": old })).answer.status).toBe(401);
  });
});

test("direct answers are counted with the framework's", async () => {
  const before = await countOf("POST /v1/assign", "2xx");
  await send("/v1/assign", assignment("u"), JSON_TYPE);
  await send("/v1/assign?", assignment("u"), JSON_TYPE);
  expect(await countOf("POST /v1/assign", "2xx")).toBe(before + 2);
});

test("direct answers take from the key's rates, of requests and of bytes, and both refuse when those are used up", async () => {
  const rateLimits = { ...api.settings().rateLimits, configPerSecond: 2, publicBytesPerSecond: 50 };
  const limited = await openTestService({ rateLimits }, { now: () => now });
  try {
    const own = await limited.newKey("publishable");
    const { id } = (
      await limited.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody("rates") })
    ).body;
    const poll = () => limited.call("GET", "/v1/config", { key: own });
    const statuses = [];
    for (let sent = 0; sent < 5; sent++) statuses.push((await poll()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    const assign = () =>
      limited.call("POST", "/v1/assign", { key: own, body: { experiment_id: id, user_id: "u".repeat(40) } });
    expect([(await assign()).status, (await assign()).status]).toEqual([200, 429]);
    now += 60_000;
    expect([(await poll()).status, (await assign()).status]).toEqual([200, 200]);
  } finally {
    await limited.stop();
  }
});

test("a direct answer notes that the key is used", async () => {
  const used = await openTestService({}, { now: () => now });
  try {
    const own = await used.newKey("publishable");
    await used.call("GET", "/v1/config", { key: own });
    now += 3_600_000;
    const response = await fetch(`${used.service.url}/v1/config`, { headers: { "x-api-key": own } });
    expect(response.status).toBe(200);
    await used.restart();
    const { body } = await used.call<readonly { scope: string; last_used_at: string | null }[]>(
      "GET",
      "/v1/keys",
    );
    const [publishable] = body.filter(({ scope }) => scope === "publishable");
    expect(publishable?.last_used_at).toBe(new Date(now).toISOString());
  } finally {
    await used.stop();
  }
});
