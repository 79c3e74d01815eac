import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

type Metric = Readonly<Record<string, unknown>>;
interface WireEntry extends WireProblem {
  readonly definition: Metric;
  readonly used_by: readonly { readonly name: string; readonly follows: boolean }[];
}
interface Stored extends WireExperiment {
  readonly metrics: readonly Metric[];
}
interface WireAudit {
  readonly items: readonly { readonly action: string; readonly summary: string; readonly diff: object }[];
}

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

const shared = (name: string, change: Metric = {}) => metricBody(name, { shared_org_wide: true, ...change });
const create = async (name: string, metrics: readonly unknown[], change = {}) =>
  api.call<Stored & WireProblem>("POST", "/v1/experiments", {
    body: experimentBody(name, { metrics, ...change }),
  });
const created = async (...parts: Parameters<typeof create>): Promise<Stored> => {
  const { status, body } = await create(...parts);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
};
const change = (id: string, body: object) =>
  api.call<Stored & WireProblem>("PUT", `/v1/experiments/${id}`, { body });
const stored = async ({ id }: Stored) => (await api.call<Stored>("GET", `/v1/experiments/${id}`)).body;
const get = (name: string) => api.call<WireEntry>("GET", `/v1/metrics/${name}`);
const put = (name: string, body: Metric) => api.call<WireEntry>("PUT", `/v1/metrics/${name}`, { body });
const audit = async (target: string) =>
  (await api.call<WireAudit>("GET", `/v1/audit?target_id=${target}`)).body.items;

describe("a shared metric", () => {
  test("is created by the first experiment that saves it, on the record", async () => {
    expect(slugOf((await get("first")).body)).toBe("metric-not-found");
    const experiment = await created("first-user", [shared("first", { cap: 5 }), metricBody("own")]);
    const { body } = await get("first");
    expect(body.definition).toMatchObject({ name: "first", cap: 5, metric_version: 1 });
    expect(body.used_by).toEqual([
      {
        id: experiment.id,
        name: "first-user",
        status: "running",
        unit: "user",
        metric_version: 1,
        follows: true,
      },
    ]);
    expect((await get("own")).status).toBe(404);
    expect(await audit("first")).toMatchObject([{ action: "metric.create" }]);
    // Saved again, also by an update, it is the same one.
    const other = await created("first-later", [metricBody("own")]);
    expect((await change(other.id, { metrics: [shared("first", { cap: 5, role: "primary" })] })).status).toBe(
      200,
    );
    expect((await get("first")).body.used_by.map(({ name }) => name)).toEqual(["first-later", "first-user"]);
    expect(await audit("first")).toHaveLength(1);
  });

  test("is not created by an experiment that is refused", async () => {
    const { status } = await create("refused", [
      shared("never"),
      metricBody("bad", { kind: "binary", cap: 5 }),
    ]);
    expect(status).toBe(400);
    expect((await get("never")).status).toBe(404);
  });

  test("cannot be changed in an experiment, which can have a copy of its own", async () => {
    const experiment = await created("copier", [shared("copied")]);
    const refused = await change(experiment.id, {
      metrics: [shared("copied", { kind: "binary", metric_version: 2 })],
    });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ pointer: "/metrics/0/kind", detail: expect.stringContaining("PUT /v1/metrics/copied") }],
    ]);
    expect((await create("other", [shared("copied", { margin: 1 })])).body.errors).toMatchObject([
      { pointer: "/metrics/0/margin" },
    ]);
    const own = metricBody("copied", { kind: "binary", metric_version: 2 });
    expect((await change(experiment.id, { metrics: [own] })).status).toBe(200);
    expect((await get("copied")).body).toMatchObject({
      definition: { kind: "mean", metric_version: 1 },
      used_by: [{ name: "copier", follows: false }],
    });
  });

  test("of another org is another metric", async () => {
    await created("here", [shared("everywhere")]);
    const token = await api.token({ email: "eve@elsewhere.org", org: "elsewhere" });
    expect((await api.call("GET", "/v1/metrics/everywhere", { token })).status).toBe(404);
    expect(
      (await api.call("PUT", "/v1/metrics/everywhere", { token, body: shared("everywhere") })).status,
    ).toBe(404);
  });
});

