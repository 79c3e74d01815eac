import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const ORIGIN = "https://app.example";
/** More than any burst below. */
const MANY = 30;
/** No bucket refills by itself, however long the requests take. */
let now = Date.now();
let api: TestService;
beforeAll(async () => {
  const rateLimits = {
    assignPerSecond: 1,
    eventsPerSecond: 1,
    publicRowsPerSecond: 10,
    publicBytesPerSecond: 1_000_000,
    rowsPerSecond: 100,
    bytesPerSecond: 2_000_000,
    configPerSecond: 1,
    businessEventsPerSecond: 1,
    importPerMinute: 1,
    analysesPerMinute: 1,
    searchesPerMinute: 1,
  };
  api = await openTestService({ rateLimits }, { now: () => now });
});
afterAll(() => api.stop());

interface Route {
  readonly policy: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const assign: Route = {
  policy: "assign",
  method: "POST",
  path: "/v1/assign",
  body: { experiment_id: "x", user_id: "u" },
};
const events: Route = { policy: "events", method: "POST", path: "/v1/events", body: [{}] };
const config: Route = { policy: "config", method: "GET", path: "/v1/config" };

const call = ({ method, path, body }: Route, key: string) =>
  api.call<WireProblem>(method, path, { key, body, headers: { origin: ORIGIN } });
const many = <T>(send: () => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: MANY }, send));

describe("a burst over the limit", () => {
  test.each([assign, events, config])(
    "of $policy is 429 with what a client needs, in a browser too",
    async (route) => {
      const key = await api.newKey("publishable");
      const answers = await many(() => call(route, key));
      const refused = answers.filter(({ status }) => status === 429);
      expect(answers.length - refused.length).toBe(2);
      for (const { headers, body } of refused) {
        expect([slugOf(body), body.status]).toEqual(["rate-limited", 429]);
        expect(headers.get("retry-after")).toBe("1");
        expect(headers.get("ratelimit-policy")).toBe(`"${route.policy}";q=1;w=1`);
        expect(headers.get("ratelimit")).toBe(`"${route.policy}";r=0;t=1`);
        expect(headers.get("access-control-allow-origin")).toBe("*");
        expect(headers.get("access-control-expose-headers")).toContain(
          "Retry-After, RateLimit, RateLimit-Policy",
        );
      }
    },
  );

  test("is the key's own: another key, another org and another route are not touched, and it recovers", async () => {
    const [key, other] = [await api.newKey("publishable"), await api.newKey("secret")];
    const token = await api.token({ email: "o@elsewhere.org", org: "elsewhere" });
    const foreign = await api.call<{ key: string }>("POST", "/v1/keys", {
      token,
      body: { scope: "publishable" },
    });
    expect((await many(() => call(events, key))).map(({ status }) => status)).toContain(429);
    for (const untouched of [other, foreign.body.key])
      expect((await call(events, untouched)).status).toBe(202);
    expect((await call(config, key)).status).toBe(200);
    now += 1_000;
    expect((await call(events, key)).status).toBe(202);
  });

  test("is refused before the body is sent", async () => {
    const key = await api.newKey("publishable");
    const headersOnly = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { "x-api-key": key, "content-type": "application/json", "content-length": "1000000" };
        const sent = request(`${api.service.url}/v1/events`, { method: "POST", headers }, (response) => {
          resolve(response.statusCode);
          sent.destroy();
        });
        sent.on("error", reject).flushHeaders();
      });
    await many(() => call(events, key));
    expect(await headersOnly()).toBe(429);
  });

  test("of requests without a valid key is 401: strangers use up nobody's rate", async () => {
    const key = await api.newKey("publishable");
    const strangers = await many(() => call(config, "svc_pk_wrong"));
    expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await call(config, key)).status).toBe(200);
  });
});

describe("rows over the rate of a publishable key", () => {
  const rows: Route = { ...events, body: Array.from({ length: 30 }, () => ({})) };

  test("are 429 for that key alone, on that route alone, until they are paid back", async () => {
    const [key, secret] = [await api.newKey("publishable"), await api.newKey("secret")];
    // Thirty rows of a burst of twenty: ten too many.
    expect((await call(rows, key)).status).toBe(202);
    const { status, headers, body } = await call(events, key);
    expect([status, slugOf(body)]).toEqual([429, "rate-limited"]);
    expect(body.detail).toContain("10 rows a second for this key");
    expect(headers.get("ratelimit-policy")).toBe('"public-rows";q=10;w=1');
    expect(headers.get("retry-after")).toBe("2");
    expect((await call(config, key)).status).toBe(200);
    for (let request = 0; request < 2; request++) expect((await call(rows, secret)).status).toBe(202);
    now += 1_000;
    expect((await call(events, key)).status).toBe(429);
    now += 100;
    expect((await call(events, key)).status).toBe(202);
  });
});

test("rows over the rate of a secret key are 429 until they are paid back", async () => {
  const key = await api.newKey("secret");
  const rows: Route = { ...events, body: Array.from({ length: 300 }, () => ({})) };
  expect((await call(rows, key)).status).toBe(202);
  const refused = await call(rows, key);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("ratelimit-policy")).toBe('"rows";q=100;w=1');
  expect((await call(assign, key)).status).toBe(404);
  now += 1_100;
  expect((await call(rows, key)).status).toBe(202);
});

