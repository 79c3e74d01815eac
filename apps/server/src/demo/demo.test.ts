import { addDays, DAY_MS, dayOf } from "@assay/domain";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isNight } from "../../../../tests/in-night.ts";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../test-support/experiments.ts";
import { onStoppedStores } from "../test-support/stopped-stores.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";
import { DEMO_DAYS } from "./demo-traffic.ts";
import { DEMOS } from "./demos.ts";

interface WireDemo extends WireExperiment {
  readonly is_demo: boolean;
  readonly created_at: string;
}

interface WireResults {
  readonly computed_for: string;
  readonly computed_at: string;
  readonly available_days: readonly string[];
  readonly srm: { readonly observed: Readonly<Record<string, number>> };
  readonly window: { readonly to: string };
}

interface TrafficDay {
  readonly day: string;
  readonly users: Readonly<Record<string, number>>;
  readonly exposures: Readonly<Record<string, number>>;
}

const STRANGERS = { email: "stranger@elsewhere.org", org: "strangers" };
const today = dayOf(Date.now());
const yesterday = addDays(today, -1);

let api: TestService;
let token: string;
beforeAll(async () => {
  api = await openTestService();
  token = await api.token({ email: "member@team.org", role: "member" });
});
afterAll(() => api.stop());

const load = (as = token, body?: object) => api.call<WireDemo>("POST", "/v1/demo", { token: as, body });
const remove = (as = token, query = "") => api.call("DELETE", `/v1/demo${query}`, { token: as });
const read = async <T>(path: string, as = token) => (await api.call<T>("GET", path, { token: as })).body;
const listed = (as = token) => read<WireDemo[]>("/v1/experiments", as);
const resultsOf = ({ id }: WireDemo, as = token) => read<WireResults>(`/v1/experiments/${id}/results`, as);
const totalOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

async function trafficOf({ id }: WireDemo): Promise<readonly TrafficDay[]> {
  return (await read<{ days: TrafficDay[] }>(`/v1/experiments/${id}/traffic`)).days;
}

async function deedsOf(action: string): Promise<number> {
  const { items } = await read<{ items: { action: string }[] }>("/v1/audit?limit=100", await api.token());
  return items.filter((entry) => entry.action === action).length;
}

/** That the demo is there once: each user exposed once, on each of the days, and the last nights have results. */
async function expectWhole(demo: WireDemo, users = 805): Promise<void> {
  const traffic = await trafficOf(demo);
  const sum = (of: "users" | "exposures") => traffic.reduce((total, day) => total + totalOf(day[of]), 0);
  expect([sum("users"), sum("exposures")]).toEqual([users, users]);
  const days = Array.from({ length: DEMO_DAYS }, (_, i) => addDays(yesterday, i + 1 - DEMO_DAYS));
  expect(traffic.map(({ day }) => day)).toEqual(days);
  const results = await resultsOf(demo);
  expect(results.computed_for).toBe(yesterday);
  expect(results.available_days.length).toBeGreaterThan(1);
  expect(results.available_days).toEqual(results.available_days.map((_, back) => addDays(yesterday, -back)));
  expect(totalOf(results.srm.observed)).toBe(users);
}

test("a member loads it: the traffic of past days, and its nights", async () => {
  const { status, body: demo } = await load();
  expect([status, demo.name, demo.is_demo, demo.status]).toEqual([200, "answer-style", true, "running"]);
  expect(demo.created_at).toBe(`${addDays(today, -DEMO_DAYS)}T00:00:00.000Z`);
  await expectWhole(demo);
  expect(await listed()).toEqual([demo]);
});

test("a night saw what had happened by its end, and stands where it would have stood", async () => {
  const [demo] = (await listed()) as [WireDemo];
  const { available_days: days } = await resultsOf(demo);
  const users: number[] = [];
  for (const day of days) {
    const night = await read<WireResults>(`/v1/experiments/${demo.id}/results?day=${day}`);
    const midnight = `${addDays(day as typeof today, 1)}T00:00:00.000Z`;
    expect([night.computed_at, night.window.to]).toEqual([midnight, midnight]);
    users.push(totalOf(night.srm.observed));
  }
  const arrivals = DEMOS["answer-style"].users(addDays(today, -DEMO_DAYS)).map(({ at }) => at);
  const until = days.map((day) => Date.parse(day) + DAY_MS);
  expect(users).toEqual(until.map((midnight) => arrivals.filter((at) => at < midnight).length));
  // Mostly five to seven. Chance decides when every arm has 200 users: 1 org in 20 has four nights, 1 in 10,000 fewer than three.
  expect(days.length).toBeGreaterThan(2);
});

