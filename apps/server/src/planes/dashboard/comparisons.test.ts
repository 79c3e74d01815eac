import { toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  metricBody,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { judgeCalls } from "../../test-support/judge-calls.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Answer {
  readonly event_id: string;
  readonly variant: string;
  readonly scores: readonly object[];
  readonly [field: string]: unknown;
}
interface Comparisons {
  readonly items: readonly {
    readonly question: string;
    readonly asked: number;
    readonly difference: number | null;
    readonly answers: readonly Answer[];
  }[];
  readonly total: number;
  readonly calls: number;
  readonly picks: object;
}

const PROMPTS = { control: "You answer at length, with care.", treatment: "You answer in a few words." };
let api: TestService;
let experiment: WireExperiment;
let stranger: string;

const call = (event_id: string, variant: keyof typeof PROMPTS, question: string, more: object = {}) => ({
  ...{
    event_id,
    variant,
    type: "model_call",
    user_id: `user-${event_id}`,
    timestamp: toInstant(Date.now() - 60_000),
  },
  prompt: JSON.stringify([
    { role: "system", content: PROMPTS[variant] },
    { role: "user", content: question },
  ]),
  response: "Open the settings.",
  ...more,
});
const EXPOSED = {
  ...{ event_id: "exposed", type: "exposure", user_id: "user-t1", variant: "treatment" },
  timestamp: toInstant(Date.now() - 120_000),
};
const EVENTS = [
  call("c1", "control", "How do I pay?", {
    model: "gpt-4o",
    input_tokens: 1_000,
    output_tokens: 500,
    latency_ms: 800,
  }),
  // Its sender does not know the variant: it is in the arm of the user's exposure.
  call("t1", "treatment", "how do I PAY", { response: "By card.", variant: undefined }),
  call("t,2%", "treatment", "Can I leave today?", { response: "Yes. ".repeat(1_000) }),
  call("c3", "control", "Can I leave today", { response: "Yes." }),
  call("c4", "control", "Where is my invoice now?", { error: true, response: undefined }),
  call("t4", "treatment", "Where is my invoice?"),
  call("c5", "control", "Nobody else asks about llamas"),
];

beforeAll(async () => {
  api = await openTestService();
  stranger = await api.token({ email: "stranger@elsewhere.org", org: "strangers" });
  const judged = { kind: "ratio", category: "quality", judge: { rubric: "Is it right?" } };
  const variants = Object.entries(PROMPTS).map(([key, prompt]) => ({ key, prompt }));
  const body = experimentBody("compared", { variants, metrics: [metricBody("right", judged)] });
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const key = await api.newKey("secret");
  const events = [EXPOSED, ...EVENTS].map((event) => ({ experiment_id: experiment.id, ...event }));
  await api.call("POST", "/v1/events", { key, body: events });
  await vi.waitFor(async () => expect((await list()).body.calls).toBe(EVENTS.length), 60_000);
  await judgeCalls(api, { experimentId: experiment.id, metric: "right" }, [
    { eventId: "c1", arm: "control", userId: "user-c1", score: 1 },
    { eventId: "t1", arm: "treatment", userId: "user-t1", score: 0 },
    { eventId: "c3", arm: "control", userId: "user-c3", score: 1 },
  ]);
});
afterAll(() => api.stop());

const list = (query = "", token?: string) =>
  api.call<Comparisons & WireProblem>("GET", `/v1/experiments/${experiment.id}/comparisons${query}`, {
    ...(token !== undefined && { token }),
  });
const idsOf = ({ items }: Comparisons) => items.map(({ answers }) => answers.map(({ event_id: id }) => id));
const pick = (body: object) =>
  api.call<WireProblem & { readonly picked_at: string }>("POST", `/v1/experiments/${experiment.id}/picks`, {
    body,
  });

