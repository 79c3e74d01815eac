import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

const create = (body: unknown) => api.call<WireExperiment & WireProblem>("POST", "/v1/experiments", { body });
let count = 0;

interface WireAuditEntry {
  readonly action: string;
  readonly summary: string;
  readonly diff: Readonly<Record<string, unknown>> | null;
}

/** Newest first. */
async function audit(id: string): Promise<readonly WireAuditEntry[]> {
  const answer = await api.call<{ items: WireAuditEntry[] }>("GET", `/v1/audit?target_id=${id}`);
  return answer.body.items;
}

describe("a test chosen by hand is audited as a method override", () => {
  const overrides = async (id: string) =>
    (await audit(id)).filter(({ action }) => action === "metric.method-override");
  const put = (id: string, metrics: readonly unknown[]) =>
    api.call("PUT", `/v1/experiments/${id}`, { body: { metrics } });
  const plain = metricBody("m");
  const overridden = metricBody("m", { method: "welch_t" });
  const chosen = metricBody("m", { method_default: "welch_t" });

  test("at creation, metric by metric; an automatic choice is not an override", async () => {
    const metrics = [
      metricBody("a", { method: "welch_t" }),
      metricBody("b", { method_default: "permutation" }),
      metricBody("c"),
    ];
    const { body } = await create(experimentBody(`experiment-${++count}`, { metrics }));
    const entries = await overrides(body.id);
    expect(entries.map(({ diff }) => diff)).toEqual([
      { metric: "b", method_default: { from: "auto", to: "permutation" } },
      { metric: "a", method: { from: null, to: "welch_t" } },
    ]);
    expect(entries[0]?.summary).toBe('The test of metric "b" is now permutation; it was auto.');
    expect(entries[1]?.summary).toBe('The test of metric "a" is now welch_t (overriding auto); it was auto.');
  });

  test.each([
    { name: "an override", from: plain, to: overridden, count: 1 },
    { name: "a chosen default", from: plain, to: chosen, count: 1 },
    { name: "an override taken back", from: overridden, to: plain, count: 2 },
    { name: "a default back to auto", from: chosen, to: plain, count: 2 },
    { name: "a new metric with an override", from: metricBody("other"), to: overridden, count: 1 },
    { name: "a new metric without one", from: metricBody("other"), to: plain, count: 0 },
    { name: "another change of the metric", from: overridden, to: { ...overridden, margin: 1 }, count: 1 },
    { name: "the metric taken away", from: overridden, to: metricBody("other"), count: 1 },
  ])("on update: $name", async ({ from, to, count: expected }) => {
    const { body } = await create(experimentBody(`experiment-${++count}`, { metrics: [from] }));
    expect((await put(body.id, [to])).status).toBe(200);
    expect(await overrides(body.id)).toHaveLength(expected);
  });
});

