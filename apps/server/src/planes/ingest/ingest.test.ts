import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const none: Readonly<Record<string, string>> = {};
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("publishable");
});
afterAll(() => api.stop());

interface Ack {
  readonly accepted: number;
  readonly config_version: number;
  readonly rejected: readonly {
    readonly index: number;
    readonly event_id: string | null;
    readonly detail: string;
  }[];
}
interface Config {
  readonly config_version: number;
  readonly experiments: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly buckets: readonly (readonly number[])[];
  }[];
}

let count = 0;
async function newExperiment(change: Readonly<Record<string, unknown>> = {}): Promise<WireExperiment> {
  const body = experimentBody(`ingest-${++count}`, change);
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}
const assign = async (experiment: string, user: string) =>
  (
    await api.call<{ variant: string | null; config_version: number }>("POST", "/v1/assign", {
      key,
      body: { experiment_id: experiment, user_id: user },
    })
  ).body;
const send = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  api.call<Ack & WireProblem>("POST", "/v1/events", { key, body, headers });
const put = (id: string, body: unknown) => api.call<WireExperiment>("PUT", `/v1/experiments/${id}`, { body });
const eventOf = (experiment: WireExperiment, change: Readonly<Record<string, unknown>> = {}) => ({
  event_id: crypto.randomUUID(),
  type: "exposure",
  experiment_id: experiment.id,
  user_id: "u1",
  timestamp: new Date().toISOString(),
  ...change,
});
const weights = (control: number, treatment: number) => [
  { variant: "control", weight: control },
  { variant: "treatment", weight: treatment },
];

describe("assign", () => {
  test("is deterministic, by id and by name", async () => {
    const experiment = await newExperiment();
    const first = await assign(experiment.id, "ann");
    expect(["control", "treatment"]).toContain(first.variant);
    expect((await assign(experiment.name, "ann")).variant).toBe(first.variant);
    expect(first.config_version).toBeGreaterThan(0);
  });

  test("a user keeps the variant when the weights change, and free users follow the new weights", async () => {
    const experiment = await newExperiment();
    const users = Array.from({ length: 200 }, (_, index) => `user-${index}`);
    const before = await Promise.all(users.map(async (user) => (await assign(experiment.id, user)).variant));
    await put(experiment.id, { allocation: weights(1, 99) });
    const after = await Promise.all(users.map(async (user) => (await assign(experiment.id, user)).variant));
    expect(after).toEqual(before);
    const fresh = await Promise.all(
      Array.from(
        { length: 200 },
        async (_, index) => (await assign(experiment.id, `fresh-${index}`)).variant,
      ),
    );
    expect(fresh.filter((variant) => variant === "treatment").length).toBeGreaterThan(150);
  });

  test("nobody who was answered while the weights changed is moved afterwards", async () => {
    const experiment = await newExperiment();
    const answered = new Map<string, string | null>();
    const edits = (async () => {
      for (let round = 0; round < 6; round++)
        await put(experiment.id, { allocation: weights(1 + (round % 3) * 20, 10) });
    })();
    const calls = Array.from({ length: 600 }, async (_, index) => {
      const user = `racer-${index}`;
      answered.set(user, (await assign(experiment.id, user)).variant);
    });
    await Promise.all([edits, ...calls]);
    await put(experiment.id, { allocation: weights(99, 1) });
    for (const [user, variant] of answered)
      expect([user, (await assign(experiment.id, user)).variant]).toEqual([user, variant]);
  });

  test("a user keeps the variant over a restart", async () => {
    const experiment = await newExperiment();
    const before = await assign(experiment.id, "ann");
    await api.restart();
    await put(experiment.id, {
      allocation: weights(before.variant === "control" ? 0 : 1, before.variant === "control" ? 1 : 0),
    });
    expect((await assign(experiment.id, "ann")).variant).toBe(before.variant);
  });

  test.each([
    { name: "a draft", change: { status: "draft" } },
    { name: "a stopped experiment", change: { status: "stopped" } },
    { name: "no coverage", change: { coverage: 0 } },
    {
      name: "disabled variants",
      change: {
        variants: [
          { key: "control", enabled: false },
          { key: "treatment", enabled: false },
        ],
      },
    },
  ])("$name answers null", async ({ change }) => {
    const experiment = await newExperiment(change);
    expect((await assign(experiment.id, "ann")).variant).toBeNull();
  });

  test.each([
    { name: "no body", body: undefined, status: 400, slug: "invalid-body" },
    { name: "no user", body: { experiment_id: "x" }, status: 400, slug: "invalid-body" },
    { name: "an empty user", body: { experiment_id: "x", user_id: "" }, status: 400, slug: "invalid-body" },
    {
      name: "a number for a user",
      body: { experiment_id: "x", user_id: 5 },
      status: 400,
      slug: "invalid-body",
    },
    {
      name: "an unknown experiment",
      body: { experiment_id: "nowhere", user_id: "u" },
      status: 404,
      slug: "experiment-not-found",
    },
  ])("$name is refused with $status", async ({ body, status, slug }) => {
    const answer = await api.call<WireProblem>("POST", "/v1/assign", { key, body });
    expect([answer.status, slugOf(answer.body)]).toEqual([status, slug]);
  });
});

