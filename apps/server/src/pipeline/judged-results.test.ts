import { addDays, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { judgeCalls } from "../test-support/judge-calls.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface WireRow {
  readonly test: string;
  readonly effect: number;
  readonly ci_low: number;
  readonly judge: { readonly uncalibrated: object | null; readonly [field: string]: unknown } | null;
  readonly [field: string]: unknown;
}
interface WireResults {
  readonly computed_for: string;
  readonly results: Readonly<Record<string, WireRow>>;
  readonly tradeoffs: readonly object[];
  readonly health: readonly { readonly code: string; readonly detail: string }[];
}

const ARMS = ["control", "treatment"] as const;
/** Enough for the skewness of a rate of 80 % (docs/statistics.md). */
const USERS = 800;
const LABELS = 60;
const yesterday = addDays(dayOf(Date.now()), -1);
let api: TestService;
let experiment: WireExperiment;

beforeAll(async () => {
  api = await openTestService();
  const metrics = [
    metricBody("cost", { category: "cost" }),
    metricBody("quality", {
      ...{ kind: "ratio", category: "quality", role: "guardrail", margin: 0.35 },
      judge: { rubric: "Is it right?" },
    }),
  ];
  const body = experimentBody("judged", { metrics });
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  await send();
  const calls = people().map(({ arm, eventId, index }) => ({
    eventId,
    arm,
    score: scoreOf(index),
    order: index,
  }));
  await judgeCalls(api, { experimentId: experiment.id, metric: "quality" }, calls);
});
afterAll(() => api.stop());

const people = () =>
  ARMS.flatMap((arm) =>
    Array.from({ length: USERS }, (_, index) => ({ arm, index, eventId: `${arm}-${index}` })),
  );
/** Four of five answers pass; people find every tenth judgement wrong. */
const scoreOf = (index: number) => (index % 5 === 0 ? 0 : 1);
const labelOf = (index: number) => (index % 10 === 3 ? 1 - scoreOf(index) : scoreOf(index));

/** Three days ago everybody was exposed and made a call; treatment's cost half as much. */
async function send(): Promise<void> {
  const key = await api.newKey("secret");
  const at = startOfDay(addDays(yesterday, -2));
  const events = people().flatMap(({ arm, index, eventId }) => {
    const of = { experiment_id: experiment.id, user_id: `user-of-${eventId}`, variant: arm };
    const timestamp = toInstant(at + 60_000 * index);
    const cost = (arm === "control" ? 0.02 : 0.01) + (index % 7) / 1000;
    return [
      { ...of, event_id: `${eventId}-exposure`, type: "exposure", timestamp },
      { ...of, event_id: `${eventId}-call`, type: "model_call", timestamp, cost_usd: cost },
    ];
  });
  for (let start = 0; start < events.length; start += 1_000) {
    const body = { events: events.slice(start, start + 1_000) };
    const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body });
    expect(sent.body.accepted).toBe(body.events.length);
  }
}

const path = (end: string) => `/v1/experiments/${experiment.id}/${end}`;
const night = async () => {
  await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: yesterday } });
  return (await api.call<WireResults>("GET", path(`results?day=${yesterday}`))).body;
};

test("what a judge and people say of the calls becomes a corrected row and a verdict", async () => {
  const before = await night();
  const opinion = before.results["quality::treatment"]!;
  expect(opinion).toMatchObject({
    n_per_arm: { control: USERS, treatment: USERS },
    control_value: expect.closeTo(0.8, 9),
    judge: { calibrated: false, labels_per_arm: { control: 0, treatment: 0 }, probability_low: 0.5 },
    non_inferiority: { margin: 0.35, is_not_worse: true },
    distribution: { control: { bin_edges: [-0.5, 0.5, 1.5], counts: [160, 640] } },
  });
  expect(before.health.map(({ code }) => code)).toEqual(["judge-opinion"]);
  expect(before.tradeoffs).toMatchObject([
    {
      treatment: "treatment",
      saving: { metric: "cost", usd_per_1000_users: expect.closeTo(10, 9) },
      not_worse: [{ metric: "quality", is_judge_opinion: true }],
    },
  ]);

  for (const { index, eventId } of people().filter(({ index }) => index < LABELS)) {
    const body = { metric: "quality", event_id: eventId, score: labelOf(index) };
    expect((await api.call("POST", path("labels"), { body })).status).toBe(201);
  }
  const manual = await api.call<WireResults>("POST", path("analyze"));
  expect(manual.status).toBeLessThan(300);
  const after = (await api.call<WireResults>("GET", path("results"))).body;
  expect(after.computed_for).toMatch(/^manual-/);
  const { judge, ...row } = after.results["quality::treatment"]!;
  expect(row).toMatchObject({ test: "ppi_z", verdict: "inconclusive" });
  expect(judge).toMatchObject({
    calibrated: true,
    labels_per_arm: { control: LABELS, treatment: LABELS },
    uncalibrated: { test: opinion.test, effect: opinion.effect, ci_low: opinion.ci_low },
  });
  expect(after.tradeoffs).toMatchObject([{ not_worse: [{ metric: "quality", is_judge_opinion: false }] }]);
  expect(after.health).toEqual([]);
});

test("the health view judges the judge by the same labels, and the overview shows the verdict", async () => {
  const { checks } = (
    await api.call<{ checks: readonly { code: string; severity: string; detail: string }[] }>(
      "GET",
      path("health"),
    )
  ).body;
  const ofJudge = checks.filter(({ code }) => code.startsWith("judge-"));
  expect(ofJudge.map(({ code, severity }) => [code, severity])).toEqual([
    ["judge-backlog", "ok"],
    ["judge-failures", "ok"],
    ["judge-agreement", "ok"],
    ["judge-bias", "ok"],
    // All answers are as long.
    ["judge-length", "no-data"],
  ]);
  expect(ofJudge[2]?.detail).toContain("in 12 of 120 labeled calls (10%)");
  const overview = await api.call("GET", path("overview"));
  expect(overview.body).toMatchObject({
    failing_guardrails: [],
    tradeoffs: [{ treatment: "treatment", verdict: "cheaper-and-not-worse" }],
  });
});