describe("a metric's version", () => {
  const save = (id: string, metrics: readonly unknown[]) =>
    api.call<WireExperiment & WireProblem>("PUT", `/v1/experiments/${id}`, { body: { metrics } });

  test("must rise with another meaning, and starts a new series then", async () => {
    const metrics = [metricBody("first"), metricBody("spent", { kind: "mean" })];
    const { body } = await create(experimentBody(`experiment-${++count}`, { metrics }));
    const source = { event: "model_call", field: "cost_usd" };
    const changed = { ...metrics[1], kind: "ratio", source, accept_from: ["secret"] };
    const refused = await save(body.id, [metrics[0], changed]);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [
        {
          pointer: "/metrics/1/metric_version",
          detail:
            'kind changed from mean to ratio, source changed from business_event "spent" to model_call cost_usd, accept_from changed from every source to secret. Send metric_version 2, which starts a new series.',
        },
      ],
    ]);
    expect((await save(body.id, [metrics[0], { ...changed, metric_version: 2 }])).status).toBe(200);
  });

  test("never falls, also when the metric was removed in between", async () => {
    const metric = metricBody("m", { metric_version: 3 });
    const { body } = await create(experimentBody(`experiment-${++count}`, { metrics: [metric] }));
    const pointersOf = async (sent: unknown) =>
      (await save(body.id, [sent])).body.errors?.map(({ pointer }) => pointer);
    expect(await pointersOf({ ...metric, metric_version: 2 })).toEqual(["/metrics/0/metric_version"]);
    await save(body.id, []);
    expect(await pointersOf(metricBody("m"))).toEqual(["/metrics/0/metric_version"]);
    expect(await pointersOf({ ...metric, kind: "binary" })).toEqual(["/metrics/0/metric_version"]);
    expect(await pointersOf({ ...metric, kind: "binary", metric_version: 4 })).toBeUndefined();
  });

  test("rises by itself with a rubric alone", async () => {
    const judged = (rubric: string) =>
      metricBody("tone", { kind: "ratio", category: "quality", judge: { rubric } });
    const { body } = await create(experimentBody(`experiment-${++count}`, { metrics: [judged("Polite?")] }));
    const saved = await api.call<{ metrics: unknown }>("PUT", `/v1/experiments/${body.id}`, {
      body: { metrics: [judged("Short?")] },
    });
    expect(saved.body.metrics).toMatchObject([{ metric_version: 2, judge: { rubric: "Short?" } }]);
  });
});

describe("metrics", () => {
  test("carry cap and target effect there and back, and have defaults", async () => {
    const metrics = [
      metricBody("fixed", { cap: 12.5, target_effect: 0.2 }),
      metricBody("pooled", { cap: "p99.9" }),
      metricBody("p99", { kind: "quantile", quantile: 0.99 }),
    ];
    const { body } = await create(experimentBody(`experiment-${++count}`, { metrics }));
    const read = await api.call<{ metrics: unknown }>("GET", `/v1/experiments/${body.id}`);
    expect(read.body.metrics).toMatchObject([
      { name: "fixed", cap: 12.5, target_effect: 0.2 },
      { name: "pooled", cap: "p99.9", target_effect: 0.05 },
      { name: "p99", cap: null, target_effect: 0.05, quantile: 0.99 },
    ]);
  });

  test("carry the sources that they accept there and back, by default all", async () => {
    const metrics = [
      metricBody("any"),
      metricBody("trusted", { accept_from: ["signed", "secret", "import"] }),
    ];
    const { body } = await create(experimentBody(`experiment-${++count}`, { metrics }));
    const read = await api.call<{ metrics: unknown }>("GET", `/v1/experiments/${body.id}`);
    expect(read.body.metrics).toMatchObject([
      { accept_from: null },
      { accept_from: ["signed", "secret", "import"] },
    ]);
  });

  test.each([
    { field: "accept_from", value: [] },
    { field: "accept_from", value: ["signed", "signed"] },
    { field: "cap", value: 0 },
    { field: "cap", value: "p99" },
    { field: "target_effect", value: 0 },
    { field: "target_effect", value: 10.1 },
    { field: "target_effect", value: null },
    { field: "quantile", value: 0 },
    { field: "quantile", value: 1 },
  ])("are refused with $field $value", async ({ field, value }) => {
    const { status, body } = await create(
      experimentBody("x", { metrics: [metricBody("m", { [field]: value })] }),
    );
    expect([status, body.errors?.map(({ pointer }) => pointer)]).toEqual([400, [`/metrics/0/${field}`]]);
  });

  test("are refused with a cap that their kind does not have, and told so", async () => {
    const metrics = [metricBody("m", { kind: "binary", cap: 5 })];
    const { status, body } = await create(experimentBody("x", { metrics }));
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { pointer: "/metrics/0/cap", detail: 'A cap needs kind "mean"; this metric is of kind "binary".' },
    ]);
  });

  test("are told everything that a field would take", async () => {
    const { body } = await create(experimentBody("x", { metrics: [metricBody("m", { cap: "p95" })] }));
    expect(body.errors).toEqual([
      { pointer: "/metrics/0/cap", detail: 'must be number or "p99.9" or null.' },
    ]);
  });
});