describe("events", () => {
  test("are accepted row by row: a bad one never costs its batch", async () => {
    const experiment = await newExperiment();
    const good = eventOf(experiment);
    const { status, body } = await send({
      events: [
        good,
        eventOf(experiment, { event_id: "bad", type: "click" }),
        5,
        eventOf(experiment, { experiment_id: "nowhere" }),
      ],
    });
    expect(status).toBe(202);
    expect(body.accepted).toBe(1);
    expect(body.rejected.map(({ index }) => index)).toEqual([1, 2, 3]);
    expect(body.rejected[0]).toMatchObject({ event_id: "bad", detail: expect.stringContaining("type") });
    expect(body.rejected[1]).toMatchObject({ event_id: null });
  });

  test("come as a bare array, by name, nested in payload, or compressed", async () => {
    const experiment = await newExperiment();
    expect((await send([eventOf(experiment)])).body.accepted).toBe(1);
    expect((await send([eventOf(experiment, { experiment_id: experiment.name })])).body.accepted).toBe(1);
    const { user_id, ...rest } = eventOf(experiment);
    expect((await send([{ ...rest, payload: { user_id } }])).body.accepted).toBe(1);
    const packed = gzipSync(JSON.stringify([eventOf(experiment)]));
    expect((await send(packed, { "content-encoding": "gzip" })).body.accepted).toBe(1);
  });

  test.each([
    { name: "nothing", body: undefined, headers: none, status: 400 },
    { name: "text that is no JSON", body: "{", headers: none, status: 400 },
    { name: "an object without events", body: { rows: [] }, headers: none, status: 400 },
    { name: "an empty batch", body: [], headers: none, status: 400 },
    { name: "1,001 events", body: Array.from({ length: 1001 }, () => ({})), headers: none, status: 400 },
    { name: "over 5 MiB", body: `["${"x".repeat(5 * 1024 * 1024)}"]`, headers: none, status: 413 },
    {
      name: "a small bomb",
      body: gzipSync(Buffer.alloc(6 * 1024 * 1024)),
      headers: { "content-encoding": "gzip" },
      status: 413,
    },
    { name: "broken gzip", body: "not gzip", headers: { "content-encoding": "gzip" }, status: 400 },
    { name: "another encoding", body: "x", headers: { "content-encoding": "br" }, status: 415 },
    { name: "another media type", body: "a,b", headers: { "content-type": "text/csv" }, status: 415 },
  ])("$name is refused as a whole with $status", async ({ body, headers, status }) => {
    const answer = await send(body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  });

  test("prototype keys and deep nesting change nothing and crash nothing", async () => {
    const experiment = await newExperiment();
    const hostile = `[${JSON.stringify(eventOf(experiment)).slice(0, -1)},"__proto__":{"type":"x"},"constructor":{"a":1}}]`;
    expect((await send(hostile)).body.accepted).toBe(1);
    const deep = `[${'{"payload":'.repeat(50_000)}1${"}".repeat(50_000)}]`;
    expect((await send(deep)).body).toMatchObject({ accepted: 0 });
    const beside = `[${JSON.stringify(eventOf(experiment))},${deep.slice(1, -1)},${JSON.stringify(eventOf(experiment))}]`;
    expect((await send(beside)).body).toMatchObject({
      accepted: 2,
      rejected: [{ index: 1, detail: "The row has more than 100 levels: nest less." }],
    });
    expect((await send([eventOf(experiment, { experiment_id: "__proto__" })])).body.accepted).toBe(0);
  });

  test("a user with an event keeps the variant when the weights change", async () => {
    const experiment = await newExperiment();
    const users = Array.from({ length: 60 }, (_, index) => `seen-${index}`);
    await send(users.map((user_id) => eventOf(experiment, { user_id })));
    await put(experiment.id, { allocation: weights(0, 1) });
    const variants = await Promise.all(
      users.map(async (user) => (await assign(experiment.id, user)).variant),
    );
    expect(new Set(variants)).toEqual(new Set(["control", "treatment"]));
  });

  test("are counted per day and variant once they are stored, each once", async () => {
    const experiment = await newExperiment();
    const sent = Array.from({ length: 40 }, (_, index) =>
      eventOf(experiment, { user_id: `t-${index}`, variant: index < 25 ? "control" : "treatment" }),
    );
    for (let repeat = 0; repeat < 3; repeat++) await send(sent);
    await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
    const traffic = await api.call<{ days: { exposures: Record<string, number> }[] }>(
      "GET",
      `/v1/experiments/${experiment.id}/traffic`,
    );
    expect(traffic.body.days.map(({ exposures }) => exposures)).toEqual([{ control: 25, treatment: 15 }]);
    const live = await api.call<{ exposures: Record<string, number>; users: Record<string, number> }>(
      "GET",
      `/v1/experiments/${experiment.id}/live`,
    );
    expect(live.body.exposures).toEqual({ control: 25, treatment: 15 });
    expect(live.body.users).toEqual({ control: 25, treatment: 15 });
  });

  test("what the client library says of itself is counted, and nonsense there costs no event", async () => {
    const experiment = await newExperiment();
    const counted = async () => {
      const { body } = await api.call<string>("GET", "/metrics");
      return Number(/^assay_client_null_before_ready_total (\d+)/m.exec(body)?.[1]);
    };
    const before = await counted();
    for (const client of [{ null_before_ready: 3 }, { null_before_ready: "3" }, null, "x"]) {
      expect((await send({ events: [eventOf(experiment)], client })).status).toBe(202);
    }
    expect(await counted()).toBe(before + 3);
  });
});

describe("config", () => {
  const get = (headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${api.service.url}/v1/config`, {
      headers: { "x-api-key": key, "accept-encoding": "identity", ...headers },
    });

  test("answers the bucket maps with a strong ETag, and 304 when nothing changed", async () => {
    const experiment = await newExperiment({ coverage: 0.5 });
    const first = await get();
    const config = (await first.json()) as Config;
    expect(config.experiments.find(({ id }) => id === experiment.id)).toMatchObject({
      name: experiment.name,
      status: "running",
      buckets: [
        [250, 0],
        [500, 1],
        [1000, -1],
      ],
    });
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    expect(first.headers.get("vary")).toBe("Accept-Encoding, Origin, X-API-Key");
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`])
      expect((await get({ "if-none-match": tag })).status).toBe(304);
    await newExperiment();
    const changed = await get({ "if-none-match": etag });
    expect(changed.status).toBe(200);
    expect(((await changed.json()) as Config).config_version).toBeGreaterThan(config.config_version);
  });

  test("is compressed when asked, under its own ETag", async () => {
    const plain = await get();
    const packed = await get({ "accept-encoding": "gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(await packed.json()).toEqual(await plain.json());
    expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    expect(
      (await get({ "accept-encoding": "gzip", "if-none-match": packed.headers.get("etag") ?? "" })).status,
    ).toBe(304);
  });

  test("leaves drafts out and freezes the buckets of what it served", async () => {
    const draft = await newExperiment({ status: "draft" });
    const running = await newExperiment();
    const { experiments } = (await (await get()).json()) as Config;
    expect(experiments.map(({ id }) => id)).not.toContain(draft.id);
    const { body } = await put(running.id, { allocation: weights(9, 1) });
    expect(body.effective_allocation).toEqual({ control: 0.5, treatment: 0.5 });
    const free = await put(draft.id, { allocation: weights(9, 1) });
    expect(free.body.effective_allocation).toEqual({ control: 0.9, treatment: 0.1 });
  });

  test("ramping up reaches only the newly covered", async () => {
    const experiment = await newExperiment({ coverage: 0.1 });
    await get();
    const { body } = await put(experiment.id, { coverage: 1, allocation: weights(1, 3) });
    expect(body.effective_allocation).toEqual({ control: 0.25, treatment: 0.75 });
    const { experiments } = (await (await get()).json()) as Config;
    expect(experiments.find(({ id }) => id === experiment.id)?.buckets.slice(0, 2)).toEqual([
      [50, 0],
      [100, 1],
    ]);
  });
});