test("its labels are nobody's", async () => {
  const [demo] = (await listed()) as [WireDemo];
  const { items } = await read<{ items: readonly { labelled_by: { name: string } }[] }>(
    `/v1/experiments/${demo.id}/labels`,
  );
  expect(new Set(items.map((label) => label.labelled_by.name))).toEqual(new Set(["Simulated readers"]));
});

test("a dataset can be drawn from its calls", async () => {
  const [demo] = (await listed()) as [WireDemo];
  const window = { from: `${addDays(today, -DEMO_DAYS)}T00:00:00Z`, until: `${today}T00:00:00Z`, items: 50 };
  const body = { name: "demo", from_experiment: { experiment_id: demo.id, ...window } };
  const { status, body: dataset } = await api.call<{ items: number }>("POST", "/v1/datasets", {
    token,
    body,
  });
  expect([status, dataset.items]).toEqual([201, 50]);
});

test("every user has the variant that assign names", async () => {
  const [demo] = (await listed()) as [WireDemo];
  const key = await api.newKey("publishable");
  const counts: Record<string, number> = {};
  for (let index = 0; index < 805; index++) {
    const body = { experiment_id: demo.id, user_id: `user-${String(index).padStart(3, "0")}` };
    const { variant } = (await api.call<{ variant: string }>("POST", "/v1/assign", { key, body })).body;
    counts[variant] = (counts[variant] ?? 0) + 1;
  }
  expect((await resultsOf(demo)).srm.observed).toEqual(counts);
});

test("loaded again it is the same, and nothing counts twice", async () => {
  const before = await listed();
  expect((await load()).body).toEqual(before[0]);
  expect(await listed()).toEqual(before);
  await expectWhole(before[0]!);
  expect(await deedsOf("demo.load")).toBe(1);
});

test("no month counts it, no client's config has it, no plan of another experiment is made of it", async () => {
  expect(await read("/v1/usage")).toMatchObject({ events: { used: 0 } });
  const key = await api.newKey("publishable");
  const config = await api.call<{ experiments: unknown[] }>("GET", "/v1/config", { key });
  expect(config.body.experiments).toEqual([]);
  const [demo] = (await listed()) as [WireDemo];
  const { body: other } = await api.call<WireDemo>("POST", "/v1/experiments", {
    body: experimentBody("real"),
  });
  expect(other.is_demo).toBe(false);
  const plan = async ({ id }: WireDemo) =>
    (await api.call<{ users_per_day: object | null }>("POST", `/v1/experiments/${id}/plan`, { body: {} }))
      .body.users_per_day;
  expect(await plan(other)).toBeNull();
  expect(await plan(demo)).toMatchObject({ source: "history", value: 34 });
});

test("the nightly run leaves it as it was loaded", async () => {
  const [demo] = (await listed()).filter(({ is_demo }) => is_demo) as [WireDemo];
  const before = await resultsOf(demo);
  const body = { day: today, experiment_id: demo.id };
  expect((await api.call("POST", "/v1/admin/pipeline-runs", { body })).status).toBe(404);
  expect(await resultsOf(demo)).toEqual(before);
});