describe("a change of a shared metric", () => {
  test("mints one version of every draft and running experiment that uses it, and leaves the others alone", async () => {
    const metric = shared("spent");
    const running = await created("spent-running", [
      metricBody("beside"),
      { ...metric, role: "primary", target_effect: 0.2, method: "mann_whitney_u" },
    ]);
    const draft = await created("spent-draft", [metric], { status: "draft" });
    const stopped = await created("spent-stopped", [metric], { status: "stopped" });
    const own = await created("spent-own", [metricBody("spent")]);
    const none = await created("spent-none", []);
    const { status, body } = await put("spent", { ...metric, kind: "ratio", metric_version: 2 });
    expect(status).toBe(200);
    expect(body.definition).toMatchObject({ kind: "ratio", metric_version: 2 });
    expect(Object.fromEntries(body.used_by.map(({ name, follows }) => [name, follows]))).toEqual({
      "spent-running": true,
      "spent-draft": true,
      "spent-stopped": false,
      "spent-own": false,
    });
    expect(await stored(running)).toMatchObject({
      version: 2,
      metrics: [
        { name: "beside" },
        { kind: "ratio", metric_version: 2, role: "primary", target_effect: 0.2, method: null },
      ],
    });
    expect(await stored(draft)).toMatchObject({
      version: 2,
      metrics: [{ kind: "ratio", role: "secondary" }],
    });
    for (const same of [stopped, own, none]) expect(await stored(same)).toEqual(same);
    const [override, update] = await audit(running.id);
    expect(override).toMatchObject({ action: "metric.method-override" });
    expect(update).toMatchObject({
      action: "experiment.update",
      summary: 'The shared metric "spent" changed. Changed metrics: version 2.',
    });
    expect((await audit(draft.id))[0]).toMatchObject({ action: "experiment.update" });
    expect((await audit("spent"))[0]).toMatchObject({
      action: "metric.update",
      diff: { kind: { from: "mean", to: "ratio" }, metric_version: { from: 1, to: 2 } },
    });
  });

  test("that experiments do not notice mints no version", async () => {
    const experiment = await created("role-user", [shared("role")]);
    expect((await put("role", shared("role", { role: "guardrail" }))).body.definition).toMatchObject({
      role: "guardrail",
    });
    expect(await stored(experiment)).toEqual(experiment);
  });

  test.each<[name: string, change: Metric, pointer: string]>([
    ["another meaning under the same version", { kind: "ratio" }, "/metric_version"],
    ["another name", { name: "other" }, "/name"],
    ["the end of sharing", { shared_org_wide: false }, "/shared_org_wide"],
    ["no source at all", { accept_from: [] }, "/accept_from"],
  ])("is refused with %s, and changes nothing", async (_name, changed, pointer) => {
    const name = `refusing${pointer.replaceAll("/", "-")}`;
    const experiment = await created(name, [shared(name)]);
    const { status, body } = await put(name, shared(name, changed));
    expect([status, body.errors?.map((fault) => fault.pointer)]).toEqual([400, [pointer]]);
    expect(await stored(experiment)).toEqual(experiment);
    expect((await get(name)).body.definition).toMatchObject({ kind: "mean", metric_version: 1 });
  });

  test("is refused where an experiment that uses it was further once", async () => {
    const experiment = await created("further", [shared("furthest")]);
    const control = api.openControl();
    try {
      const { config, ...version } = await control.experiments.get(await orgId(), experiment.id);
      const [metric] = config.metrics;
      for (const [index, metricVersion] of [5, 1].entries())
        await control.experiments.putVersion({
          ...version,
          config: { ...config, metrics: [{ ...metric!, metricVersion }] },
          version: index + 2,
          at: Date.now(),
          by: "before",
        });
    } finally {
      await control.close();
    }
    const { status, body } = await put("furthest", shared("furthest", { kind: "ratio", metric_version: 2 }));
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          pointer: "/metric_version",
          detail: 'In the experiment "further" this metric has had version 5. Send metric_version 6.',
        },
      ],
    ]);
    expect((await get("furthest")).body.definition).toMatchObject({ kind: "mean" });
    expect((await put("furthest", shared("furthest", { kind: "ratio", metric_version: 6 }))).status).toBe(
      200,
    );
  });

  test("and experiments that start to use it at the same time end with one definition", async () => {
    await created("race-0", [shared("race")]);
    const starts = Array.from({ length: 6 }, (_, index) => create(`race-${index + 1}`, [shared("race")]));
    const [changed] = await Promise.all([
      put("race", shared("race", { kind: "binary", metric_version: 2 })),
      ...starts,
    ]);
    expect(changed.status).toBe(200);
    const { used_by: usedBy } = (await get("race")).body;
    expect(usedBy.map(({ follows }) => follows)).toEqual(usedBy.map(() => true));
    // Those that came later were refused.
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    expect(usedBy).toHaveLength(1 + statuses.filter((status) => status === 201).length);
    expect(new Set([...statuses, 400, 201])).toEqual(new Set([201, 400]));
  });
});

const orgId = async () => (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body.org_id;

test("the catalogue shows the shared definition, also when nothing uses it", async () => {
  const experiment = await created("catalogued", [shared("listed", { description: "shared" })]);
  await created("catalogued-own", [metricBody("listed", { metric_version: 7 })]);
  await change(experiment.id, { metrics: [] });
  const { items } = (await api.call<{ items: WireEntry[] }>("GET", "/v1/metrics")).body;
  const entry = items.find(({ definition }) => definition.name === "listed");
  expect(entry).toMatchObject({
    definition: { description: "shared", metric_version: 1 },
    used_by: [{ name: "catalogued-own", follows: false }],
  });
});
