import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let api: TestService;
let key: string;
let secretKey: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("publishable");
  secretKey = await api.newKey("secret");
});
afterAll(() => api.stop());

interface Flag {
  readonly key: string;
  readonly value?: unknown;
  readonly variant?: string;
  readonly reason?: string;
  readonly errorCode?: string;
  readonly errorDetails?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const PROMPT = "Be brief.";
const VARIABLES = { temperature: 0.2, tools: ["search"] };
const BOTH = [
  { key: "control", prompt: PROMPT, variables: VARIABLES },
  { key: "treatment", prompt: PROMPT, variables: VARIABLES },
];
let count = 0;
async function create(change: Readonly<Record<string, unknown>> = {}): Promise<WireExperiment> {
  const body = experimentBody(`flag-${++count}`, { assignment: "assay", variants: BOTH, ...change });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}
const put = ({ id }: WireExperiment, body: unknown) =>
  api.call<WireExperiment>("PUT", `/v1/experiments/${id}`, { body });
const assign = async ({ id }: WireExperiment, user: string) =>
  (await api.call<Flag>("POST", "/v1/assign", { key, body: { experiment_id: id, user_id: user } })).body
    .variant;

const ONE = (flag: string) => `/ofrep/v1/evaluate/flags/${encodeURIComponent(flag)}`;
const ALL = "/ofrep/v1/evaluate/flags";
const contextOf = (user: unknown) => ({ context: { targetingKey: user, plan: "pro" } });
const evaluate = (flag: string, body: unknown = contextOf("ann"), as = key) =>
  api.call<Flag>("POST", ONE(flag), { key: as, body });
const evaluateAll = async (user = "ann", as = key) =>
  (await api.call<{ readonly flags: readonly Flag[] }>("POST", ALL, { key: as, body: contextOf(user) })).body
    .flags;

describe("one flag is", () => {
  test("the variant that assign gives, under the name, the id and a former name", async () => {
    const experiment = await create();
    await put(experiment, { name: `${experiment.name}-new` });
    const variant = await assign(experiment, "ann");
    for (const flag of [experiment.name, `${experiment.name}-new`, experiment.id]) {
      const { status, body } = await evaluate(flag);
      expect([status, body]).toEqual([
        200,
        {
          key: flag,
          value: variant,
          variant,
          reason: "SPLIT",
          metadata: { experimentId: experiment.id, version: 2, prompt: PROMPT },
        },
      ]);
    }
  });

  test.each([
    ["prompt", PROMPT],
    ["variables", VARIABLES],
  ])("the variant's %s under that ending, unless an experiment is named so", async (ending, value) => {
    const experiment = await create();
    const variant = await assign(experiment, "ann");
    const metadata = { experimentId: experiment.id, version: 1 };
    for (const flag of [`${experiment.name}.${ending}`, `${experiment.id}.${ending}`])
      expect((await evaluate(flag)).body).toEqual({ key: flag, value, variant, reason: "SPLIT", metadata });
    const namedSo = await create({ name: `${experiment.name}.${ending}` });
    expect((await evaluate(namedSo.name)).body.metadata?.experimentId).toBe(namedSo.id);
    const listed = (await evaluateAll()).filter((flag) => flag.key === namedSo.name);
    expect(listed.map((flag) => flag.metadata?.experimentId)).toEqual([namedSo.id]);
  });

  test("without a value where the variant has no such content", async () => {
    const { id, name } = await create({ variants: undefined });
    for (const ending of ["prompt", "variables"]) {
      const { body } = await evaluate(`${name}.${ending}`);
      expect(body).toMatchObject({ reason: "SPLIT", metadata: { experimentId: id } });
      expect([typeof body.variant, "value" in body]).toEqual(["string", false]);
    }
  });

  test.each([
    { name: "uncovered", change: { coverage: 0 }, next: { description: "new" }, reason: "DEFAULT" },
    { name: "stopped", change: {}, next: { status: "stopped" }, reason: "DISABLED" },
    {
      name: "disabled",
      change: {},
      next: { variants: BOTH.map((variant) => ({ ...variant, enabled: false })) },
      reason: "DEFAULT",
    },
  ])("neither value nor variant when $name: $reason", async ({ change, next, reason }) => {
    const experiment = await create(change);
    const { version } = (await put(experiment, next)).body;
    const { status, body } = await evaluate(experiment.name);
    const metadata = { experimentId: experiment.id, version };
    expect([status, body]).toEqual([200, { key: experiment.name, reason, metadata }]);
  });

  test("STATIC when shipped to everybody, TARGETING_MATCH for a QA user", async () => {
    const experiment = await create({ qa_users: { treatment: ["qa"] } });
    expect((await evaluate(experiment.name, contextOf("qa"))).body).toMatchObject({
      ...{ value: "treatment", variant: "treatment", reason: "TARGETING_MATCH" },
    });
    await put(experiment, { status: "stopped" });
    await put(experiment, { status: "shipped", shipped_variant: "control" });
    expect((await evaluate(experiment.name)).body).toMatchObject({ value: "control", reason: "STATIC" });
  });

  test("claimed: the bucket of a user who got a variant moves no more, and nothing else is frozen", async () => {
    const experiment = await create();
    const users = Array.from({ length: 40 }, (_, index) => `user-${index}`);
    const before = new Map<string, unknown>();
    for (const user of users.slice(0, 20))
      before.set(user, (await evaluate(experiment.name, contextOf(user))).body.value);
    for (const user of users.slice(20))
      before.set(user, (await evaluateAll(user)).find((flag) => flag.key === experiment.name)?.value);
    const allocation = [
      { variant: "control", weight: 1 },
      { variant: "treatment", weight: 99 },
    ];
    const { body } = await put(experiment, { allocation });
    expect(body.effective_allocation.treatment).toBeGreaterThan(0.9);
    for (const user of users)
      expect((await evaluate(experiment.name, contextOf(user))).body.value).toBe(before.get(user));
    expect(new Set(before.values())).toEqual(new Set(["control", "treatment"]));
  });

  test("free: no event is stored and none is metered", async () => {
    const { name, id } = await create();
    await evaluate(name);
    await evaluateAll();
    const { body } = await api.call<{ events: { used: number } }>("GET", "/v1/usage");
    expect(body.events.used).toBe(0);
    const live = await api.call<{ exposures: Record<string, number> }>("GET", `/v1/experiments/${id}/live`);
    expect(Object.values(live.body.exposures)).toEqual([0, 0]);
  });
});

describe("the answer to a flag that cannot be evaluated", () => {
  test("is 404 for an unknown experiment and for a draft", async () => {
    const draft = await create({ status: "draft" });
    for (const flag of ["unknown", "unknown.prompt", draft.name, draft.id]) {
      const { status, body, headers } = await evaluate(flag, {});
      expect([status, body.key, body.errorCode]).toEqual([404, flag, "FLAG_NOT_FOUND"]);
      expect(headers.get("content-type")).toContain("application/json");
    }
  });

  test.each([
    { body: {}, code: "TARGETING_KEY_MISSING" },
    { body: { context: {} }, code: "TARGETING_KEY_MISSING" },
    { body: contextOf(""), code: "TARGETING_KEY_MISSING" },
    { body: contextOf(null), code: "TARGETING_KEY_MISSING" },
    { body: contextOf(5), code: "INVALID_CONTEXT" },
    { body: contextOf("a".repeat(257)), code: "INVALID_CONTEXT" },
    { body: { context: [] }, code: "INVALID_CONTEXT" },
    { body: { context: null }, code: "INVALID_CONTEXT" },
    { body: [], code: "PARSE_ERROR" },
    { body: Buffer.from("{"), code: "PARSE_ERROR" },
    { body: Buffer.from("[".repeat(200)), code: "PARSE_ERROR" },
  ])("is 400 $code for the body $body", async ({ body, code }) => {
    const { name } = await create();
    const one = await evaluate(name, body);
    expect([one.status, one.body]).toEqual([
      400,
      { key: name, errorCode: code, errorDetails: expect.stringMatching(/\w/) },
    ]);
    const all = await api.call<Flag>("POST", ALL, { key, body });
    expect([all.status, all.body]).toEqual([400, { errorCode: code, errorDetails: one.body.errorDetails }]);
  });

  test("is a problem for everything that the protocol leaves open", async () => {
    const { name } = await create();
    const kinds = [];
    for (const options of [
      { key: "svc_pk_wrong", body: contextOf("ann") },
      { key, body: contextOf("a".repeat(70_000)) },
      { key, body: Buffer.from("x"), headers: { "content-type": "text/plain" } },
    ])
      for (const path of [ONE(name), ALL]) {
        const { status, body } = await api.call<WireProblem>("POST", path, options);
        kinds.push([status, slugOf(body)]);
      }
    const expected = [
      [401, "invalid-credential"],
      [413, "body-too-large"],
      [415, "unsupported-media-type"],
    ];
    expect(kinds).toEqual(expected.flatMap((one) => [one, one]));
  });
});

describe("all flags", () => {
  test("are those that clients know, each under its names and as each of them alone", async () => {
    const running = await create();
    await put(running, { name: `${running.name}-new` });
    const draft = await create({ status: "draft" });
    const flags = await evaluateAll();
    const keys = flags.map((flag) => flag.key);
    for (const name of [running.name, `${running.name}-new`])
      expect(keys).toEqual(expect.arrayContaining([name, `${name}.prompt`, `${name}.variables`]));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).not.toContain(draft.name);
    for (const flag of flags) expect((await evaluate(flag.key)).body).toEqual(flag);
  });

  test("have an ETag: 304 until something changes for the user", async () => {
    const experiment = await create();
    const get = (tag: string, user = "ann") =>
      api.call("POST", ALL, { key, body: contextOf(user), headers: { "if-none-match": tag } });
    const tag = (await get("")).headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    for (const header of [tag, `"x", ${tag}`, `W/${tag}`, "*"]) {
      const unchanged = await get(header);
      expect([unchanged.status, unchanged.headers.get("etag"), unchanged.body]).toEqual([304, tag, null]);
    }
    const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);
    const tags = await Promise.all(users.map(async (user) => (await get("", user)).headers.get("etag")));
    expect(new Set(tags).size).toBeGreaterThan(1);
    await put(experiment, { variants: BOTH.map((variant) => ({ ...variant, prompt: "Be kind." })) });
    const changed = await get(tag);
    expect([changed.status, changed.headers.get("etag") === tag]).toEqual([200, false]);
  });
});

