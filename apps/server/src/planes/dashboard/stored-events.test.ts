import { DAY_MS, dayOf, endOfDay, toInstant, VALUE_FIELDS } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { judgeCalls } from "../../test-support/judge-calls.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Summary {
  readonly event_id: string;
  readonly [field: string]: unknown;
}
interface Page {
  readonly items: readonly Summary[];
  readonly next_cursor: string | null;
}

const CLIENT = "assay-python/1.2.3";
const now = Date.now();
let api: TestService;
let experiment: WireExperiment;
let stranger: string;

beforeAll(async () => {
  api = await openTestService();
  experiment = await makeExperiment(api, "watched");
  stranger = await api.token({ email: "stranger@elsewhere.org", org: "strangers" });
  await store(api, experiment, EVENTS);
  for (const [metric, score] of [
    ["tone", 1],
    ["brevity", "refused"],
  ] as const)
    await judgeCalls(api, { experimentId: experiment.id, metric }, [
      { eventId: LONG_ID, arm: "treatment", score, isRepeated: true },
    ]);
});
afterAll(() => api.stop());

async function makeExperiment(service: TestService, name: string): Promise<WireExperiment> {
  const scales = { tone: "pass_fail", brevity: "1-5" };
  const metrics = Object.entries(scales).map(([metric, scale]) =>
    metricBody(metric, { kind: "ratio", category: "quality", judge: { rubric: "Is it good?", scale } }),
  );
  const body = experimentBody(name, { metrics });
  return (await service.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

/** Sends events and waits until they are stored. */
async function store(service: TestService, { id }: WireExperiment, events: readonly object[]): Promise<void> {
  const key = await service.newKey("secret");
  for (let start = 0; start < events.length; start += 1_000) {
    const body = events.slice(start, start + 1_000).map((event) => ({ experiment_id: id, ...event }));
    const headers = { "user-agent": CLIENT };
    const ack = await service.call<{ accepted: number }>("POST", "/v1/events", { key, body, headers });
    expect(ack.body.accepted).toBe(body.length);
  }
  const last = encodeURIComponent((events.at(-1) as { event_id: string }).event_id);
  await vi.waitFor(
    async () => expect((await service.call("GET", `/v1/experiments/${id}/events/${last}`)).status).toBe(200),
    20_000,
  );
}

const at = (seconds: number) => toInstant(now + seconds * 1_000);
const LONG_TEXT = `Tell ADA: ${"語🙂".repeat(200)}`;
/** The longest id there may be, and the hardest to put into an address. */
const LONG_ID = `a/b?c#d%2F&${"🙂".repeat(117)}`;

const CALL = {
  event_id: LONG_ID,
  type: "model_call",
  user_id: "u1",
  variant: "treatment",
  timestamp: at(-50),
  latency_ms: 812.5,
  time_to_first_token_ms: 90,
  model: "gpt-4o-2024-11-20",
  requested_model: "gpt-4o",
  provider: "openai",
  input_tokens: 1_000,
  cached_input_tokens: 400,
  output_tokens: 500,
  reasoning_tokens: 0,
  finish_reason: "stop",
  prompt: LONG_TEXT,
  response: "Hello Bob",
  metadata: { tags: ["a"], nested: { deep: null } },
};
const failed = { type: "model_call", user_id: "u2", variant: "control", error: true, error_type: "timeout" };
const bought = { type: "business_event", business_metric: "bought", variant: "treatment" };

const TRIED = {
  ...{ event_id: "tried", type: "exposure", user_id: "u9", variant: "control" },
  metadata: { assay_test: true },
};

const EVENTS = [
  { event_id: "exposed", type: "exposure", user_id: "u1", variant: "treatment", timestamp: at(-60) },
  CALL,
  { event_id: "failed", ...failed, timestamp: at(-40), latency_ms: 30_000, cost_usd: 0.25, model: "x" },
  { event_id: "bought", ...bought, user_id: "u1", value: 3, timestamp: at(-30) },
  { event_id: "bought-again", ...bought, variant: undefined, user_id: "u1", timestamp: at(-20) },
  { ...TRIED, timestamp: at(-10) },
];

const path = (rest = "") => `/v1/experiments/${experiment.id}/events${rest}`;
const list = (query = "") => api.call<Page & WireProblem>("GET", path(query));
const idsOf = async (query: string) => (await list(query)).body.items.map(({ event_id: id }) => id);

// 600 fresh input tokens, 400 cached, 500 output.
const COST = (600 * 2.5 + 400 * 1.25 + 500 * 10) / 1e6;
/** What lists show of an event besides its variant and outcome, when it has none of it. */
const NO_CALL = Object.fromEntries(
  VALUE_FIELDS.filter(({ kind, of, name }) => {
    const isLong = kind === "text" || kind === "object";
    return !isLong && of !== "business_event" && name !== "variant";
  }).map(({ name }) => [name, null]),
);
const SENT_BY = { source: "secret", key_prefix: expect.stringMatching(/^svc_sk_.{5}$/), client: CLIENT };
const SUMMARY_OF_CALL = {
  ...NO_CALL,
  ...SENT_BY,
  ...{
    event_id: LONG_ID,
    type: "model_call",
    user_id: "u1",
    variant: "treatment",
    arm: "treatment",
    is_test: false,
  },
  ...{ occurred_at: at(-50), received_at: expect.any(String) },
  ...{ model: "gpt-4o-2024-11-20", requested_model: "gpt-4o", provider: "openai" },
  ...{ latency_ms: 812.5, time_to_first_token_ms: 90, input_tokens: 1_000, cached_input_tokens: 400 },
  ...{ output_tokens: 500, reasoning_tokens: 0, cost_usd: expect.closeTo(COST, 12) },
  ...{
    finish_reason: "stop",
    usage_estimated: false,
    error: false,
    error_type: null,
    business_metric: null,
    value: null,
  },
};

const SCORES = [
  { metric: "brevity", metric_version: 1, scale: "1-5", state: "failed", score: null, label: null },
  { metric: "tone", metric_version: 1, scale: "pass_fail", state: "scored", score: 1, label: null },
];
const JUDGEMENT = { event_id: LONG_ID, metric_version: 1, variant: "treatment", is_repeat: false };

describe("a list of raw events", () => {
  test("shows what was sent, the newest first, with beginnings of the texts", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.items.map(({ event_id: id }) => id)).toEqual(EVENTS.map(({ event_id: id }) => id).reverse());
    expect(body.items[4]).toEqual({
      ...SUMMARY_OF_CALL,
      prompt_preview: [...LONG_TEXT].slice(0, 200).join(""),
      response_preview: "Hello Bob",
      ...{ tool_arguments_preview: null, tool_result_preview: null },
      scores: SCORES,
    });
    const noTexts = {
      ...{ prompt_preview: null, response_preview: null },
      ...{ tool_arguments_preview: null, tool_result_preview: null },
    };
    expect(body.items[0]).toEqual({
      ...{ ...NO_CALL, ...SENT_BY, ...noTexts, scores: [] },
      ...{
        event_id: "tried",
        type: "exposure",
        user_id: "u9",
        variant: "control",
        arm: "control",
        is_test: true,
      },
      ...{ marked_test: true, assigned_variant: expect.any(String) },
      ...{ occurred_at: at(-10), received_at: expect.any(String), business_metric: null, value: null },
    });
    expect(body.items[1]).toMatchObject({
      business_metric: "bought",
      value: 1,
      ...{ variant: null, arm: "treatment" },
      ...NO_CALL,
      ...SENT_BY,
      ...noTexts,
    });
    const received = Date.parse(String(body.items[0]?.received_at));
    expect(received).toBeGreaterThanOrEqual(now);
    expect(received).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    ["?type=exposure", ["tried", "exposed"]],
    ["?type=model_call&error=true", ["failed"]],
    ["?error=false", [LONG_ID]],
    ["?thread=nobody's", []],
    ["?variant=treatment&user_id=u1&type=business_event", ["bought-again", "bought"]],
    ["?model=x", ["failed"]],
    ["?source=secret&limit=2", ["tried", "bought-again"]],
    ["?source=publishable", []],
    [`?client=${encodeURIComponent(CLIENT)}&type=model_call`, ["failed", LONG_ID]],
    ["?client=assay-python/1.2", []],
    ["?key_prefix=svc_pk_12345", []],
    ["?text=ada", [LONG_ID]],
    ["?text=hello%20bob", [LONG_ID]],
    ["?text=nobody", []],
    ["?sort=occurred_at&direction=asc&limit=2", ["exposed", LONG_ID]],
    ["?sort=latency_ms", ["failed", LONG_ID]],
    ["?sort=latency_ms&direction=asc", [LONG_ID, "failed"]],
    ["?sort=time_to_first_token_ms", [LONG_ID]],
    ["?sort=input_tokens", [LONG_ID]],
    ["?sort=output_tokens", [LONG_ID]],
    ["?sort=cost_usd&direction=asc", [LONG_ID, "failed"]],
  ])("%s", async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  test.each([
    "?sort=error",
    "?sort=user_id",
    "?direction=up",
    "?error=yes",
    "?type=judge",
    "?source=elsewhere",
    "?key_prefix=",
    "?limit=201",
    "?text=",
    "?user=u1",
    "?cursor=nonsense",
  ])("refuses %s", async (query) => {
    const { status, body } = await list(query);
    expect([status, slugOf(body)]).toEqual([400, "invalid-query"]);
  });

  test("is read on with its cursor, even past the longest id, and in no other order", async () => {
    const { body } = await list("?limit=2&direction=asc");
    const after = `&cursor=${body.next_cursor}`;
    expect(await idsOf(`?limit=9&direction=asc${after}`)).toEqual([
      "failed",
      "bought",
      "bought-again",
      "tried",
    ]);
    for (const order of ["?limit=2", "?direction=asc&sort=latency_ms"]) {
      const refused = await list(order + after);
      expect([refused.status, slugOf(refused.body)]).toEqual([400, "invalid-query"]);
    }
  });

  test("of 3,000 calls has each once, page by page", async () => {
    const busy = await makeExperiment(api, "busy");
    const calls = Array.from({ length: 3_000 }, (_, i) => ({
      ...{ event_id: `call-${i}`, type: "model_call", user_id: `u${i % 700}`, latency_ms: i % 40 },
      ...{ timestamp: at(-i), prompt: `prompt ${i}`, response: "fine ".repeat(100) },
    }));
    await store(api, busy, calls);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = `?limit=200&sort=latency_ms${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const { body }: { body: Page } = await api.call<Page>(
        "GET",
        `/v1/experiments/${busy.id}/events${query}`,
      );
      seen.push(...body.items.map(({ event_id: id }) => id));
      cursor = body.next_cursor;
    }
    expect(seen.length).toBe(3_000);
    expect(new Set(seen).size).toBe(3_000);
    expect(await idsOf("?limit=200")).toHaveLength(EVENTS.length);
  });
});

describe("a raw event", () => {
  const get = (id: string) => api.call<WireProblem & Summary>("GET", path(`/${encodeURIComponent(id)}`));

  test("comes with its texts and the user's outcomes, newest first", async () => {
    const { status, body } = await get(LONG_ID);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...SUMMARY_OF_CALL,
      ...{ tool_arguments: null, tool_result: null },
      ...{ prompt: LONG_TEXT, response: "Hello Bob", metadata: CALL.metadata, raw_expires_at: null },
      judgements: [
        { ...JUDGEMENT, metric: "brevity", state: "failed", score: null, cause: "refused" },
        { ...JUDGEMENT, metric: "tone", state: "scored", score: 1, reason: "It deserves 1." },
      ].map((judgement) => expect.objectContaining(judgement)),
      outcomes: [
        { business_metric: "bought", value: 1, occurred_at: at(-20) },
        { business_metric: "bought", value: 3, occurred_at: at(-30) },
      ],
    });
    expect((await get("failed")).body).toMatchObject({
      ...{
        cost_usd: 0.25,
        error: true,
        error_type: "timeout",
        prompt: null,
        metadata: null,
        outcomes: [],
        judgements: [],
      },
    });
  });

  test.each(["nobody", "EXPOSED", "' OR 1", "%00"])("that nobody sent is not found: %s", async (id) => {
    const { status, body } = await get(id);
    expect([status, slugOf(body)]).toEqual([404, "event-not-found"]);
  });

  test("of another org's experiment, or of another experiment, is not there", async () => {
    for (const rest of ["", "/exposed"]) {
      const { status, body } = await api.call<WireProblem>("GET", path(rest), { token: stranger });
      expect([status, slugOf(body)]).toEqual([404, "experiment-not-found"]);
    }
    const { id } = await makeExperiment(api, "silent");
    const elsewhere = await api.call<WireProblem>("GET", `/v1/experiments/${id}/events/exposed`);
    expect([elsewhere.status, slugOf(elsewhere.body)]).toEqual([404, "event-not-found"]);
    expect((await api.call<Page>("GET", `/v1/experiments/${id}/events`)).body.items).toEqual([]);
  });
});

test("a raw event says when it expires where plans are enforced, and is gone then", async () => {
  let time = now - 10 * DAY_MS;
  const enforced = await openTestService({ enforcePlanLimits: true }, { now: () => time });
  const forgotten = await makeExperiment(enforced, "forgotten");
  await store(enforced, forgotten, [{ ...CALL, timestamp: toInstant(time) }]);
  const all = `/v1/experiments/${forgotten.id}/events`;
  const one = `${all}/${encodeURIComponent(LONG_ID)}`;
  const expiresAt = endOfDay(dayOf(time)) + 7 * DAY_MS;
  const { body } = await enforced.call<Summary>("GET", one);
  expect(body.raw_expires_at).toBe(toInstant(expiresAt));

  time = expiresAt - 1;
  await enforced.restart();
  expect((await enforced.call("GET", one)).status).toBe(200);
  time = expiresAt;
  // The sweep runs with the start.
  await enforced.restart();
  await vi.waitFor(async () => expect((await enforced.call("GET", one)).status).toBe(404), 20_000);
  expect((await enforced.call<Page>("GET", all)).body).toEqual({ items: [], next_cursor: null });
  await enforced.stop();
});
