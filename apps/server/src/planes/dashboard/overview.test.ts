import { addDays, DAY_MS, type Day, dayOf, endOfDay, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WireOverview {
  readonly id: string;
  readonly state: string;
  readonly needs_attention: boolean;
  readonly is_stale: boolean;
  readonly [field: string]: unknown;
}
interface WireHistory {
  readonly experiment_id: string;
  readonly runs: readonly {
    readonly computed_for: string;
    readonly srm: { readonly status: string };
    readonly results: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  }[];
}
interface WireRuns {
  readonly next_run_at: string | null;
  readonly runs: readonly { readonly day: string; readonly outcome: string }[];
}

const USERS = 450;
let ahead = 0;
const now = () => Date.now() + ahead;
const days = [-3, -2, -1].map((back) => addDays(dayOf(now()), back)) as [Day, Day, Day];
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService({}, { now });
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

const spent = metricBody("spent", { role: "primary", target_effect: 0.05 });
const create = async (name: string, change: Readonly<Record<string, unknown>> = {}) =>
  (
    await api.call<WireExperiment>("POST", "/v1/experiments", {
      body: experimentBody(name, { metrics: [spent], ...change }),
    })
  ).body;
const put = ({ id }: WireExperiment, body: unknown) => api.call("PUT", `/v1/experiments/${id}`, { body });
const get = async <T>({ id }: WireExperiment, what: string) =>
  (await api.call<T>("GET", `/v1/experiments/${id}/${what}`)).body;
const night = (day: Day) => api.call("POST", "/v1/admin/pipeline-runs", { body: { day } });

/** The entry of the list, which is the same as the experiment's own. */
async function overviewOf(experiment: WireExperiment): Promise<WireOverview> {
  const { items } = (await api.call<{ items: readonly WireOverview[] }>("GET", "/v1/overview")).body;
  const listed = items.find(({ id }) => id === experiment.id);
  expect(await get(experiment, "overview")).toEqual(listed);
  return listed!;
}

/** Users of a day; treatment spends more by `lift`, and gets `share` of them. */
async function sendDay(
  { id }: WireExperiment,
  day: Day,
  { lift = 0, share = 0.5, users = USERS } = {},
): Promise<void> {
  const events = Array.from({ length: users }, (_, user) => {
    const isTreated = user % 10 < 10 * share;
    const common = {
      experiment_id: id,
      user_id: `${day}-${user}`,
      variant: isTreated ? "treatment" : "control",
      timestamp: toInstant(startOfDay(day) + 60_000 * user),
    };
    const value = 100 + ((user * 7919) % 50) + (isTreated ? lift : 0);
    return [
      { ...common, event_id: `${id}-${day}-${user}-e`, type: "exposure" },
      {
        ...common,
        event_id: `${id}-${day}-${user}-s`,
        type: "business_event",
        business_metric: "spent",
        value,
      },
    ];
  }).flat();
  const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(sent.body.accepted).toBe(2 * users);
}

/** Records nights as the pipeline does. */
async function recordNights(
  { id: experimentId }: WireExperiment,
  nights: readonly Day[],
  outcome: "failed" | "collecting",
): Promise<void> {
  const plane = api.openControl();
  const orgId = (await plane.experiments.findOrgId(experimentId)) as string;
  for (const day of nights) {
    const at = endOfDay(day) + 900_000;
    const run = { experimentId, day, now: at };
    await plane.pipelineRuns.claim({ ...run, orgId, windowTo: endOfDay(day), leaseUntil: at });
    await plane.pipelineRuns.finish({ ...run, startedAt: at, outcome, detail: `It was ${outcome}.` });
  }
  await plane.close();
}

describe("the overview", () => {
  test("of a draft knows its config and who made it", async () => {
    const draft = await create("draft", { status: "draft", tags: ["search"] });
    const whoami = (await api.call<{ user_id: string }>("GET", "/v1/whoami")).body;
    expect(await overviewOf(draft)).toEqual({
      id: draft.id,
      name: "draft",
      former_names: [],
      status: "draft",
      version: 1,
      is_demo: false,
      control: "control",
      unit: "user",
      variants: ["control", "treatment"],
      tags: ["search"],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      created_by: { id: whoami.user_id, name: expect.stringMatching(/./) },
      state: "draft",
      needs_attention: false,
      is_stale: false,
      users: { control: 0, treatment: 0 },
      exposures: 0,
      last_exposure_on: null,
      primary: null,
      primary_metric: null,
      failing_guardrails: [],
      progress: null,
      tradeoffs: [],
      plan_status: null,
      worst_remark: null,
      last_run: null,
      last_night: null,
      decision: null,
      shipped_variant: null,
    });
    expect(await get<WireRuns>(draft, "runs")).toEqual({
      experiment_id: draft.id,
      next_run_at: null,
      runs: [],
    });
    expect(await get(draft, "results/history")).toEqual({ experiment_id: draft.id, runs: [] });
  });

  test("of a stopped one shows the decision", async () => {
    const experiment = await create("stopped");
    expect(await overviewOf(experiment)).toMatchObject({ state: "no-traffic", needs_attention: false });
    await put(experiment, { status: "stopped", decision: { outcome: "won", variant: "treatment" } });
    expect(await overviewOf(experiment)).toMatchObject({
      state: "stopped-won",
      version: 2,
      decision: { outcome: "won", variant: "treatment" },
    });
  });

  test("of one whose night failed says so until there are results", async () => {
    const experiment = await create("failed");
    await recordNights(experiment, [days[1], days[2]], "failed");
    expect(await overviewOf(experiment)).toMatchObject({
      state: "failed",
      needs_attention: true,
      last_night: {
        day: days[2],
        outcome: "failed",
        finished_at: toInstant(endOfDay(days[2]) + 900_000),
        detail: "It was failed.",
      },
    });
  });

  test("of a split that is off withholds the rows, an early look included", async () => {
    const experiment = await create("withheld");
    await sendDay(experiment, days[2], { share: 0.7 });
    await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
    expect(await overviewOf(experiment)).toMatchObject({
      state: "withheld",
      needs_attention: true,
      primary: null,
      users: { control: 135, treatment: 315 },
      exposures: USERS,
      last_exposure_on: days[2],
      last_run: { preliminary: true, srm_status: "halted" },
      worst_remark: "critical",
    });
  });

  test("follows an experiment from its first users to its decision, night by night", async () => {
    const experiment = await create("followed", {
      metrics: [{ ...spent, target_effect: 0.02 }, metricBody("refunds", { role: "guardrail" })],
    });
    // Its first week is over at the second of these nights.
    const first = addDays(days[1], -7);
    await sendDay(experiment, first, { users: 100 });
    await night(first);
    expect(await overviewOf(experiment)).toMatchObject({
      state: "collecting",
      needs_attention: false,
      users: { control: 50, treatment: 50 },
      last_night: { day: first, outcome: "collecting", detail: expect.stringContaining("spent") },
      last_run: null,
    });

    await sendDay(experiment, days[1]);
    await night(days[1]);
    const second = await overviewOf(experiment);
    expect(second).toMatchObject({
      // Significant at this look alone, and not yet by the plan.
      state: "running",
      plan_status: { state: "running", look: 1, decided_on: null },
      needs_attention: false,
      is_stale: false,
      primary: {
        metric: "spent",
        treatment: "treatment",
        verdict: "better",
        significant: true,
        desired: "increase",
      },
      primary_metric: { name: "spent", kind: "mean" },
      last_run: { computed_for: days[1], preliminary: false, srm_status: "passed" },
      last_night: { outcome: "computed", detail: null },
    });
    const { share, days_to_go } = second.progress as { share: number; days_to_go: number };
    expect([share > 0.1 && share < 1, days_to_go > 0]).toEqual([true, true]);

    await sendDay(experiment, days[2], { lift: 6 });
    await put(experiment, { metrics: [{ ...spent, target_effect: 0.06 }] });
    await night(days[2]);
    expect(await overviewOf(experiment)).toMatchObject({
      state: "ready-to-decide",
      needs_attention: true,
      plan_status: { look: 2, decided_state: "ready-to-decide", decided_on: days[2], open: [], losses: [] },
      progress: { share: 1, days_to_go: 0 },
      exposures: 100 + 2 * USERS,
    });

    const history = await get<WireHistory>(experiment, "results/history");
    expect(history.runs.map((run) => [run.computed_for, run.srm.status])).toEqual([
      [days[1], "passed"],
      [days[2], "passed"],
    ]);
    const row = history.runs[0]?.results["spent::treatment"];
    expect(row).toMatchObject({
      metric: "spent",
      verdict: "better",
      n_per_arm: { control: 275, treatment: 275 },
    });
    expect(row).not.toHaveProperty("distribution");
    const whole = await get<{ results: WireHistory["runs"][number]["results"] }>(
      experiment,
      `results?day=${days[1]}`,
    );
    expect(whole.results["spent::treatment"]).toMatchObject(row!);

    const { runs, next_run_at } = await get<WireRuns>(experiment, "runs");
    expect(runs.map(({ day, outcome }) => [day, outcome])).toEqual([
      [days[2], "computed"],
      [days[1], "computed"],
      [first, "collecting"],
    ]);
    expect(next_run_at).toMatch(/T00:15:00\.000Z$/);
    const wait = Date.parse(next_run_at!) - now();
    expect([wait > -1_000, wait <= DAY_MS]).toEqual([true, true]);
  });

  test("shows an early look among the runs of no night", async () => {
    const experiment = await create("early");
    await sendDay(experiment, days[2], { users: 60, lift: 30 });
    await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
    expect(await overviewOf(experiment)).toMatchObject({ state: "winning", last_run: { preliminary: true } });
    expect((await get<WireHistory>(experiment, "results/history")).runs).toEqual([]);
  });

  test("lists 60 nights at most, newest first", async () => {
    const experiment = await create("long");
    const nights = Array.from({ length: 70 }, (_, index) => addDays(days[2], -index));
    await recordNights(experiment, nights, "collecting");
    const { runs } = await get<WireRuns>(experiment, "runs");
    expect(runs.map(({ day }) => day)).toEqual(nights.slice(0, 60));
    expect(runs[0]).toEqual({
      day: days[2],
      outcome: "collecting",
      started_at: toInstant(endOfDay(days[2]) + 900_000),
      finished_at: toInstant(endOfDay(days[2]) + 900_000),
      detail: "It was collecting.",
    });
  });

  test("of another org shows nothing of this one", async () => {
    const experiment = await create("ours");
    const token = await api.token({ email: "eve@elsewhere.org", org: "elsewhere" });
    expect((await api.call("GET", "/v1/overview", { token })).body).toEqual({ items: [] });
    for (const what of ["overview", "results/history", "runs"]) {
      const path = `/v1/experiments/${experiment.id}/${what}`;
      const { status, body } = await api.call<WireProblem>("GET", path, { token });
      expect([status, slugOf(body)]).toEqual([404, "experiment-not-found"]);
    }
  });

  test("is newest first", async () => {
    const items = (await api.call<{ items: readonly WireOverview[] }>("GET", "/v1/overview")).body.items;
    const listed = (await api.call<readonly WireExperiment[]>("GET", "/v1/experiments")).body;
    expect(items.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
  });
});

test("the summary of all results has each experiment's own labels, and only runs with rows", async () => {
  const [one, two, empty] = [await create("labels-1"), await create("labels-2"), await create("labels-3")];
  for (const experiment of [one, two]) await sendDay(experiment, days[2], { users: 60 });
  for (const experiment of [one, one, two, empty]) {
    await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
    ahead += 1;
  }
  type Run = { readonly experiment_id: string; readonly available_days: readonly string[] };
  const { body } = await api.call<readonly Run[]>("GET", "/v1/results/summary");
  for (const [experiment, count] of [
    [one, 2],
    [two, 1],
  ] as const) {
    const run = body.find(({ experiment_id }) => experiment_id === experiment.id);
    expect(run?.available_days).toEqual((await get<Run>(experiment, "results")).available_days);
    expect(run?.available_days).toHaveLength(count);
  }
  expect(body.filter(({ experiment_id }) => experiment_id === empty.id)).toEqual([]);
  expect((await get<Run>(empty, "results")).available_days).toEqual([]);
});

// Last, for it moves the clock by a month.
test("a stopped experiment is analysed for 30 days more", async () => {
  const experiment = await create("grace");
  const nextOf = async () => (await get<WireRuns>(experiment, "runs")).next_run_at;
  await put(experiment, { status: "stopped" });
  const atStop = ahead;
  await put(experiment, { description: "The grace goes from the stop, not from here." });
  ahead = atStop + 29 * DAY_MS;
  await put(experiment, { description: "Nor from here." });
  expect(await nextOf()).not.toBeNull();
  ahead = atStop + 31 * DAY_MS;
  await vi.waitFor(async () => expect(await nextOf()).toBeNull(), 20_000);
  await put(experiment, { status: "running" });
  expect(await nextOf()).not.toBeNull();
  await put(experiment, { status: "stopped" });
  expect(await nextOf()).not.toBeNull();
});
