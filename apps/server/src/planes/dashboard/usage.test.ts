import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Usage {
  readonly month: string;
  readonly events: { readonly used: number; readonly allowance: number | null; readonly overage: number };
  readonly judge_evaluations: { readonly used: number; readonly allowance: number | null };
  readonly overage_billed: boolean;
  readonly resets_at: string;
  readonly enforced: boolean;
  readonly limits: Readonly<Record<string, number | string | null>>;
}
interface Ack {
  readonly accepted: number;
  readonly rejected: readonly { readonly index: number; readonly detail: string }[];
}

/** Events that publishable keys may send. */
const PUBLIC = 100;
let api: TestService;
let key: string;
let experiment: WireExperiment;
beforeAll(async () => {
  // Enforced, or the allowance could not be seen to end.
  api = await openTestService({ enforcePlanLimits: true, publicAllowanceShare: PUBLIC / 50_000 });
  key = await api.newKey("secret");
  const body = experimentBody("metered");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());

const usage = async () => (await api.call<Usage>("GET", "/v1/usage")).body;
const used = async () => (await usage()).events.used;
let users = 0;
const exposures = (count: number) =>
  Array.from({ length: count }, () => ({
    event_id: crypto.randomUUID(),
    type: "exposure",
    experiment_id: experiment.id,
    user_id: `u-${users++}`,
    timestamp: new Date().toISOString(),
  }));
/** 503: a busy machine counts too slowly; sending the same events again adds none. */
async function send(body: unknown, sender = key) {
  for (;;) {
    const answer = await api.call<Ack & WireProblem>("POST", "/v1/events", { key: sender, body });
    if (answer.status !== 503) return answer;
  }
}
const orgId = async () => (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body.org_id;
const pin = (id: string, plan: unknown, token?: string) =>
  api.call<WireProblem & Readonly<Record<string, unknown>>>("PUT", `/v1/admin/orgs/${id}/plan-override`, {
    body: { plan },
    ...(token === undefined ? {} : { token }),
  });

describe("usage", () => {
  test("an org that never checked out is on free, with the plan's limits", async () => {
    const { month, resets_at: resetsAt, ...rest } = await usage();
    expect(month).toBe(new Date().toISOString().slice(0, 7));
    expect(Date.parse(resetsAt)).toBeGreaterThan(Date.now());
    expect(resetsAt).toMatch(/-01T00:00:00\.000Z$/);
    expect(rest).toEqual({
      events: { used: 0, allowance: 50_000, overage: 0, publishable: { used: 0, allowance: PUBLIC } },
      judge_evaluations: { used: 0, allowance: 0 },
      overage_billed: false,
      overage_metered: false,
      enforced: true,
      limits: {
        plan: "free",
        retention_days: 7,
        max_permutations: 2_000,
        max_sample_per_arm: 10_000,
        monthly_event_allowance: 50_000,
      },
    });
  });

  test("counts events and test events once; assign, repeats and refused rows never", async () => {
    const before = await used();
    const batch = exposures(20);
    for (let round = 0; round < 3; round++) expect((await send(batch)).status).toBe(202);
    await send([{ ...batch[0], user_id: "" }, { nonsense: true }]);
    const assign = { experiment_id: experiment.id, user_id: "ann" };
    await api.call("POST", "/v1/assign", { key, body: assign });
    await api.call("POST", `/v1/experiments/${experiment.id}/test-event`);
    await expect.poll(used).toBe(before + 21);
  });

  test("says that limits are not applied where they are not", async () => {
    const lenient = await openTestService();
    const { body } = await lenient.call<Usage>("GET", "/v1/usage");
    expect(body).toMatchObject({ enforced: false, limits: { plan: "free" } });
    await lenient.stop();
  });
});

describe("the plan override", () => {
  test("is the platform owner's alone", async () => {
    const admin = await api.token({ email: "admin@example.org", role: "admin" });
    const refused = await pin(await orgId(), "enterprise", admin);
    expect([refused.status, slugOf(refused.body)]).toEqual([403, "platform-owner-required"]);
  });

  test.each([
    { name: "another plan's name", plan: "gold" },
    { name: "no plan", plan: undefined },
  ])("refuses $name", async ({ plan }) => {
    expect((await pin(await orgId(), plan)).status).toBe(400);
  });

  test("answers 404 for an org that there is not", async () => {
    const missing = await pin("01890000-0000-7000-8000-000000000000", "pro");
    expect([missing.status, slugOf(missing.body)]).toEqual([404, "org-not-found"]);
  });

  test("pins a plan at once, unpins it again, and leaves a trace", async () => {
    const id = await orgId();
    expect((await pin(id, "business")).body).toEqual({
      org_id: id,
      plan: "business",
      plan_override: "business",
      subscription_plan: "free",
      next_plan: null,
      next_plan_at: null,
    });
    expect(await usage()).toMatchObject({
      events: { allowance: 10_000_000 },
      judge_evaluations: { allowance: 500_000 },
      overage_billed: true,
      limits: { plan: "business", retention_days: 90 },
    });
    expect((await pin(id, null)).body).toMatchObject({ plan: "free", plan_override: null });
    expect(await usage()).toMatchObject({ limits: { plan: "free" } });
    const { body } = await api.call<{ items: readonly unknown[] }>("GET", `/v1/audit?target_id=${id}`);
    expect(body.items).toMatchObject([
      { action: "plan.override", diff: { plan_override: { from: "business", to: null } } },
      { action: "plan.override", diff: { plan_override: { from: null, to: "business" } } },
    ]);
  });
});

describe("the allowance", () => {
  test("of publishable keys is a share, whose end stops nobody else", async () => {
    const publishable = await api.newKey("publishable");
    const batch = exposures(PUBLIC + 20);
    const { body } = await send(batch, publishable);
    expect([body.accepted, body.rejected.length]).toEqual([PUBLIC, 20]);
    expect(body.rejected[0]).toMatchObject({
      index: PUBLIC,
      detail: expect.stringMatching(/^The 100 events that publishable keys may send in .* secret key/),
    });
    const refused = await send(exposures(1), publishable);
    expect([refused.status, slugOf(refused.body)]).toEqual([429, "allowance-exhausted"]);
    expect(refused.headers.get("ratelimit-policy")).toMatch(/^"publishable-events-per-month";q=100;w=\d+$/);
    expect((await send(exposures(1))).body.accepted).toBe(1);
    expect((await api.call("POST", `/v1/experiments/${experiment.id}/test-event`)).status).toBe(202);
    await vi.waitFor(async () =>
      expect((await usage()).events).toMatchObject({ publishable: { used: PUBLIC, allowance: PUBLIC } }),
    );
  });

  test("ends within a batch, and then answers 429; a plan that bills overage goes on", async () => {
    const room = 1_000 - (await used());
    for (let batch = 0; batch < 49; batch++) expect((await send(exposures(1_000))).body.accepted).toBe(1_000);
    const last = await send(exposures(1_000));
    expect(last.status).toBe(202);
    expect(last.body.accepted).toBe(room);
    expect(last.body.rejected.map(({ index }) => index)).toEqual(
      Array.from({ length: 1_000 - room }, (_, index) => room + index),
    );
    expect(last.body.rejected[0]?.detail).toContain("50,000");

    const refused = await send(exposures(1));
    expect([refused.status, slugOf(refused.body)]).toEqual([429, "allowance-exhausted"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit-policy")).toMatch(/^"events-per-month";q=50000;w=\d+$/);

    const testEvent = await api.call<WireProblem>("POST", `/v1/experiments/${experiment.id}/test-event`);
    expect([testEvent.status, slugOf(testEvent.body)]).toEqual([429, "allowance-exhausted"]);
    const assign = await api.call("POST", "/v1/assign", {
      key,
      body: { experiment_id: experiment.id, user_id: "bob" },
    });
    expect(assign.status).toBe(200);
    await vi.waitFor(async () => expect(await used()).toBe(50_000), 60_000);

    await pin(await orgId(), "pro");
    expect((await send(exposures(10))).body.accepted).toBe(10);
    expect(await usage()).toMatchObject({ events: { used: 50_010, allowance: 1_000_000, overage: 0 } });
    await pin(await orgId(), null);
    expect((await send(exposures(1))).status).toBe(429);
    await api.restart();
    expect((await send(exposures(1))).status).toBe(429);
    expect(await used()).toBe(50_010);
  });
});