describe("access", () => {
  test.each(["/v1/assign", "/v1/events", "/v1/config"])(
    "%s needs a key, before it reads the body",
    async (path) => {
      const method = path === "/v1/config" ? "GET" : "POST";
      for (const headers of [
        {},
        { "x-api-key": "svc_pk_wrong" },
        { "x-api-key": "x".repeat(5000) },
        { authorization: `Bearer ${await api.token()}` },
      ]) {
        const response = await fetch(api.service.url + path, {
          method,
          headers,
          ...(method === "POST" ? { body: "{" } : {}),
        });
        expect(response.status).toBe(401);
        expect(slugOf((await response.json()) as WireProblem)).toBe("invalid-credential");
      }
    },
  );

  test("a key opens no dashboard route", async () => {
    expect((await api.call("GET", "/v1/experiments", { key })).status).toBe(401);
  });

  test("a key sees its own org only", async () => {
    const experiment = await newExperiment();
    const token = await api.token({ email: "o@elsewhere.org", org: "elsewhere" });
    const { body } = await api.call<{ key: string }>("POST", "/v1/keys", {
      token,
      body: { scope: "publishable" },
    });
    const answer = await api.call("POST", "/v1/assign", {
      key: body.key,
      body: { experiment_id: experiment.id, user_id: "u" },
    });
    expect(answer.status).toBe(404);
    const config = await api.call<Config>("GET", "/v1/config", { key: body.key });
    expect(config.body.experiments).toEqual([]);
  });

  test("any origin may call with a publishable key, and the preflight is kept for two hours", async () => {
    const preflight = await fetch(`${api.service.url}/v1/events`, {
      method: "OPTIONS",
      headers: { origin: "https://app.example" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("X-API-Key");
    expect(preflight.headers.get("access-control-max-age")).toBe("7200");
    for (const headers of [{ "x-api-key": key }, {}] as Record<string, string>[]) {
      const answer = await fetch(`${api.service.url}/v1/config`, {
        headers: { ...headers, origin: "https://app.example" },
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
    const dashboard = await fetch(`${api.service.url}/v1/experiments`, {
      headers: { origin: "https://app.example" },
    });
    expect(dashboard.headers.get("access-control-allow-origin")).toBeNull();
  });
});
