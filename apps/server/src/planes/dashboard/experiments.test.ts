import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const none: Readonly<Record<string, string>> = {};
let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

const create = (body: unknown) => api.call<WireExperiment & WireProblem>("POST", "/v1/experiments", { body });
let count = 0;
const unique = () => `experiment-${++count}`;

describe("creating", () => {
  test("answers 201 with id, version 1 and the filled defaults", async () => {
    const { status, body, headers } = await create(experimentBody(unique()));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      version: 1,
      status: "running",
      coverage: 1,
      control: "control",
      effective_allocation: { control: 0.5, treatment: 0.5 },
    });
    expect(body.variants.map(({ key }) => key)).toEqual(["control", "treatment"]);
    expect(headers.get("location")).toBe(`/v1/experiments/${body.id}`);
    expect(headers.get("etag")).toBe('"1"');
  });

  test("a second experiment of the same name is refused with 409", async () => {
    const name = unique();
    await create(experimentBody(name));
    const { status, body } = await create(experimentBody(name));
    expect([status, slugOf(body)]).toEqual([409, "experiment-name-taken"]);
  });

  const allocation = (...weights: unknown[]) =>
    weights.map((weight, index) => ({ variant: `v${index}`, weight }));
  test.each([
    {
      name: "no body",
      body: undefined,
      pointers: ["/name", "/salt", "/bucket_count", "/allocation", "/metrics"],
    },
    { name: "an array", body: [], pointers: [""] },
    { name: "a missing salt", body: { ...experimentBody("x"), salt: undefined }, pointers: ["/salt"] },
    { name: "an empty name", body: experimentBody("x", { name: "" }), pointers: ["/name"] },
    {
      name: "a name of 101 characters",
      body: experimentBody("x", { name: "x".repeat(101) }),
      pointers: ["/name"],
    },
    {
      name: "a bucket count of zero",
      body: experimentBody("x", { bucket_count: 0 }),
      pointers: ["/bucket_count"],
    },
    { name: "half a bucket", body: experimentBody("x", { bucket_count: 1.5 }), pointers: ["/bucket_count"] },
    {
      name: "too many buckets",
      body: experimentBody("x", { bucket_count: 1_000_001 }),
      pointers: ["/bucket_count"],
    },
    { name: "one arm", body: experimentBody("x", { allocation: allocation(1) }), pointers: ["/allocation"] },
    {
      name: "a negative weight",
      body: experimentBody("x", { allocation: allocation(1, -1) }),
      pointers: ["/allocation/1/weight"],
    },
    {
      name: "weights of zero",
      body: experimentBody("x", { allocation: allocation(0, 0) }),
      pointers: ["/allocation"],
    },
    {
      name: "a weight in words",
      body: experimentBody("x", { allocation: allocation(1, "half") }),
      pointers: ["/allocation/1/weight"],
    },
    { name: "coverage above 1", body: experimentBody("x", { coverage: 1.1 }), pointers: ["/coverage"] },
    { name: "an unknown status", body: experimentBody("x", { status: "paused" }), pointers: ["/status"] },
    { name: "an unknown field", body: experimentBody("x", { alocation: [] }), pointers: ["/alocation"] },
    {
      name: "a control that is no variant",
      body: experimentBody("x", { control: "z" }),
      pointers: ["/control"],
    },
    {
      name: "a metric twice",
      body: experimentBody("x", { metrics: [metricBody("m"), metricBody("m")] }),
      pointers: ["/metrics/1/name"],
    },
    {
      name: "a metric name with a space",
      body: experimentBody("x", { metrics: [metricBody("a b")] }),
      pointers: ["/metrics/0/name"],
    },
    {
      name: "a test that does not fit the kind",
      body: experimentBody("x", { metrics: [metricBody("m", { method_default: "fisher_exact" })] }),
      pointers: ["/metrics/0/method_default"],
    },
    {
      name: "variables that are a list",
      body: experimentBody("x", { variants: [{ key: "control", variables: [1] }, { key: "treatment" }] }),
      pointers: ["/variants/0/variables"],
    },
  ])("$name is refused with a pointer to it", async ({ body, pointers }) => {
    const answer = await create(body);
    expect([answer.status, slugOf(answer.body)]).toEqual([400, "invalid-body"]);
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(answer.body.instance).toMatch(/^urn:request:[0-9a-f-]{36}$/);
  });

  test.each([
    { name: "text that is no JSON", body: "{", headers: none, status: 400 },
    { name: "a prototype key", body: '{"__proto__": {"x": 1}}', headers: none, status: 400 },
    { name: "another media type", body: "<x/>", headers: { "content-type": "application/xml" }, status: 415 },
    { name: "three megabytes", body: `{"name": "${"x".repeat(3_000_000)}"}`, headers: none, status: 413 },
  ])("$name is refused with $status and problem details", async ({ body, headers, status }) => {
    const answer = await api.call<WireProblem>("POST", "/v1/experiments", { body, headers });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ status });
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  });
});