describe("bytes over the rate of a key", () => {
  const gzipped = { "content-type": "application/json", "content-encoding": "gzip", origin: ORIGIN };
  const send = (path: string, key: string, body: Uint8Array) =>
    api.call<WireProblem>("POST", path, { key, body, headers: gzipped });

  test.each([
    { name: "decompressed", body: gzipSync(`[${" ".repeat(2_500_000)}]`), status: 400 },
    { name: "of what cannot be decompressed as of the largest", body: Buffer.from("no gzip"), status: 400 },
    { name: "of a bomb as of the largest", body: gzipSync(Buffer.alloc(6_000_000)), status: 413 },
  ])("are counted $name, on assign and events together", async ({ body, status }) => {
    const key = await api.newKey("publishable");
    expect((await send("/v1/events", key, body)).status).toBe(status);
    const refused = await call(assign, key);
    expect(refused.status).toBe(429);
    expect(refused.body.detail).toContain("1000000 bytes a second for this key");
    expect(refused.headers.get("ratelimit-policy")).toBe('"public-bytes";q=1000000;w=1');
    expect((await call(config, key)).status).toBe(200);
    now += 4_000;
    expect((await call(assign, key)).status).toBe(404);
  });

  test("are more for a secret key", async () => {
    const key = await api.newKey("secret");
    const body = gzipSync(`[${" ".repeat(3_900_000)}]`);
    for (let request = 0; request < 2; request++)
      expect((await send("/v1/events", key, body)).status).toBe(400);
    const refused = await call(assign, key);
    expect(refused.headers.get("ratelimit-policy")).toBe('"bytes";q=2000000;w=1');
  });
});

test("the bytes of plain bodies are counted before they are read, so that many at once are not all read", async () => {
  const key = await api.newKey("publishable");
  const headers = { "x-api-key": key, "content-type": "application/json", "content-length": "2500000" };
  const first = request(`${api.service.url}/v1/assign`, { method: "POST", headers });
  const isAdmitted = vi.waitFor(async () => expect((await call(assign, key)).status).toBe(429));
  first.on("error", () => undefined).write("[");
  await isAdmitted;
  const refused = await call(events, key);
  expect(refused.headers.get("ratelimit-policy")).toBe('"public-bytes";q=1000000;w=1');
  first.destroy();
});

test("a body in chunks is counted once it is read", async () => {
  const key = await api.newKey("publishable");
  const post = () =>
    fetch(`${api.service.url}/v1/events`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: ReadableStream.from([new TextEncoder().encode(`[${" ".repeat(2_500_000)}]`)]),
      duplex: "half",
    });
  expect((await post()).status).toBe(400);
  expect((await post()).headers.get("ratelimit-policy")).toBe('"public-bytes";q=1000000;w=1');
});

test("a body that is too large is refused for its size and counts no bytes", async () => {
  const key = await api.newKey("publishable");
  const send = () => api.call<WireProblem>("POST", "/v1/events", { key, body: new Uint8Array(5_300_000) });
  for (let times = 0; times < 2; times++) expect((await send()).status).toBe(413);
  now += 1_000;
  expect((await call(events, key)).status).toBe(202);
});

describe("business events", () => {
  async function send(event: unknown, secret: string) {
    const text = JSON.stringify(event);
    const [id, at] = [crypto.randomUUID(), new Date(now)];
    const response = await fetch(`${api.service.url}/v1/business-events`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(secret).sign(id, at, text),
      },
      body: text,
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as WireProblem,
    };
  }

  async function sender(org: string) {
    const token = await api.token({ email: `o@${org}.org`, org });
    const body = experimentBody("signed");
    const { id } = (await api.call<WireExperiment>("POST", "/v1/experiments", { token, body })).body;
    const { secret } = (await api.call<{ secret: string }>("POST", "/v1/webhook-secrets", { token })).body;
    const event = { experiment_id: id, user_id: "ann", business_metric: "bought" };
    return { event, send: (with_ = secret) => send(event, with_) };
  }

  test("of one org are limited once verified; another org's are not touched", async () => {
    const [busy, calm] = [await sender("busy"), await sender("calm")];
    const answers = await many(() => busy.send());
    const refused = answers.filter(({ status }) => status === 429);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 429]));
    expect(refused[0]?.headers.get("ratelimit-policy")).toBe('"business-events";q=1;w=1');
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect((await calm.send()).status).toBe(202);
  });

  test("that do not verify are limited by address, and those that do are not counted there", async () => {
    const { send } = await sender("attacked");
    const policies = new Set<string | null>();
    for (let i = 0; i < 250; i++) policies.add((await send()).headers.get("ratelimit-policy"));
    expect(policies).toEqual(new Set([null, '"business-events";q=1;w=1']));
    const wrong = `whsec_${Buffer.alloc(32).toString("base64")}`;
    let answer = await send(wrong);
    for (let i = 0; i < 5_000 && answer.status === 401; i += 50) {
      const batch = await Promise.all(Array.from({ length: 50 }, () => send(wrong)));
      answer = batch.find(({ status }) => status !== 401) ?? answer;
    }
    expect([answer.status, slugOf(answer.body)]).toEqual([429, "rate-limited"]);
    expect(answer.headers.get("ratelimit-policy")).toBe('"signatures";q=100;w=1');
    now += 1_000;
    expect((await send()).status).toBe(202);
  });
});