test("the publishable key reads no content of an experiment for servers, the secret key does", async () => {
  const { name } = await create({ visibility: "server" });
  for (const flags of [await evaluateAll(), [(await evaluate(name)).body]])
    expect(JSON.stringify(flags.filter((flag) => flag.key.startsWith(name)))).not.toContain(PROMPT);
  const hidden = (await evaluate(`${name}.variables`)).body;
  expect(["value" in hidden, hidden.reason]).toEqual([false, "SPLIT"]);
  const shown = await evaluate(`${name}.variables`, contextOf("ann"), secretKey);
  expect(shown.body.value).toEqual(VARIABLES);
  expect((await evaluate(name, contextOf("ann"), secretKey)).body.metadata?.prompt).toBe(PROMPT);
  expect((await evaluate(name)).body.value).toBe(shown.body.variant);
});

describe("the key", () => {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(contextOf("ann"));
  const post = (more: Readonly<Record<string, string>>) =>
    fetch(`${api.service.url}${ALL}`, { method: "POST", headers: { ...headers, ...more }, body });

  test("is taken as a bearer token too, here and on no route of ours", async () => {
    expect((await post({ authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await post({ authorization: `bearer ${secretKey}` })).status).toBe(200);
    const none: Readonly<Record<string, string>> = {};
    for (const wrong of [none, { authorization: `Basic ${key}` }, { authorization: "Bearer svc_pk_wrong" }]) {
      const refused = await post(wrong);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="assay"',
      ]);
    }
    const session = await post({ authorization: `Bearer ${await api.token()}` });
    expect(session.status).toBe(401);
    const config = await fetch(`${api.service.url}/v1/config`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(config.status).toBe(401);
  });

  test("is sent by pages of any origin", async () => {
    for (const path of [ONE("x"), ALL]) {
      const preflight = await fetch(api.service.url + path, {
        method: "OPTIONS",
        headers: { origin: "https://app.example", "access-control-request-method": "POST" },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      const allowed = preflight.headers.get("access-control-allow-headers")?.split(", ");
      expect(allowed).toEqual(
        expect.arrayContaining(["X-API-Key", "Authorization", "Content-Type", "If-None-Match"]),
      );
    }
    const answer = await post({ "x-api-key": key, origin: "https://app.example" });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toContain("ETag");
  });

  test("reads gzipped bodies", async () => {
    const sent = { key, body: gzipSync(body), headers: { ...headers, "content-encoding": "gzip" } };
    expect((await api.call("POST", ALL, sent)).status).toBe(200);
  });
});

test("an experiment that another request has just created is a flag at once", async () => {
  await evaluateAll();
  const { name } = await create();
  expect((await evaluate(name)).status).toBe(200);
});