// Each of the next loads a demo, for ten seconds of CPU: `tests/e2e` loads both on every push.
test.runIf(isNight())(
  "support-tone is loaded beside it, with texts, reasons and conversations, and neither counts for the other",
  async () => {
    const { status, body: demo } = await load(token, { demo: "support-tone" });
    expect([status, demo.name, demo.is_demo]).toEqual([200, "support-tone", true]);
    await expectWhole(demo, 900);
    const [recorded] = (await listed()).filter(({ name }) => name === "answer-style") as [WireDemo];
    expect((await load()).body).toEqual(recorded);
    await expectWhole(recorded);
    const path = `/v1/experiments/${recorded.id}/plan`;
    const plan = await api.call<{ users_per_day: object }>("POST", path, { body: {} });
    expect(plan.body.users_per_day).toMatchObject({ value: 34 });
    const { items } = await read<{ items: readonly { reason: string }[] }>(
      `/v1/experiments/${demo.id}/judgements?limit=20`,
    );
    for (const { reason } of items) expect(reason).toMatch(/^(Complete: it|It) says "/);
  },
);

test.each(["demo=other", "name=support-tone"])("no demo is %s", async (query) => {
  const refused = await load(token, Object.fromEntries(new URLSearchParams(query)));
  expect([refused.status, slugOf(refused.body as unknown as WireProblem)]).toEqual([400, "invalid-body"]);
  expect((await remove(token, `?${query}`)).status).toBe(400);
});

test.runIf(isNight())(
  "removed they are gone whole, with what was sent to them, and what others have stays",
  async () => {
    const stranger = await api.token(STRANGERS);
    const { body: theirs } = await load(stranger);
    const [demo] = (await listed()).filter(({ name }) => name === "answer-style") as [WireDemo];
    expect(theirs.id).not.toBe(demo.id);
    const sent = { type: "exposure", experiment_id: demo.id, user_id: "ann", event_id: "e1" };
    const key = await api.newKey("secret");
    await api.call("POST", "/v1/events", { key, body: [{ ...sent, timestamp: new Date().toISOString() }] });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(204);
    expect((await listed()).map(({ name }) => name)).toEqual(["real"]);
    const path = `/v1/experiments/${demo.id}`;
    for (const route of [path, `${path}/results`, `${path}/traffic`])
      expect((await api.call("GET", route)).status).toBe(404);
    expect((await remove(stranger, "?demo=support-tone")).status).toBe(204);
    expect(await listed(stranger)).toEqual([theirs]);
    expect(totalOf((await resultsOf(theirs, stranger)).srm.observed)).toBe(805);
    const orgId = (await read<{ org_id: string }>("/v1/whoami")).org_id;
    await onStoppedStores(api, async ({ control, events, countRaw }) => {
      expect(await events.traffic({ orgId, experimentId: demo.id, exclusions: [] })).toEqual([]);
      await vi.waitFor(async () => expect(await countRaw(demo.id)).toBe(0), {
        timeout: 80_000,
        interval: 100,
      });
      expect(await countRaw(theirs.id)).toBe(3 * 805);
      expect(await control.results.listLabels(orgId, demo.id)).toEqual([]);
      expect(await control.pipelineRuns.find(demo.id, yesterday)).toBeNull();
      expect(await control.experiments.findOrgId(demo.id)).toBeNull();
    });
    expect([await deedsOf("demo.load"), await deedsOf("demo.remove")]).toEqual([2, 2]);
    expect((await remove(stranger, "?demo=answer-style")).status).toBe(204);
    expect(await listed(stranger)).toEqual([]);
  },
);

test.runIf(isNight())(
  "it can be loaded again after that, twice at once and once, under another name when its own is taken",
  async () => {
    expect((await api.call("POST", "/v1/experiments", { body: experimentBody("answer-style") })).status).toBe(
      201,
    );
    const [one, two] = await Promise.all([load(), load(await api.token())]);
    expect([one.status, two.status, two.body]).toEqual([200, 200, one.body]);
    expect(one.body.name).toBe("answer-style (demo)");
    await expectWhole(one.body);
    expect(await deedsOf("demo.load")).toBe(3);
  },
);

test.runIf(isNight())(
  "loads, removals and a night at once fail nobody, and leave the demo whole or not at all",
  async () => {
    const own = (await listed()).filter(({ is_demo }) => !is_demo).map(({ name }) => name);
    const answers = await Promise.all([
      // The demo of the test before.
      load(),
      remove(),
      api.call("POST", "/v1/admin/pipeline-runs", { body: { day: today } }),
      load(),
      remove(),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 200, 200, 204]);
    const [demo] = (await listed()).filter(({ is_demo }) => is_demo);
    if (demo !== undefined) await expectWhole(demo);
    await remove();
    expect((await listed()).map(({ name }) => name)).toEqual(own);
  },
);

test.runIf(isNight())("is not loaded when both its names are taken", async () => {
  const body = experimentBody("answer-style (demo)");
  expect((await api.call("POST", "/v1/experiments", { body })).status).toBe(201);
  const refused = await api.call<WireProblem>("POST", "/v1/demo", { token });
  expect([refused.status, slugOf(refused.body)]).toEqual([409, "experiment-name-taken"]);
  expect((await remove()).status).toBe(204);
  expect((await listed()).map(({ name }) => name)).toContain("answer-style");
});
