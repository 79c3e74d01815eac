import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { JUDGE_VERSION, judgeCalls } from "../../test-support/judge-calls.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Judges {
  readonly items: readonly { readonly metric: string; readonly [field: string]: unknown }[];
  readonly [field: string]: unknown;
}
interface Judgements {
  readonly items: readonly { readonly event_id: string; readonly [field: string]: unknown }[];
  readonly next_cursor: string | null;
}

let api: TestService;
let experiment: WireExperiment;
let stranger: string;

beforeAll(async () => {
  api = await openTestService();
  experiment = await makeExperiment("judged");
  stranger = await api.token({ email: "stranger@elsewhere.org", org: "strangers" });
  await judgeCalls(api, { experimentId: experiment.id, metric: "tone" }, [
    { eventId: "c1", arm: "control", score: 1, isRepeated: true },
    { eventId: "c2", arm: "control", score: 0 },
    { eventId: "t1", arm: "treatment", score: 0 },
    { eventId: "failed-call", arm: "treatment", score: 0, hasFailed: true },
    { eventId: "refused", arm: "treatment", score: "refused" },
    { eventId: "waits", arm: "treatment", score: null },
  ]);
});
afterAll(() => api.stop());

async function makeExperiment(name: string, change: object = {}): Promise<WireExperiment> {
  const quality = { kind: "ratio", category: "quality" };
  const metrics = [
    metricBody("bought", { kind: "binary" }),
    metricBody("tone", { ...quality, judge: { rubric: "Is it polite?" } }),
    metricBody("unsaid", quality),
  ];
  const body = experimentBody(name, { metrics, ...change });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

const judges = async (service = api, token?: string) =>
  (await service.call<Judges>("GET", "/v1/judges", token === undefined ? {} : { token })).body;
const path = (rest: string) => `/v1/experiments/${experiment.id}/${rest}`;
const judgements = async (query = "") => (await api.call<Judgements>("GET", path(`judgements${query}`))).body;
const idsOf = ({ items }: Judgements) => items.map(({ event_id: id }) => id).toSorted();

describe("what judges do", () => {
  test("is listed for every judged metric of experiments that are not drafts", async () => {
    await makeExperiment("draft", { status: "draft" });
    const { items, ...org } = await judges();
    expect(org).toEqual({
      ...{ is_configured: false, model: null, lock: null, fault: null, backlog: 1 },
      evaluations: { used: 4, allowance: null, today: 4, per_minute: 0 },
      cost_usd_today: expect.closeTo(0.005, 9),
    });
    const usage = await api.call("GET", "/v1/usage");
    expect(usage.body).toMatchObject({ judge_evaluations: { used: 4 } });
    expect(items.map(({ metric, state }) => [metric, state])).toEqual([
      ["tone", "not-configured"],
      ["unsaid", "no-rubric"],
    ]);
    expect(items[0]).toMatchObject({
      ...{ experiment_id: experiment.id, experiment_name: "judged", is_demo: false, metric_version: 1 },
      judge: { rubric: "Is it polite?", scale: "pass_fail", sample_rate: 0.1 },
      judge_version: JUDGE_VERSION,
      arms: {
        control: { pending: 0, scored: 2, failed: 0, labels: 0 },
        treatment: { pending: 1, scored: 2, failed: 1, labels: 0 },
      },
      ...{ backlog: 1, failed_share: 1 / 5, failures: [{ cause: "refused", count: 1 }] },
      ...{ evaluations: 4, evaluations_today: 4, unpriced: 0, agreement: null, last_labelled_at: null },
    });
    expect(items[1]).toMatchObject({ judge: null, judge_version: null, arms: {}, failed_share: null });
  });

  test("has the agreement of metrics that people have labelled", async () => {
    for (const [eventId, score] of [
      ["c1", 1],
      ["c2", 0],
      ["t1", 1],
    ] as const) {
      const body = { metric: "tone", event_id: eventId, score };
      expect((await api.call("POST", path("labels"), { body })).status).toBe(201);
    }
    const [tone] = (await judges()).items;
    expect(tone).toMatchObject({ agreement: { labels: 3 }, last_labelled_at: expect.any(String) });
    expect(tone).toMatchObject({ arms: { control: { labels: 2 }, treatment: { labels: 1 } } });
  });

  test("is nothing to another org", async () => {
    expect(await judges(api, stranger)).toMatchObject({
      ...{ items: [], backlog: 0, evaluations: { used: 0, today: 0 } },
    });
  });

  test("is locked on the free plan, and says so", async () => {
    const enforced = await openTestService({ enforcePlanLimits: true });
    try {
      expect(await judges(enforced)).toMatchObject({
        lock: expect.stringMatching(/plan/),
        evaluations: { used: 0, allowance: 0 },
      });
    } finally {
      await enforced.stop();
    }
  });
});

describe("judgements", () => {
  test("tell the judge's reason, and why one failed", async () => {
    const { items } = await judgements("?metric=tone&state=failed");
    expect(items).toMatchObject([
      {
        ...{ event_id: "refused", metric: "tone", variant: "treatment", is_repeat: false, probability: 0.5 },
        ...{ state: "failed", cause: "refused", detail: "The endpoint said no.", score: null, attempts: 1 },
        ...{ input_tokens: 100, output_tokens: 10, cost_usd: 0.001 },
      },
    ]);
    const scored = await judgements("?state=scored");
    expect(idsOf(scored)).toEqual(["c1", "c1", "c2", "failed-call", "t1"]);
    expect(scored.items.find(({ event_id: id }) => id === "t1")).toMatchObject({
      reason: "It deserves 0.",
      label: 1,
    });
  });

  test("come page by page, and none of a metric that never had any", async () => {
    const first = await judgements("?limit=4");
    const rest = await judgements(`?limit=4&cursor=${encodeURIComponent(first.next_cursor ?? "")}`);
    expect(idsOf({ items: [...first.items, ...rest.items], next_cursor: null })).toEqual([
      "c1",
      "c1",
      "c2",
      "failed-call",
      "refused",
      "t1",
      "waits",
    ]);
    expect((await judgements("?metric=unsaid")).items).toEqual([]);
  });

  test("that failed are made again when somebody asks for it", async () => {
    const retry = (metric: string, token?: string) =>
      api.call<WireProblem & { readonly retried: number }>("POST", path("judgements/retry"), {
        body: { metric },
        ...(token === undefined ? {} : { token }),
      });
    expect((await retry("tone", stranger)).status).toBe(404);
    expect(await retry("tone")).toMatchObject({ status: 202, body: { retried: 1 } });
    expect(await retry("tone")).toMatchObject({ status: 202, body: { retried: 0 } });
    expect(idsOf(await judgements("?state=pending"))).toEqual(["refused", "waits"]);
    for (const metric of ["unsaid", "bought", "unknown"])
      expect(await retry(metric)).toMatchObject({ status: 400, body: { errors: [{ pointer: "/metric" }] } });
  });
});
