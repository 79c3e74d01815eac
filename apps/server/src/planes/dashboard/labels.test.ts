import { toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { type CallToJudge, JUDGE_VERSION, judgeCalls } from "../../test-support/judge-calls.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Queue {
  readonly items: readonly { readonly event_id: string; readonly input: unknown; readonly answer: unknown }[];
  readonly [field: string]: unknown;
}
interface Label {
  readonly event_id: string;
  readonly is_drawn: boolean;
  readonly score: number | null;
  readonly [field: string]: unknown;
}
interface Labels {
  readonly items: readonly Label[];
  readonly next_cursor: string | null;
}

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

const PROMPTS = { control: "You answer briefly.", treatment: "You are a pirate: answer in rhyme." };
const scales = ["pass_fail", "1-5", "0-1"] as const;

/** An experiment with a metric by scale, named after it. */
async function makeExperiment(): Promise<WireExperiment> {
  const quality = { kind: "ratio", category: "quality" };
  const judged = scales.map((scale) =>
    metricBody(scale, { ...quality, judge: { rubric: "Is it polite?", scale } }),
  );
  const metrics = [...judged, metricBody("unsaid", quality), metricBody("bought", { kind: "binary" })];
  const variants = Object.entries(PROMPTS).map(([key, prompt]) => ({ key, prompt }));
  const body = experimentBody(`labelled-${crypto.randomUUID()}`, { metrics, variants });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

const judge = ({ id }: WireExperiment, metric: string, calls: readonly CallToJudge[]) =>
  judgeCalls(api, { experimentId: id, metric }, calls);
const label = ({ id }: WireExperiment, body: object) =>
  api.call<Label & WireProblem>("POST", `/v1/experiments/${id}/labels`, {
    body: { metric: "pass_fail", score: 1, ...body },
  });
const labels = async ({ id }: WireExperiment, query = "") =>
  (await api.call<Labels>("GET", `/v1/experiments/${id}/labels${query}`)).body;
const queue = async ({ id }: WireExperiment, query = "metric=pass_fail") =>
  (await api.call<Queue & WireProblem>("GET", `/v1/experiments/${id}/labels/queue?${query}`)).body;
const idsOf = ({ items }: Pick<Queue | Labels, "items">) => items.map(({ event_id: id }) => id);

describe("the queue", () => {
  let experiment: WireExperiment;
  const CALLS: readonly CallToJudge[] = [
    { eventId: "c1", arm: "control", score: 1 },
    { eventId: "c2", arm: "control", score: 0 },
    { eventId: "t1", arm: "treatment", score: 1 },
    { eventId: "broken", arm: "treatment", score: 0, hasFailed: true },
    { eventId: "expired", arm: "treatment", score: 1 },
    { eventId: "pending", arm: "treatment", score: null },
    { eventId: "refused", arm: "treatment", score: "refused" },
  ];

  beforeAll(async () => {
    experiment = await makeExperiment();
    const arms = { c1: "control", c2: "control", t1: "treatment", broken: "treatment", pending: "treatment" };
    await store(
      Object.entries(arms).map(([eventId, variant]) => ({
        event_id: eventId,
        experiment_id: experiment.id,
        type: "model_call",
        user_id: `user-of-${eventId}`,
        variant,
        model: `model-of-${variant}`,
        timestamp: toInstant(Date.now() - 1_000),
        prompt: JSON.stringify([
          { role: "system", content: "You are a model." },
          { role: "user", content: `${PROMPTS[variant as keyof typeof PROMPTS]} Ahoy from ${eventId}` },
        ]),
        ...(eventId === "broken" ? { error: true } : { response: `An answer to ${eventId}` }),
      })),
    );
    await judge(experiment, "pass_fail", CALLS);
    // The variants' prompts of that time are no longer in the config.
    const variants = Object.keys(PROMPTS).map((key) => ({ key, prompt: "New." }));
    await api.call("PUT", `/v1/experiments/${experiment.id}`, { body: { variants } });
  });

  async function store(events: readonly { readonly event_id: string }[]): Promise<void> {
    const key = await api.newKey("secret");
    await api.call("POST", "/v1/events", { key, body: events });
    const stored = async () =>
      (await api.call<Queue>("GET", `/v1/experiments/${experiment.id}/events`)).body.items.length;
    await vi.waitFor(async () => expect(await stored()).toBe(events.length), 20_000);
  }

  test("is empty before anything is drawn", async () => {
    expect(await queue(experiment, "metric=1-5")).toMatchObject({
      ...{ metric: "1-5", metric_version: 1, judge: { rubric: "Is it polite?", scale: "1-5" } },
      ...{ items: [], labelled: 0, needed: 50, waiting: 0 },
    });
  });

  test("shows what the user asked and got, and neither variant nor score", async () => {
    const { items, ...rest } = await queue(experiment);
    expect(rest).toMatchObject({ labelled: 0, needed: 50, waiting: 6 });
    expect(items).toEqual([
      { event_id: "c1", input: "Ahoy from c1", answer: "An answer to c1" },
      { event_id: "c2", input: "Ahoy from c2", answer: "An answer to c2" },
      { event_id: "t1", input: "Ahoy from t1", answer: "An answer to t1" },
      { event_id: "broken", input: "Ahoy from broken", answer: null },
      // Not scored yet: people need not wait for the judge.
      { event_id: "pending", input: "Ahoy from pending", answer: "An answer to pending" },
    ]);
  });

  test("takes of each arm as many, and of the arm with fewer labels first", async () => {
    expect(idsOf(await queue(experiment, "metric=pass_fail&limit=2"))).toEqual(["c1", "t1"]);
    await label(experiment, { event_id: "c1" });
    expect(idsOf(await queue(experiment, "metric=pass_fail&limit=1"))).toEqual(["t1"]);
  });

  test("never shows a call again that somebody labeled or skipped", async () => {
    await label(experiment, { event_id: "c1" });
    await label(experiment, { event_id: "t1" });
    await label(experiment, { event_id: "c2", score: null });
    const left = await queue(experiment);
    expect(idsOf(left)).toEqual(["broken", "pending"]);
    expect(left).toMatchObject({ labelled: 1, waiting: 3 });
  });

  test("leaves out a call whose texts are gone, and its label stays", async () => {
    expect(idsOf(await queue(experiment))).not.toContain("expired");
    expect((await label(experiment, { event_id: "expired" })).status).toBe(201);
    expect(idsOf(await labels(experiment))).toContain("expired");
  });

  test.each(["bought", "unsaid", "unknown"])(
    "knows no calls of the metric %s, which no judge scores",
    async (metric) => {
      const problem = await queue(experiment, `metric=${metric}`);
      expect(slugOf(problem)).toBe("invalid-query");
      expect(problem.detail).toMatch(/^metric: /);
    },
  );
});

describe("a label", () => {
  let experiment: WireExperiment;
  beforeAll(async () => {
    experiment = await makeExperiment();
    for (const scale of scales)
      await judge(experiment, scale, [
        { eventId: "scored", arm: "control", score: 1 },
        { eventId: "pending", arm: "control", score: null },
        { eventId: "refused", arm: "control", score: "refused" },
      ]);
  });

  test("names who gave it, and stands beside what the judge says", async () => {
    const who = { name: expect.any(String), id: expect.any(String) };
    const given = await label(experiment, { event_id: "scored", score: 0, note: "Rude." });
    expect(given.status).toBe(201);
    const asGiven = {
      ...{ event_id: "scored", metric: "pass_fail", metric_version: 1, score: 0, note: "Rude." },
      ...{ labelled_by: who, labelled_at: expect.any(String), is_drawn: true },
    };
    expect(given.body).toEqual(asGiven);
    const beside = { ...asGiven, variant: "control", judge_score: 1, judge_reason: "It deserves 1." };
    expect(await labels(experiment)).toEqual({ items: [beside], next_cursor: null });
  });

  test("may come before the judge's score, and stands beside it once there is one", async () => {
    expect((await label(experiment, { event_id: "pending", score: 0 })).status).toBe(201);
    expect(idsOf(await labels(experiment))).not.toContain("pending");
  });

  test("replaces the one before, and stays one of a call shown at random", async () => {
    await label(experiment, { event_id: "scored", score: 0 });
    const { body } = await label(experiment, { event_id: "scored", score: null });
    expect(body).toMatchObject({ score: null, note: null, is_drawn: true });
    expect((await labels(experiment)).items).toMatchObject([{ event_id: "scored", score: null }]);
  });

  test.each([
    { name: "half a pass", body: { event_id: "scored", score: 0.5 }, pointers: ["/score"] },
    { name: "half a point", body: { metric: "1-5", event_id: "scored", score: 1.5 }, pointers: ["/score"] },
    { name: "no point", body: { metric: "1-5", event_id: "scored", score: 0 }, pointers: ["/score"] },
    { name: "more than all", body: { metric: "0-1", event_id: "scored", score: 1.01 }, pointers: ["/score"] },
    { name: "a call without a score", body: { event_id: "refused" }, pointers: ["/event_id"] },
    { name: "an unknown call", body: { event_id: "?", score: 7 }, pointers: ["/event_id", "/score"] },
    {
      name: "a metric without a judge",
      body: { event_id: "scored", metric: "bought" },
      pointers: ["/metric"],
    },
    {
      name: "a judge without a rubric",
      body: { event_id: "scored", metric: "unsaid" },
      pointers: ["/metric"],
    },
    { name: "an unknown metric", body: { event_id: "scored", metric: "?" }, pointers: ["/metric"] },
  ])("is refused for $name", async ({ body, pointers }) => {
    const { status, body: problem } = await label(experiment, body);
    expect([status, problem.errors?.map(({ pointer }) => pointer)]).toEqual([400, pointers]);
  });

  test("of an earlier version of the metric is no more than a call without a score", async () => {
    const changed = await makeExperiment();
    await judge(changed, "pass_fail", [{ eventId: "scored", arm: "control", score: 1 }]);
    const metrics = [
      metricBody("pass_fail", { kind: "ratio", category: "quality", judge: { rubric: "Another." } }),
    ];
    const put = await api.call("PUT", `/v1/experiments/${changed.id}`, { body: { metrics } });
    expect(put.body).toMatchObject({ metrics: [{ name: "pass_fail", metric_version: 2 }] });
    expect((await label(changed, { event_id: "scored" })).body.detail).toMatch(/version 2/);
  });

  test("of a call that somebody looked up is none of a call shown at random", async () => {
    const crowded = await makeExperiment();
    const ids = Array.from({ length: 202 }, (_, index) => `call-${index}`);
    await judge(
      crowded,
      "pass_fail",
      ids.map((eventId, order) => ({ eventId, arm: "control", score: 1, order })),
    );
    const isDrawn = async (id: string) => (await label(crowded, { event_id: id })).body.is_drawn;
    expect(await isDrawn("call-201")).toBe(false);
    expect(await isDrawn("call-199")).toBe(true);
    // One of the first is labelled now, so another follows.
    expect(await isDrawn("call-200")).toBe(true);
    expect(await isDrawn("call-201")).toBe(false);
  });
});

describe("labels beside the judge", () => {
  let experiment: WireExperiment;
  const PAIRS = [
    { metric: "pass_fail", judged: 1, said: 1 },
    { metric: "pass_fail", judged: 1, said: 0 },
    { metric: "1-5", judged: 4, said: 5 },
    { metric: "0-1", judged: 0.5, said: 0.7 },
    { metric: "0-1", judged: 0.5, said: 0.8 },
  ].map((pair, index) => ({ ...pair, id: `${pair.metric}-${index}` }));

  beforeAll(async () => {
    experiment = await makeExperiment();
    for (const { metric, judged, id } of PAIRS)
      await judge(experiment, metric, [{ eventId: id, arm: "control", score: judged }]);
    for (const { metric, said, id } of PAIRS) await label(experiment, { metric, event_id: id, score: said });
  });

  test("are listed by metric, the newest first, page by page", async () => {
    expect(idsOf(await labels(experiment)).toSorted()).toEqual(PAIRS.map(({ id }) => id).toSorted());
    expect(idsOf(await labels(experiment, "?metric=1-5"))).toEqual(["1-5-2"]);
    const first = await labels(experiment, "?limit=3");
    const rest = await labels(experiment, `?limit=3&cursor=${encodeURIComponent(first.next_cursor ?? "")}`);
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(PAIRS.map(({ id }) => id).reverse());
    expect(rest.next_cursor).toBeNull();
  });

  test("disagree where they lie further apart than the scale's noise", async () => {
    const ids = idsOf(await labels(experiment, "?disagreeing=true"));
    expect(ids.toSorted()).toEqual(["0-1-4", "1-5-2", "pass_fail-1"]);
  });

  test("agree by arm", async () => {
    const of = async (metric: string) =>
      (await api.call("GET", `/v1/experiments/${experiment.id}/labels/agreement?metric=${metric}`)).body;
    expect(await of("pass_fail")).toMatchObject({
      ...{ metric: "pass_fail", metric_version: 1, judge_version: JUDGE_VERSION, needed: 50 },
      ...{ drawn_labels: { control: 2 }, categories: ["fail", "pass"] },
      overall: { labels: 2, agreeing: 1, false_passes: { count: 1, of: 1 } },
      arms: { control: { labels: 2, mean_judge_score: 1, mean_label: 0.5 } },
    });
    expect(await of("unknown")).toMatchObject({ status: 400 });
  });

  test("are nobody's but the org's", async () => {
    const token = await api.token({ email: "stranger@elsewhere.org", org: "strangers" });
    for (const path of ["", "/queue?metric=pass_fail", "/agreement?metric=pass_fail"]) {
      const { body } = await api.call<WireProblem>("GET", `/v1/experiments/${experiment.id}/labels${path}`, {
        token,
      });
      expect(slugOf(body)).toBe("experiment-not-found");
    }
  });
});