describe("updating", () => {
  const put = (id: string, body: unknown, headers = {}) =>
    api.call<WireExperiment & WireProblem>("PUT", `/v1/experiments/${id}`, { body, headers });

  test("mints a version, keeps what is not named, and lists all versions newest first", async () => {
    const { body: first } = await create(experimentBody(unique(), { description: "before" }));
    const { status, body: second } = await put(first.id, { status: "stopped" });
    expect([status, second.version, second.status]).toEqual([200, 2, "stopped"]);
    expect(second).toMatchObject({ name: first.name, description: "before" });
    const versions = await api.call<(WireExperiment & { created_by: string })[]>(
      "GET",
      `/v1/experiments/${first.id}/versions`,
    );
    expect(versions.body.map(({ version, status: was }) => [version, was])).toEqual([
      [2, "stopped"],
      [1, "running"],
    ]);
    expect(versions.body[0]?.created_by).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("what was read can be sent back as it is", async () => {
    const { body: first } = await create(experimentBody(unique()));
    const read = await api.call<WireExperiment>("GET", `/v1/experiments/${first.id}`);
    const { status, body } = await put(first.id, read.body);
    expect([status, body.version]).toEqual([200, 2]);
  });

  test("tags, a metric's name to show and its unit are kept until they are named, and start no series", async () => {
    const metric = metricBody("orders", { display_name: "Orders per user", unit: "orders" });
    const { body: first } = await create(
      experimentBody(unique(), { metrics: [metric], tags: ["search", "q 4"] }),
    );
    const { body: second } = await put(first.id, { description: "later" });
    expect(second).toMatchObject({ tags: ["search", "q 4"], metrics: [metric] });
    const { body: third } = await put(first.id, {
      tags: [],
      metrics: [{ ...metric, display_name: null, unit: "€" }],
    });
    expect(third).toMatchObject({
      tags: [],
      metrics: [{ display_name: null, unit: "€", metric_version: metric.metric_version }],
    });
    const faulty = { tags: ["a", "a"], metrics: [{ ...metric, unit: " " }] };
    const { body: refused } = await put(first.id, faulty);
    expect(refused.errors?.map(({ pointer }) => pointer).sort()).toEqual(["/metrics/0/unit", "/tags"]);
  });

  test("salt and bucket count are frozen", async () => {
    const { body: first } = await create(experimentBody(unique()));
    const { status, body } = await put(first.id, { salt: "other", bucket_count: 7 });
    expect(status).toBe(400);
    expect(body.errors?.map(({ pointer }) => pointer)).toEqual(["/salt", "/bucket_count"]);
  });

  test("If-Match guards against a lost update", async () => {
    const { body: first } = await create(experimentBody(unique()));
    expect((await put(first.id, { coverage: 0.5 }, { "if-match": '"1"' })).status).toBe(200);
    const late = await put(first.id, { coverage: 0.2 }, { "if-match": '"1"' });
    expect([late.status, slugOf(late.body)]).toEqual([412, "version-mismatch"]);
    expect((await put(first.id, { coverage: 0.2 }, { "if-match": "2" })).status).toBe(200);
  });

  test("two updates at once both land, in sequence", async () => {
    const { body: first } = await create(experimentBody(unique()));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put(first.id, { description: `${index}` })),
    );
    expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("is audited with the fields that changed", async () => {
    const { body: first } = await create(experimentBody(unique()));
    await put(first.id, { metrics: [metricBody("m")], coverage: 0.5 });
    const audit = await api.call<{
      items: { action: string; actor: { email: string }; diff: Record<string, unknown> | null }[];
    }>("GET", `/v1/audit?target_id=${first.id}`);
    const [update, creation] = audit.body.items;
    expect([update?.action, creation?.action]).toEqual(["experiment.update", "experiment.create"]);
    expect(Object.keys(update?.diff ?? {}).sort()).toEqual(["coverage", "effective_allocation", "metrics"]);
    expect(update?.actor.email).toBe("owner@assay.local");
    expect(creation?.diff).toMatchObject({
      name: { from: null, to: first.name },
      bucket_count: { from: null, to: 1000 },
    });
  });
});

describe("access", () => {
  test("another org's experiment is not there", async () => {
    const { body: mine } = await create(experimentBody(unique()));
    const token = await api.token({ email: "stranger@x.org", org: "other" });
    for (const [method, path] of [
      ["GET", ""],
      ["PUT", ""],
      ["GET", "/versions"],
      ["GET", "/results"],
      ["GET", "/live"],
      ["GET", "/traffic"],
      ["GET", "/health"],
      ["POST", "/analyze"],
      ["POST", "/plan"],
      ["POST", "/test-event"],
    ] as const) {
      const answer = await api.call<WireProblem>(method, `/v1/experiments/${mine.id}${path}`, {
        token,
        ...(method === "PUT" ? { body: { coverage: 1 } } : {}),
      });
      expect([path, answer.status, slugOf(answer.body)]).toEqual([path, 404, "experiment-not-found"]);
    }
    expect((await api.call<unknown[]>("GET", "/v1/experiments", { token })).body).toEqual([]);
  });

  test("an id that is no UUID is as unknown as any other, and the answer says why", async () => {
    const { status, body } = await api.call<WireProblem>("GET", "/v1/experiments/7");
    expect([status, slugOf(body)]).toEqual([404, "experiment-not-found"]);
    expect(body.detail).toMatch(/^id: must be a UUID/);
  });

  test("unknown addresses and methods say what there is", async () => {
    const nowhere = await api.call<WireProblem>("GET", "/v1/nowhere");
    expect([nowhere.status, slugOf(nowhere.body)]).toEqual([404, "not-found"]);
    const wrong = await api.call<WireProblem>("PUT", "/v1/experiments", { body: {} });
    expect([wrong.status, slugOf(wrong.body)]).toEqual([405, "method-not-allowed"]);
    expect(wrong.body.detail).toContain("GET and POST");
  });

  test.each([
    { path: "/v1/passkeys/confirm", allow: "POST" },
    { path: "/v1/passkeys/some", allow: "DELETE" },
  ])("$path takes $allow, whatever pattern it fits as well", async ({ path, allow }) => {
    const { status, headers } = await fetch(api.service.url + path, { method: "OPTIONS" });
    expect([status, headers.get("allow")]).toEqual([405, allow]);
  });
});
