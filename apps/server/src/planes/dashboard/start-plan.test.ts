import { DAY_MS, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  experimentBody,
  metricBody,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WirePlan {
  readonly horizon_weeks: number | null;
  readonly basis: string | null;
  readonly expected_users: number | null;
  readonly looks: string;
  readonly reason: string | null;
}
type Planned = WireExperiment & WireProblem & { readonly plan: WirePlan };

const DEFAULTS = {
  ...{ min_weeks: 1, looks: "group_sequential", alpha: 0.05, power: 0.8, futility: true, reason: null },
};

let api: TestService;
let daysAgo = 0;
beforeAll(async () => {
  api = await openTestService({}, { now: () => Date.now() - daysAgo * DAY_MS });
});
afterAll(() => api.stop());

let count = 0;
const create = (change: Readonly<Record<string, unknown>> = {}) =>
  api.call<Planned>("POST", "/v1/experiments", { body: experimentBody(`plan-${++count}`, change) });
const update = (id: string, body: unknown) => api.call<Planned>("PUT", `/v1/experiments/${id}`, { body });

describe("the decision plan", () => {
  test("of a draft waits for the start, and can be edited", async () => {
    const { body } = await create({ status: "draft" });
    expect(body.plan).toEqual({ ...DEFAULTS, horizon_weeks: null, basis: null, expected_users: null });
    const changed = await update(body.id, { plan: { looks: "fixed", alpha: 0.01 } });
    expect(changed.body.plan).toMatchObject({ looks: "fixed", alpha: 0.01, horizon_weeks: null });
    const started = await update(body.id, { status: "running" });
    expect(started.body.plan).toMatchObject({ looks: "fixed", horizon_weeks: 2, basis: "default" });
  });

  test("of an experiment that starts without traffic to plan from is two weeks, and says so", async () => {
    const { body } = await create();
    expect(body.plan).toEqual({ ...DEFAULTS, horizon_weeks: 2, basis: "default", expected_users: null });
  });

  test("keeps a horizon that was sent, and ignores what only answers carry", async () => {
    const plan = { horizon_weeks: 5, basis: "traffic", expected_users: 7 };
    const { body } = await create({ plan });
    expect(body.plan).toMatchObject({ horizon_weeks: 5, basis: "request", expected_users: null });
    // A read can be sent back.
    const same = await update(body.id, { plan: body.plan });
    expect([same.status, same.body.plan]).toEqual([200, body.plan]);
  });

  test.each([
    [{ horizon_weeks: 1, min_weeks: 2 }, "/plan/min_weeks"],
    [{ horizon_weeks: 0 }, "/plan/horizon_weeks"],
    [{ looks: "often" }, "/plan/looks"],
    [{ alpha: 0.5 }, "/plan/alpha"],
  ])("refuses %j", async (plan, pointer) => {
    const { status, body } = await create({ plan });
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  });
});

test("the plan is frozen once a user is exposed: a later change needs a reason, which the audit keeps", async () => {
  const { body } = await create({ metrics: [metricBody("bought", { kind: "binary" })] });
  const key = await api.newKey("publishable");
  const before = await update(body.id, { plan: { horizon_weeks: 3 } });
  expect([before.status, before.body.plan.basis]).toEqual([200, "request"]);
  const event = {
    type: "exposure",
    event_id: "e1",
    user_id: "u1",
    experiment_id: body.id,
    variant: "control",
  };
  const sent = await api.call("POST", "/v1/events", {
    key,
    body: { events: [{ ...event, timestamp: toInstant(Date.now()) }] },
  });
  expect(sent.status).toBe(202);
  let weeks = 10;
  await vi.waitFor(
    async () => {
      // Another change each time: the exposure is stored a moment later.
      const answer = await update(body.id, { plan: { horizon_weeks: ++weeks } });
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, "/plan/reason"]);
    },
    { timeout: 80_000, interval: 200 },
  );
  // A change that does not affect the plan needs none.
  expect((await update(body.id, { plan: { power: 0.8 } })).status).toBe(200);
  const changed = await update(body.id, { plan: { horizon_weeks: 4, reason: "Holidays." } });
  expect(changed.body.plan).toMatchObject({ horizon_weeks: 4, reason: "Holidays." });
  const audit = await api.call<{ items: { diff: Record<string, unknown> }[] }>(
    "GET",
    `/v1/audit?target_id=${body.id}`,
  );
  expect(JSON.stringify(audit.body)).toContain("Holidays.");
});

test("an experiment that starts with traffic to plan from gets the weeks that its target and its margin take", async () => {
  // With its own org, because other tests' experiments must not count as history.
  const service = await openTestService({}, { now: () => Date.now() - daysAgo * DAY_MS });
  onTestFinished(() => service.stop());
  daysAgo = 9;
  const metrics = [metricBody("bought", { kind: "binary", role: "primary", target_effect: 0.5 })];
  const first = await service.call<Planned>("POST", "/v1/experiments", {
    body: experimentBody("h", { metrics }),
  });
  daysAgo = 0;
  const key = await service.newKey("publishable");
  const now = Date.now();
  const events = Array.from({ length: 8 * 60 }, (_, index) => {
    const at = Math.floor(now / DAY_MS) * DAY_MS - (1 + (index % 8)) * DAY_MS + 3_600_000;
    const common = { experiment_id: first.body.id, user_id: `u${index}`, timestamp: toInstant(at) };
    const exposure = { ...common, type: "exposure", variant: "control", event_id: `e${index}` };
    const bought = { ...common, type: "business_event", business_metric: "bought", event_id: `b${index}` };
    return index % 4 < 1 ? [exposure, bought] : [exposure];
  }).flat();
  const sent = await service.call("POST", "/v1/events", { key, body: { events } });
  expect(sent.status).toBe(202);
  await vi.waitFor(
    async () => {
      const body = experimentBody(`planned-${++count}`, { metrics });
      const { body: started } = await service.call<Planned>("POST", "/v1/experiments", { body });
      expect(started.plan.basis).toBe("traffic");
      expect(started.plan.expected_users).toBe(60 * 7 * (started.plan.horizon_weeks ?? 0));
    },
    { timeout: 80_000, interval: 200 },
  );
});
