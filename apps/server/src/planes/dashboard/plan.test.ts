import { DAY_MS, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WireNeeded {
  readonly users: Readonly<Record<string, number>>;
  readonly users_total: number;
  readonly days: number | null;
}
interface WireMde {
  readonly days: number;
  readonly users: Readonly<Record<string, number>>;
  readonly absolute: number;
  readonly relative: number | null;
}
interface WirePlan {
  readonly version: number;
  readonly alpha_corrected: number;
  readonly users_per_day: { readonly value: number; readonly source: string } | null;
  readonly shares: Readonly<Record<string, number>>;
  readonly rows: readonly {
    readonly metric: string;
    readonly treatment: string;
    readonly baseline: { readonly value: number; readonly sd: number; readonly source: string } | null;
    readonly needed: WireNeeded | null;
    readonly needed_corrected: WireNeeded | null;
    readonly mde: WireMde | null;
    readonly mde_corrected: WireMde | null;
    readonly notes: readonly string[];
  }[];
  readonly notes: readonly string[];
}

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

let count = 0;
async function newExperiment(change: Readonly<Record<string, unknown>>): Promise<WireExperiment> {
  const body = experimentBody(`planned-${++count}`, { status: "draft", ...change });
  const answer = await api.call<WireExperiment>("POST", "/v1/experiments", { body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const plan = (experiment: WireExperiment, body?: unknown) =>
  api.call<WirePlan & WireProblem>("POST", `/v1/experiments/${experiment.id}/plan`, { body });

const bought = metricBody("bought", { kind: "binary", target_effect: 0.2 });
const spent = metricBody("spent", { window_days: 7 });

// Expected users: (z + z)² (s²C + s²T / k) / δ² by Python 3's statistics.NormalDist, rounded up per arm.
describe("from a baseline in the request", () => {
  test("a draft gets users, days and the detectable effect of every comparison", async () => {
    const experiment = await newExperiment({ metrics: [bought, spent] });
    const { status, body } = await plan(experiment, {
      baselines: { bought: { value: 0.1 }, spent: { value: 10, sd: 4 } },
      users_per_day: 500,
      days: 28,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      experiment_id: experiment.id,
      version: 1,
      alpha: 0.05,
      alpha_corrected: 0.025,
      power: 0.8,
      users_per_day: { value: 500, source: "request" },
      shares: { control: 0.5, treatment: 0.5 },
      notes: [],
    });
    const [share, mean] = body.rows;
    expect(share).toMatchObject({
      metric: "bought",
      treatment: "treatment",
      baseline: { value: 0.1, sd: expect.closeTo(0.3, 12), source: "request" },
      target_effect: { relative: 0.2, absolute: expect.closeTo(0.02, 12) },
      needed: { users: { control: 3839, treatment: 3839 }, users_total: 7678, days: 16 },
      needed_corrected: { users: { control: 4648, treatment: 4648 }, users_total: 9296, days: 19 },
      mde: { days: 28, users: { control: 7000, treatment: 7000 } },
      notes: [],
    });
    expect(mean).toMatchObject({
      needed: { users: { control: 1005, treatment: 1005 }, users_total: 2010, days: 12 },
      mde: { days: 28, users: { control: 5250, treatment: 5250 }, absolute: expect.closeTo(0.2187, 4) },
    });
    expect(mean?.notes).toHaveLength(1);
  });

  test("the arms' real shares, the level, the power and the target are taken from where they stand", async () => {
    const allocation = [
      { variant: "control", weight: 90 },
      { variant: "treatment", weight: 10 },
    ];
    const experiment = await newExperiment({ metrics: [bought], allocation });
    const baselines = { bought: { value: 0.1 } };
    const usual = await plan(experiment, { baselines, users_per_day: 1000 });
    expect(usual.body.rows[0]?.needed).toEqual({
      users: { control: 20_415, treatment: 2269 },
      users_total: 22_690,
      days: 23,
    });
    const asked = { alpha: 0.01, power: 0.9, target_effect: 0.4, metrics: ["bought"] };
    const strict = await plan(experiment, { baselines, users_per_day: 1000, ...asked });
    expect(strict.body.rows[0]?.needed?.users).toEqual({ control: 10_915, treatment: 1213 });
  });

  test("a running and a stopped experiment are answered alike", async () => {
    const experiment = await newExperiment({ metrics: [bought], status: "running" });
    const body = { baselines: { bought: { value: 0.1 } }, users_per_day: 500 };
    const running = await plan(experiment, body);
    await api.call("PUT", `/v1/experiments/${experiment.id}`, { body: { status: "stopped" } });
    const stopped = await plan(experiment, body);
    expect(stopped.body).toEqual({ ...running.body, version: 2 });
  });
});

describe("without any data", () => {
  test("says what to send, metric by metric", async () => {
    const quantile = metricBody("p95", { kind: "quantile", category: "latency" });
    const score = metricBody("score", { category: "quality" });
    const experiment = await newExperiment({ metrics: [bought, spent, quantile, score] });
    const token = await api.token({ email: "new@x.org", org: "new" });
    const body = experimentBody("theirs", { metrics: [bought, spent, quantile, score] });
    const theirs = await api.call<WireExperiment>("POST", "/v1/experiments", { body, token });
    const answer = await api.call<WirePlan>("POST", `/v1/experiments/${theirs.body.id}/plan`, { token });
    expect(answer.status).toBe(200);
    expect(answer.body.users_per_day).toBeNull();
    expect(answer.body.notes.join()).toContain("send users_per_day");
    for (const row of answer.body.rows) {
      expect(row).toMatchObject({ baseline: null, needed: null, mde: null });
      expect(row.notes).toEqual([expect.stringContaining("Send baselines")]);
    }
    expect((await plan(experiment)).body.rows).toHaveLength(4);
  });

  test("an experiment that nobody enters has nothing to plan", async () => {
    const { status, body } = await plan(await newExperiment({ coverage: 0, assignment: "assay" }), {});
    expect([status, body.rows, body.shares]).toEqual([200, [], {}]);
    expect(body.notes[0]).toContain("nothing to compare");
  });
});

describe("from history", () => {
  const USERS = 60;
  const HISTORY_DAYS = 8;

  test("takes rate, spread and users per day from what the org's users did", async () => {
    const now = Date.now();
    const experiment = await newExperiment({
      metrics: [bought, metricBody("latency", { kind: "ratio", category: "latency" })],
      coverage: 0.5,
      status: "running",
    });
    const key = await api.newKey("publishable");
    // On each of the last eight full days sixty new users: a quarter buys, everybody calls once or three times.
    const events = Array.from({ length: USERS * HISTORY_DAYS }, (_, index) => {
      const day = 1 + (index % HISTORY_DAYS);
      const at = Math.floor(now / DAY_MS) * DAY_MS - day * DAY_MS + 3_600_000;
      const common = { experiment_id: experiment.id, user_id: `u${index}`, timestamp: toInstant(at) };
      const isEven = Math.floor(index / HISTORY_DAYS) % 2 === 0;
      const call = { ...common, type: "model_call", variant: "control", latency_ms: isEven ? 100 : 200 };
      const calls = Array.from({ length: isEven ? 1 : 3 }, (_, n) => ({
        ...call,
        event_id: `c${index}-${n}`,
      }));
      const exposure = { ...common, type: "exposure", variant: "control", event_id: `e${index}` };
      const buys = Math.floor(index / HISTORY_DAYS) % 4 === 0;
      const purchase = {
        ...common,
        type: "business_event",
        business_metric: "bought",
        event_id: `b${index}`,
      };
      return [exposure, ...calls, ...(buys ? [purchase] : [])];
    }).flat();
    for (let start = 0; start < events.length; start += 1000) {
      const body = { events: events.slice(start, start + 1000) };
      const sent = await api.call<{ rejected: unknown[] }>("POST", "/v1/events", { key, body });
      expect([sent.status, sent.body.rejected]).toEqual([202, []]);
    }
    const answer = await vi.waitFor(
      async () => {
        const { body } = await plan(experiment);
        expect(body.rows[1]?.baseline?.value).toBe(175);
        return body;
      },
      { timeout: 80_000, interval: 100 },
    );
    const n = USERS * HISTORY_DAYS;
    expect(answer.users_per_day).toEqual({ value: USERS * 0.5, source: "history" });
    expect(answer.notes.join()).toContain("all users of the organization");
    expect(answer.rows[0]?.baseline).toEqual({
      value: 0.25,
      sd: expect.closeTo(Math.sqrt(0.1875), 12),
      source: "history",
    });
    // R = 175; users differ from R d by −75 and +75 (100 − 175, 600 − 525), over a mean of two calls.
    expect(answer.rows[1]?.baseline?.sd).toBeCloseTo((75 * Math.sqrt(n / (n - 1))) / 2, 9);
    expect(answer.rows[0]?.needed?.days).toBe(Math.ceil((answer.rows[0]?.needed?.users_total ?? 0) / 30));

    const windowed = await newExperiment({ metrics: [{ ...bought, window_days: 3 }] });
    const lately = await plan(windowed, {});
    expect(lately.body.rows[0]?.baseline?.value).toBeCloseTo(0.25, 12);

    const token = await api.token({ email: "stranger@x.org", org: "stranger" });
    const body = experimentBody("strange", { metrics: [bought] });
    const strange = await api.call<WireExperiment>("POST", "/v1/experiments", { body, token });
    const theirs = await api.call<WirePlan>("POST", `/v1/experiments/${strange.body.id}/plan`, { token });
    expect([theirs.body.rows[0]?.baseline, theirs.body.users_per_day]).toEqual([null, null]);
  });
});

describe("smaller units", () => {
  interface WireUnits {
    readonly rows: readonly {
      readonly metric: string;
      readonly baseline: { readonly value: number } | null;
      readonly needed: WireNeeded | null;
      readonly smaller_units: readonly {
        readonly unit: string;
        readonly units_per_user: number;
        readonly correlation: number;
        readonly gain: number;
        readonly days: number | null;
      }[];
    }[];
    readonly users_per_day: { readonly value: number; readonly source: string } | null;
  }

  test("gain what the org's own conversations and runs show", async () => {
    const token = await api.token({ email: "units@x.org", org: "units" });
    const latency = metricBody("latency", { kind: "ratio", category: "latency" });
    const create = async (name: string, change: Readonly<Record<string, unknown>>) => {
      const body = experimentBody(name, { metrics: [latency, bought], ...change });
      return (await api.call<WireExperiment>("POST", "/v1/experiments", { body, token })).body;
    };
    const experiment = await create("chat", { status: "running" });
    const onConversations = await create("by-conversation", { status: "draft", unit: "conversation" });
    const keys = await api.call<{ key: string }>("POST", "/v1/keys", {
      body: { scope: "publishable" },
      token,
    });
    const { key } = keys.body;
    // Forty users have two conversations of one call each, every one of which is a run. Conversations of a user are alike.
    const at = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS + 3_600_000;
    const events = Array.from({ length: 80 }, (_, i) => ({
      ...{ type: "model_call", event_id: `m${i}`, experiment_id: experiment.id, user_id: `u${i >> 1}` },
      ...{ timestamp: toInstant(at), latency_ms: 100 * (1 + (i >> 1)), run_id: `r${i}` },
      metadata: { conversation_id: `c${i % 2}` },
    }));
    await api.call("POST", "/v1/events", { key, body: { events } });
    const planOf = (id: string, body: unknown = { users_per_day: 10 }) =>
      api.call<WireUnits>("POST", `/v1/experiments/${id}/plan`, { token, body });
    const row = await vi.waitFor(
      async () => {
        const [found] = (await planOf(experiment.id)).body.rows;
        expect(found?.baseline?.value).toBe(2050);
        // Each kind of unit is read by itself, and may show the events a moment later.
        expect(found?.smaller_units).toHaveLength(2);
        return found!;
      },
      { timeout: 80_000, interval: 100 },
    );
    const alike = { units_per_user: 2, correlation: 1, gain: 2 };
    const days = Math.ceil(row.needed!.users_total / 2 / 10);
    expect(row.smaller_units).toEqual([
      { unit: "conversation", ...alike, days },
      { unit: "run", ...alike, days },
    ]);
    const sent = await planOf(experiment.id, { baselines: { bought: { value: 0.1 } }, metrics: ["bought"] });
    expect(sent.body.rows.map(({ smaller_units }) => smaller_units)).toEqual([[]]);

    // Its units are conversations, and so are its baseline and what comes a day.
    const { body } = await planOf(onConversations.id, {});
    expect(body.users_per_day).toEqual({ value: 80, source: "history" });
    expect(body.rows[0]).toMatchObject({ baseline: { value: 2050 }, smaller_units: [] });
  });
});

describe("refuses", () => {
  test.each<{ name: string; body: unknown; pointers: readonly string[] }>([
    { name: "an unknown metric", body: { metrics: ["bought", "x"] }, pointers: ["/metrics/1"] },
    { name: "a metric twice", body: { metrics: ["bought", "bought"] }, pointers: ["/metrics"] },
    {
      name: "a baseline of an unknown metric",
      body: { baselines: { constructor: { value: 1 } } },
      pointers: ["/baselines"],
    },
    {
      name: "a mean without its spread",
      body: { baselines: { spent: { value: 1 } } },
      pointers: ["/baselines/spent/sd"],
    },
    {
      name: "a share above 1 and with a spread",
      body: { baselines: { bought: { value: 10, sd: 1 } } },
      pointers: ["/baselines/bought/value", "/baselines/bought/sd"],
    },
    {
      name: "a negative share",
      body: { baselines: { bought: { value: -0.1 } } },
      pointers: ["/baselines/bought/value"],
    },
    {
      name: "a negative spread",
      body: { baselines: { spent: { value: 1, sd: -1 } } },
      pointers: ["/baselines/spent/sd"],
    },
    { name: "negative users", body: { users_per_day: -1 }, pointers: ["/users_per_day"] },
    { name: "no days", body: { days: 0 }, pointers: ["/days"] },
    { name: "a target of nothing", body: { target_effect: 0 }, pointers: ["/target_effect"] },
    { name: "a power in percent", body: { power: 80 }, pointers: ["/power"] },
    { name: "a level of nothing", body: { alpha: 0 }, pointers: ["/alpha"] },
    { name: "a misspelt field", body: { user_per_day: 5 }, pointers: ["/user_per_day"] },
  ])("$name, with a pointer to it", async ({ body, pointers }) => {
    const answer = await plan(await newExperiment({ metrics: [bought, spent] }), body);
    expect([answer.status, slugOf(answer.body)]).toEqual([400, "invalid-body"]);
    expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe("a plan of an experiment that is not stored", () => {
  const planConfig = (experiment: unknown, more?: unknown) =>
    api.call<WirePlan & WireProblem>("POST", "/v1/plan", { body: { experiment, plan: more } });
  const request = {
    users_per_day: 100,
    baselines: { bought: { value: 0.1 }, spent: { value: 100, sd: 50 } },
  };

  test("is the same as once it is stored, and nothing is stored", async () => {
    const config = experimentBody(`unstored-${++count}`, { metrics: [bought, spent], coverage: 0.5 });
    const answer = await planConfig(config, request);
    expect(answer.status).toBe(200);
    const listed = await api.call<readonly WireExperiment[]>("GET", "/v1/experiments");
    expect(listed.body.map(({ name }) => name)).not.toContain(config.name);
    const experiment = await api.call<WireExperiment>("POST", "/v1/experiments", { body: config });
    const {
      experiment_id: id,
      version,
      ...stored
    } = (await plan(experiment.body, request)).body as unknown as Record<string, unknown>;
    expect([id, version]).toEqual([experiment.body.id, 1]);
    expect(answer.body).toEqual(stored);
    expect(answer.body.rows.map(({ needed }) => needed?.days)).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
  });

  test("needs no plan in its request", async () => {
    const { status, body } = await planConfig(experimentBody("bare", { metrics: [bought] }));
    expect([status, body.rows.map(({ metric }) => metric)]).toEqual([200, ["bought"]]);
  });

  test.each<{ what: string; experiment: unknown; more?: unknown; pointers: readonly string[] }>([
    { what: "no experiment", experiment: undefined, pointers: ["/experiment"] },
    {
      what: "a field that the schema refuses",
      experiment: experimentBody("x", { bucket_count: 0 }),
      pointers: ["/experiment/bucket_count"],
    },
    {
      what: "a rule that no schema says",
      experiment: experimentBody("x", {
        metrics: [metricBody("m", { kind: "binary", cap: 5 })],
        control: "c",
      }),
      pointers: ["/experiment/control", "/experiment/metrics/0/cap"],
    },
    {
      what: "a metric that it does not have",
      experiment: experimentBody("x", { metrics: [bought] }),
      more: { metrics: ["other"], baselines: { bought: { value: 2 } } },
      pointers: ["/plan/metrics/0", "/plan/baselines/bought/value"],
    },
    {
      what: "a field of the plan that the schema refuses",
      experiment: experimentBody("x"),
      more: { power: 2 },
      pointers: ["/plan/power"],
    },
  ])("with $what is refused at $pointers", async ({ experiment, more, pointers }) => {
    const { status, body } = await planConfig(experiment, more);
    expect([status, slugOf(body)]).toEqual([400, "invalid-body"]);
    expect(body.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});
