import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}
interface Config {
  readonly config_version: number;
  readonly experiments: readonly Entry[];
}

let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("publishable");
});
afterAll(() => api.stop());

let count = 0;
const create = async (change: Readonly<Record<string, unknown>> = {}) => {
  const body = experimentBody(`config-${++count}`, change);
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
};
const put = ({ id }: WireExperiment, body: unknown) =>
  api.call<WireExperiment>("PUT", `/v1/experiments/${id}`, { body });
const get = (query = "", headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${api.service.url}/v1/config${query}`, {
    headers: { "x-api-key": key, "accept-encoding": "identity", ...headers },
  });
const read = async (query = "") => (await (await get(query)).json()) as Config;
const narrowed = (...names: string[]) => `?experiments=${names.map(encodeURIComponent).join(",")}`;

describe("an experiment that has ended", () => {
  test.each([["stopped"], ["stopped", "archived"]])(
    "is no more than its id, name and status, with fillers for clients of the previous version: %s",
    async (...statuses) => {
      const experiment = await create({
        variants: [{ key: "control", prompt: "secret" }, { key: "treatment" }],
      });
      for (const status of statuses) await put(experiment, { status });
      const { experiments } = await read();
      expect(experiments.find(({ id }) => id === experiment.id)).toEqual({
        id: experiment.id,
        name: experiment.name,
        status: "stopped",
        version: 1 + statuses.length,
        ...{ salt: "", bucket_count: 1, buckets: [], variants: [] },
      });
    },
  );
});

describe("a renamed experiment", () => {
  test("is listed under each name with the same id, the current name first", async () => {
    const experiment = await create();
    const before = (await read()).experiments.find(({ id }) => id === experiment.id);
    for (const name of ["b", "c"]) await put(experiment, { name: experiment.name + name });
    const entries = (await read()).experiments.filter(({ id }) => id === experiment.id);
    expect(entries).toEqual(
      [`${experiment.name}c`, `${experiment.name}b`, experiment.name].map((name) => ({
        ...before,
        version: 3,
        name,
      })),
    );
  });

  test("is listed under no name that another experiment has taken", async () => {
    const [one, two] = [await create(), await create()];
    await put(one, { name: `${one.name}-renamed`, status: "stopped" });
    await put(two, { name: one.name });
    const named = (await read()).experiments.filter(({ name }) => name === one.name);
    expect(named.map(({ id }) => id)).toEqual([two.id]);
  });
});

describe("narrowed", () => {
  test("has the experiments that are named, by id, name or former name, and no others", async () => {
    const [one, two, three, draft] = [
      await create(),
      await create({ name: `config, with a comma, ${++count}` }),
      await create(),
      await create({ status: "draft" }),
    ];
    await create();
    await put(three, { name: `${three.name}-renamed` });
    const whole = await read();
    const { config_version, experiments } = await read(
      narrowed(one.name, two.id, three.name, draft.id, "unknown", "", one.id),
    );
    expect(config_version).toBe(whole.config_version);
    const asked = new Set([one.id, two.id, three.id]);
    expect(experiments).toEqual(whole.experiments.filter(({ id }) => asked.has(id)));
    expect(experiments).toHaveLength(4);
    expect((await read(narrowed("unknown"))).experiments).toEqual([]);
  });

  test("has an ETag for each set of experiments and each encoding", async () => {
    const [one, two] = [await create(), await create()];
    const tagOf = async (query: string, encoding = "identity") =>
      (await get(query, { "accept-encoding": encoding })).headers.get("etag") ?? "";
    const tags = await Promise.all([
      tagOf(""),
      tagOf(narrowed(one.id)),
      tagOf(narrowed(two.id)),
      tagOf(narrowed(one.id, two.id)),
      tagOf(narrowed(one.id), "gzip"),
    ]);
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf(narrowed(two.name, one.id, one.name))).toBe(tags[3]);
    for (const [query, tag, status] of [
      [narrowed(one.id), tags[1], 304],
      [narrowed(one.name), tags[1], 304],
      [narrowed(one.id), tags[4], 304],
      [narrowed(two.id), tags[1], 200],
      ["", tags[1], 200],
      [narrowed(one.id), tags[0], 200],
    ] as const)
      expect([query, tag, (await get(query, { "if-none-match": tag ?? "" })).status]).toEqual([
        query,
        tag,
        status,
      ]);
    await put(one, { description: "changed" });
    expect((await get(narrowed(one.id), { "if-none-match": tags[1] ?? "" })).status).toBe(200);
  });

  test("is compressed when asked", async () => {
    const { id } = await create();
    const packed = await get(narrowed(id), { "accept-encoding": "gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(await packed.json()).toEqual(await read(narrowed(id)));
  });

  test("freezes the buckets of what it serves, and of nothing else", async () => {
    const [served, other] = [await create(), await create()];
    await read(narrowed(served.name));
    const allocation = [
      { variant: "control", weight: 9 },
      { variant: "treatment", weight: 1 },
    ];
    expect((await put(served, { allocation })).body.effective_allocation).toEqual({
      control: 0.5,
      treatment: 0.5,
    });
    expect((await put(other, { allocation })).body.effective_allocation).toEqual({
      control: 0.9,
      treatment: 0.1,
    });
  });

  test.each([
    { name: "more than 100 names", query: narrowed(...Array.from({ length: 101 }, (_, i) => `n${i}`)) },
    { name: "nothing", query: "?experiments=" },
    { name: "the parameter twice", query: "?experiments=a&experiments=b" },
  ])("to $name is refused", async ({ query }) => {
    const answer = await get(query);
    const body = (await answer.json()) as WireProblem;
    expect([answer.status, slugOf(body)]).toEqual([400, "invalid-query"]);
    expect(body.errors?.map(({ pointer }) => pointer)).toEqual(["/experiments"]);
  });

  test("takes 100 names, and passes over parameters that it does not know", async () => {
    const names = narrowed(...Array.from({ length: 100 }, (_, index) => `n${index}`));
    expect((await get(names)).status).toBe(200);
    expect((await get("?org_id=other&_=1")).status).toBe(200);
  });
});

test("a running experiment lists the business metrics that its metrics read, each once; a change is in the next config", async () => {
  const source = { event: "business_event", business_metric: "order_value" };
  const metrics = [
    metricBody("revenue", { kind: "mean", category: "business", source }),
    metricBody("orders", { kind: "binary", category: "business", source }),
    metricBody("answers", { kind: "binary", category: "business" }),
    metricBody("latency", { kind: "mean", category: "latency" }),
  ];
  const experiment = await create({ metrics });
  const listed = async () => {
    const { experiments } = await read();
    return (experiments.find(({ id }) => id === experiment.id) as Entry & { business_metrics?: unknown })
      .business_metrics;
  };
  expect(await listed()).toEqual(["answers", "order_value"]);
  await put(experiment, { metrics: metrics.slice(3) });
  expect(await listed()).toEqual([]);
});

describe("server-only prompts", () => {
  const VARIANTS = [
    { key: "control", prompt: "hidden prompt", variables: { tone: "hidden" } },
    { key: "treatment", prompt: "hidden too" },
  ];
  const contentOf = (entry: Entry | undefined) =>
    (entry as Entry & { readonly variants: readonly Record<string, unknown>[] }).variants.map(
      ({ prompt, variables }) => [prompt, variables],
    );
  let secret: string;
  beforeAll(async () => {
    secret = await api.newKey("secret");
  });

  test("reach clients with the secret key only, whole and narrowed, and every key has the same buckets", async () => {
    const [hidden, shown] = [
      await create({ variants: VARIANTS, visibility: "server" }),
      await create({ variants: VARIANTS }),
    ];
    const texts = [
      ["hidden prompt", { tone: "hidden" }],
      ["hidden too", null],
    ];
    for (const query of ["", narrowed(hidden.name, shown.id)]) {
      const [asPage, asServer] = await Promise.all(
        [key, secret].map(async (one) => (await (await get(query, { "x-api-key": one })).json()) as Config),
      );
      const find = (config: Config | undefined, id: string) =>
        config?.experiments.find((entry) => entry.id === id);
      expect(contentOf(find(asServer, hidden.id))).toEqual(texts);
      expect(contentOf(find(asPage, hidden.id))).toEqual([
        [null, null],
        [null, null],
      ]);
      expect(contentOf(find(asPage, shown.id))).toEqual(texts);
      const bare = (config: Config | undefined) => {
        const { business_metrics, ...entry } = { business_metrics: null, ...find(config, hidden.id) };
        return [{ ...entry, variants: null }, business_metrics];
      };
      expect(bare(asPage)).toEqual([bare(asServer)[0], null]);
      expect(bare(asServer)[1]).toEqual(["bought"]);
    }
  });

  test("have an ETag for each key that reads them differently", async () => {
    const { id } = await create({ variants: VARIANTS, visibility: "server" });
    for (const query of ["", narrowed(id)]) {
      const tagOf = async (one: string) => (await get(query, { "x-api-key": one })).headers.get("etag") ?? "";
      const [page, server] = [await tagOf(key), await tagOf(secret)];
      expect(page).not.toBe(server);
      const statusOf = async (one: string, tag: string) =>
        (await get(query, { "x-api-key": one, "if-none-match": tag })).status;
      expect([
        await statusOf(key, page),
        await statusOf(secret, server),
        await statusOf(key, server),
        await statusOf(secret, page),
      ]).toEqual([304, 304, 200, 200]);
    }
  });

  test("are hidden and shown again with the next poll", async () => {
    const experiment = await create({ variants: VARIANTS });
    const shown = async () => contentOf((await read(narrowed(experiment.id))).experiments[0]);
    for (const [visibility, prompt] of [
      ["client", "hidden prompt"],
      ["server", null],
      ["client", "hidden prompt"],
    ]) {
      const { body } = await put(experiment, { visibility });
      expect(body).toMatchObject({ visibility });
      expect((await shown())[0]?.[0]).toBe(prompt);
    }
  });

  test("stay hidden under a former name and through changes that leave the visibility out", async () => {
    const experiment = await create({ variants: VARIANTS, visibility: "server" });
    await put(experiment, { name: `${experiment.name}-renamed`, coverage: 0.5 });
    const { experiments } = await read(narrowed(experiment.id));
    expect(experiments.map((entry) => contentOf(entry).flat())).toEqual(
      Array.from({ length: 2 }, () => [null, null, null, null]),
    );
  });

  test("need a secret key while the experiment runs", async () => {
    const org = await api.token({ email: "hider@elsewhere.org", org: "hiders" });
    const call = (method: "POST" | "PUT", path: string, body: unknown) =>
      api.call<WireExperiment & WireProblem>(method, path, { body, token: org });
    const make = (change: object) =>
      call("POST", "/v1/experiments", experimentBody(`hidden-${++count}`, { variants: VARIANTS, ...change }));
    const refused = await make({ visibility: "server" });
    expect([refused.status, refused.body.errors?.[0]]).toEqual([
      400,
      { pointer: "/visibility", detail: expect.stringContaining("POST /v1/keys") },
    ]);
    const draft = await make({ visibility: "server", status: "draft" });
    expect(draft.status).toBe(201);
    expect((await call("PUT", `/v1/experiments/${draft.body.id}`, { status: "running" })).status).toBe(400);
    const open = await make({});
    expect((await call("PUT", `/v1/experiments/${open.body.id}`, { visibility: "server" })).status).toBe(400);
    await call("POST", "/v1/keys", { scope: "secret" });
    for (const [{ body }, change] of [
      [draft, { status: "running" }],
      [open, { visibility: "server" }],
    ] as const)
      expect((await call("PUT", `/v1/experiments/${body.id}`, change)).status).toBe(200);
  });

  test.each(["public", "", null, 1])("the visibility %j is refused", async (visibility) => {
    const body = experimentBody(`visibility-${++count}`, { visibility });
    const { status } = await api.call<WireProblem>("POST", "/v1/experiments", { body });
    expect(status).toBe(400);
  });
});