describe("comparisons", () => {
  test("set answers to the same question side by side, and to the nearest one", async () => {
    const { body } = await list("?order=asked");
    expect(idsOf(body)).toEqual([
      ["c3", "t,2%"],
      ["c1", "t1"],
      ["c4", "t4"],
    ]);
    expect(body).toMatchObject({ total: 3, calls: EVENTS.length });
    const [leave, pay, invoice] = body.items;
    expect(pay).toMatchObject({ asked: 2, difference: 1 });
    expect(pay!.answers[0]).toMatchObject({
      ...{ variant: "control", question: null, likeness: 1, answer: "Open the settings.", is_cut: false },
      ...{ model: "gpt-4o", input_tokens: 1_000, output_tokens: 500, cost_usd: 0.0075, latency_ms: 800 },
      scores: [{ metric: "right", state: "scored", score: 1, label: null, reason: expect.any(String) }],
    });
    expect(leave!.answers[1]).toMatchObject({ is_cut: true });
    expect(String(leave!.answers[1]!.answer)).toHaveLength(4_000);
    expect(invoice).toMatchObject({ question: "Where is my invoice now?", asked: 1, difference: null });
    expect(invoice!.answers).toMatchObject([
      { answer: null, likeness: 1, question: null },
      { question: "Where is my invoice?", likeness: 0.8 },
    ]);
  });

  test.each([
    [
      "",
      [
        ["c1", "t1"],
        ["c3", "t,2%"],
        ["c4", "t4"],
      ],
    ],
    ["?order=longest&limit=1", [["c3", "t,2%"]]],
    ["?order=failed", [["c4", "t4"]]],
    ["?order=disagreement", []],
    ["?text=by%20CARD", [["c1", "t1"]]],
    ["?text=llamas", []],
    [`?calls=c5,${encodeURIComponent(encodeURIComponent("t,2%"))}`, [["c5", "t,2%"]]],
  ])("%s", async (query, ids) => {
    expect(idsOf((await list(query)).body)).toEqual(ids);
  });

  test("on which a judge and a person disagree are found", async () => {
    const path = `/v1/experiments/${experiment.id}/labels`;
    await api.call("POST", path, { body: { metric: "right", event_id: "c3", score: 0 } });
    const { body } = await list("?order=disagreement");
    expect(idsOf(body)).toEqual([["c3", "t,2%"]]);
    expect(body.items[0]!.answers[0]!.scores).toMatchObject([{ score: 1, label: 0 }]);
  });

  test("that cannot be read say why", async () => {
    expect((await list("?calls=gone")).body).toMatchObject({
      type: expect.stringMatching("event-not-found"),
    });
    expect((await list("?calls=%25E0%25")).body).toMatchObject({
      type: expect.stringMatching("invalid-query"),
    });
    expect((await list(`?calls=${"a,".repeat(30)}`)).body).toMatchObject({
      type: expect.stringMatching("invalid-query"),
    });
    expect((await list("?order=best")).status).toBe(400);
    expect((await list("", stranger)).status).toBe(404);
  });
});

describe("picks", () => {
  test("name the variants and are counted, with the judge's order of the same answers", async () => {
    expect((await list()).body.picks).toEqual({
      ...{ variants: {}, same: 0 },
      judges: [{ metric: "right", pairs: 0, agreed: 0, ties: 0 }],
    });
    const given = await pick({ event_ids: ["t1", "c1"], best: "t1" });
    expect(given).toMatchObject({
      status: 201,
      body: { variants: { c1: "control", t1: "treatment" }, best: "treatment" },
    });
    expect((await pick({ event_ids: ["c3", "t,2%"], best: null })).body).toMatchObject({ best: null });
    expect((await list()).body.picks).toEqual({
      variants: { control: { compared: 2, best: 0 }, treatment: { compared: 2, best: 1 } },
      same: 1,
      judges: [{ metric: "right", pairs: 1, agreed: 0, ties: 0 }],
    });
    // The same answers again, in another order: it replaces the first.
    await pick({ event_ids: ["c1", "t1"], best: "c1" });
    expect((await list()).body.picks).toMatchObject({
      variants: { control: { compared: 2, best: 1 }, treatment: { compared: 2, best: 0 } },
      judges: [{ pairs: 1, agreed: 1 }],
    });
  });

  test.each([
    [{ event_ids: ["c1", "t1"], best: "c3" }, "/best"],
    [{ event_ids: ["c1", "gone"], best: "c1" }, "/event_ids"],
    [{ event_ids: ["c1", "c3"], best: "c1" }, "/event_ids"],
    [{ event_ids: ["c1"], best: "c1" }, "/event_ids"],
    [{ event_ids: ["c1", "t1"] }, "/best"],
  ])("%j is refused", async (body, pointer) => {
    expect(await pick(body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  test("go with the user whose answer was picked", async () => {
    await api.call("DELETE", "/v1/users/user-t1");
    await vi.waitFor(
      async () => expect((await list()).body.picks).toMatchObject({ variants: { control: { compared: 1 } } }),
      120_000,
    );
  });
});
