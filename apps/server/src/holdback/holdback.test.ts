import { randomUUID } from "node:crypto";
import { bucketOf } from "@assay/bucketing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface Shipped extends WireExperiment {
  readonly holdback: { readonly percent: number; readonly from: string; readonly to: string | null } | null;
}
interface Window {
  readonly from: string;
  readonly to: string;
  readonly users: Readonly<Record<string, number>>;
  readonly is_withheld: boolean;
  readonly rows: readonly { readonly metric: string; readonly effect: number }[];
}
interface View {
  readonly computed_at: string | null;
  readonly ends_at: string | null;
  readonly weeks: readonly Window[];
  readonly overall: Window | null;
  readonly compared_with: string | null;
  readonly changes: readonly {
    readonly metric: string;
    readonly change: number;
    readonly p_value_fdr: number;
    readonly verdict: string | null;
  }[];
  readonly text_changes: readonly { readonly at: string; readonly variants: readonly string[] }[];
}

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 5, 10);
let now = START;
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

let count = 0;
const create = async (change: Readonly<Record<string, unknown>> = {}) => {
  const metrics = [
    metricBody("bought", { kind: "binary" }),
    // Longer than a week: within one, everything counts that comes until its end.
    metricBody("spent", { window_days: 10 }),
  ];
  const body = experimentBody(`holdback-${++count}`, { assignment: "assay", metrics, ...change });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
};
const path = ({ id }: WireExperiment, rest = "") => `/v1/experiments/${id}${rest}`;
const put = (experiment: WireExperiment, body: unknown) =>
  api.call<Shipped & WireProblem>("PUT", path(experiment), { body });
const ship = async (experiment: WireExperiment, percent = 5) =>
  put(experiment, { status: "shipped", shipped_variant: "treatment", holdback: { percent } });
const read = async (experiment: WireExperiment) => (await api.call<Shipped>("GET", path(experiment))).body;
const view = async (experiment: WireExperiment) =>
  (await api.call<View>("GET", path(experiment, "/holdback"))).body;

/** What each of these users gets. */
async function given({ id }: WireExperiment, users: readonly string[]): Promise<Map<string, string>> {
  const variants = new Map<string, string>();
  for (const userId of users) {
    const body = { experiment_id: id, user_id: userId };
    const answer = await api.call<{ variant: string }>("POST", "/v1/assign", { key, body });
    variants.set(userId, answer.body.variant);
  }
  return variants;
}

/** Sends an exposure of each user, and an outcome of every second one of `lucky` and every fourth other. */
async function send({ id }: WireExperiment, users: readonly string[], isLucky: (user: string) => boolean) {
  const events = users.flatMap((user, i) => {
    const common = { experiment_id: id, user_id: user, timestamp: new Date(now).toISOString() };
    const buys = i % (isLucky(user) ? 2 : 4) === 0;
    const outcome = (name: string) => ({
      ...{
        ...common,
        type: "business_event",
        event_id: randomUUID(),
        business_metric: name,
        value: 1 + (i % 3),
      },
    });
    return [
      { ...common, type: "exposure", event_id: randomUUID() },
      ...(buys ? [outcome("bought")] : []),
      outcome("spent"),
    ];
  });
  for (let at = 0; at < events.length; at += 1_000) {
    const answer = await api.call("POST", "/v1/events", { key, body: events.slice(at, at + 1_000) });
    expect(answer.status).toBe(202);
  }
}

/** Restarts the service, whose leader looks at the holdbacks then, until it has seen so many weeks. */
async function lookAt(experiment: WireExperiment, weeks: number): Promise<View> {
  await api.restart();
  const seen = async () => (await view(experiment)).weeks.length;
  await expect.poll(seen, { timeout: 80_000 }).toBe(weeks);
  return view(experiment);
}

/** Waits until what the last of the users sent is stored, and with it all that came before. */
async function stored({ id }: WireExperiment, users: readonly string[]): Promise<void> {
  const newest = async () => {
    const asked = `/v1/experiments/${id}/events?limit=1&user_id=${users.at(-1)}`;
    return (await api.call<{ items: readonly { occurred_at: string }[] }>("GET", asked)).body.items[0]
      ?.occurred_at;
  };
  await expect.poll(newest, { timeout: 80_000 }).toBe(new Date(now).toISOString());
}

describe("a holdback", () => {
  test("keeps some of control's users in control, and says by week whether the lift lasts", async () => {
    now = START;
    const experiment = await create();
    const users = Array.from({ length: 5_200 }, (_, i) => `u-${i}`);
    const bucket = (user: string) =>
      bucketOf({ id: experiment.id, salt: `salt-${experiment.name}`, bucketCount: 1000 }, user);
    const sample = users.slice(0, 1_200);
    await send(experiment, sample, (user) => bucket(user) >= 500);
    await stored(experiment, sample);
    now += DAY_MS + 20 * 60_000;
    expect((await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-06-10" } })).status).toBe(
      200,
    );

    const shippedAt = now;
    const { body: shipped, status } = await ship(experiment);
    expect(status).toBe(200);
    expect(shipped.holdback).toEqual({ percent: 5, from: new Date(shippedAt).toISOString(), to: null });
    const [held, winners] = [
      users.filter((user) => bucket(user) < 50),
      users.filter((user) => bucket(user) >= 500),
    ];
    for (const [user, variant] of await given(experiment, users.slice(0, 300)))
      expect(variant).toBe(bucket(user) < 50 ? "control" : "treatment");

    await send(experiment, users, (user) => bucket(user) >= 50);
    await stored(experiment, users);
    expect(await view(experiment)).toMatchObject({
      ...{ computed_at: null, weeks: [], overall: null, compared_with: null, changes: [], text_changes: [] },
      ends_at: new Date(shippedAt + 84 * DAY_MS).toISOString(),
    });
    now = shippedAt + 8 * DAY_MS;
    const first = await lookAt(experiment, 1);
    expect(first.weeks[0]).toMatchObject({
      ...{ from: new Date(shippedAt).toISOString(), to: new Date(shippedAt + 7 * DAY_MS).toISOString() },
      ...{ is_withheld: false, users: { control: held.length, treatment: winners.length } },
    });
    expect(first.weeks[0]!.rows.map(({ metric }) => metric)).toEqual(["bought", "spent"]);
    // No user of it has had all ten days.
    expect(first.overall!.rows.map(({ metric }) => metric)).toEqual(["bought"]);
    // Within five standard errors of the 260 users who kept control.
    expect(Math.abs(first.weeks[0]!.rows[0]!.effect - 0.25)).toBeLessThan(0.15);
    expect(first).toMatchObject({
      compared_with: "2026-06-10",
      changes: [{ metric: "bought", verdict: null }],
    });

    // In the second week, nobody is lucky.
    await send(experiment, users, () => false);
    await stored(experiment, users);
    now = shippedAt + 10 * DAY_MS;
    const ended = await api.call<Shipped>("POST", path(experiment, "/holdback/end"));
    expect(ended.body.holdback).toMatchObject({ to: new Date(now).toISOString() });
    const again = await api.call<Shipped>("POST", path(experiment, "/holdback/end"));
    expect(again.body.version).toBe(ended.body.version);
    expect([...new Set((await given(experiment, held.slice(0, 50))).values())]).toEqual(["treatment"]);
    now = shippedAt + 12 * DAY_MS;
    const last = await lookAt(experiment, 2);
    expect(last.weeks[0]).toEqual(first.weeks[0]);
    expect(last.weeks[1]).toMatchObject({ to: new Date(shippedAt + 10 * DAY_MS).toISOString() });
    expect(Math.abs(last.weeks[1]!.rows[0]!.effect)).toBeLessThan(0.1);
    // Who is in which bucket depends on the experiment's id: of equal lifts, one in twenty is found to differ.
    const { change, p_value_fdr: p, verdict } = last.changes.find(({ metric }) => metric === "bought")!;
    expect(verdict).toBe(p >= 0.05 ? "no-difference" : change < 0 ? "smaller" : "larger");

    const audit = await api.call<{ items: readonly { diff: Readonly<Record<string, unknown>> }[] }>(
      "GET",
      `/v1/audit?target_id=${experiment.id}`,
    );
    expect(audit.body.items.flatMap(({ diff }) => diff.holdback ?? [])).toMatchObject([
      { from: { to: null }, to: { percent: 5 } },
      { from: null, to: { percent: 5, to: null } },
    ]);
  });

  test("gives clients and flags the same as assign, and only what they need", async () => {
    const experiment = await create();
    await ship(experiment);
    const config = await api.call<{ experiments: readonly Record<string, unknown>[] }>("GET", "/v1/config", {
      key,
    });
    const entry = config.body.experiments.find(({ id }) => id === experiment.id)!;
    expect(entry).toMatchObject({
      ...{ status: "running", bucket_count: 1000, control: "control" },
      buckets: [
        [50, 0],
        [1000, 1],
      ],
      variants: [{ key: "control" }, { key: "treatment" }],
      business_metrics: ["bought", "spent"],
    });
    expect(entry).not.toHaveProperty("shipped");
    expect(entry).not.toHaveProperty("qa_users");
    const users = Array.from({ length: 60 }, (_, i) => `u-${i}`);
    for (const [userId, variant] of await given(experiment, users)) {
      const body = { context: { targetingKey: userId } };
      const flag = await api.call("POST", `/ofrep/v1/evaluate/flags/${experiment.name}`, { key, body });
      expect(flag.body).toMatchObject({ variant, reason: "SPLIT" });
    }
  });

  test("ends by itself after twelve weeks, and with the experiment", async () => {
    now = START + 100 * DAY_MS;
    const [left, stopped] = [await create(), await create()];
    await ship(left);
    await ship(stopped);
    const end = { status: "stopped" };
    expect((await put(stopped, end)).body.holdback).toMatchObject({ to: new Date(now).toISOString() });
    now += 84 * DAY_MS;
    await api.restart();
    const isOver = async () => (await read(left)).holdback?.to;
    await expect.poll(isOver, { timeout: 80_000 }).toBe(new Date(now).toISOString());
    const audit = await api.call<{ items: readonly { actor: { name: string } }[] }>(
      "GET",
      `/v1/audit?target_id=${left.id}`,
    );
    expect(audit.body.items[0]).toMatchObject({ actor: { name: "Assay" } });
    expect((await put(stopped, { status: "running" })).body.holdback).toBeNull();
  });

  test("names the days on which a compared text changed", async () => {
    const experiment = await create();
    expect(await view(experiment)).toMatchObject({ ends_at: null, text_changes: [] });
    await ship(experiment);
    now += DAY_MS;
    const variants = experiment.variants.map((variant) =>
      variant.key === "treatment" ? { ...variant, prompt: "Answer in one sentence." } : variant,
    );
    expect((await put(experiment, { variants })).status).toBe(200);
    expect((await view(experiment)).text_changes).toEqual([
      { at: new Date(now).toISOString(), variants: ["treatment"] },
    ]);
  });

  test("begins with the shipping only, and cannot be held", async () => {
    const experiment = await create();
    const { body: refused } = await put(experiment, { holdback: { percent: 5 } });
    expect([slugOf(refused), refused.errors?.[0]?.pointer]).toEqual(["invalid-body", "/holdback"]);
    const { body: tooMany } = await ship(experiment, 6);
    expect(tooMany.errors?.[0]?.pointer).toBe("/holdback/percent");
    const { body: created } = await api.call<WireProblem>("POST", "/v1/experiments", {
      body: experimentBody("holdback-at-once", { holdback: { percent: 5 } }),
    });
    expect(created.errors?.[0]?.pointer).toBe("/holdback");
    await ship(experiment);
    const { holdback: _, ...whole } = await read(experiment);
    expect((await put(experiment, { ...whole, description: "d" })).status).toBe(200);
    expect((await put(experiment, { holdback: null })).body.errors?.[0]?.detail).toContain("/holdback/end");
    const { body: smaller } = await put(experiment, { holdback: { percent: 2 } });
    expect(smaller.errors?.[0]?.detail).toContain("running holdback cannot be changed");
    const held = await api.call<WireProblem>("POST", path(experiment, "/hold"));
    expect(slugOf(held.body)).toBe("not-holdable");
    const other = await api.token({ org: "other", email: "eve@example.com" });
    for (const [method, rest] of [
      ["GET", "/holdback"],
      ["POST", "/holdback/end"],
    ] as const)
      expect((await api.call(method, path(experiment, rest), { token: other })).status).toBe(404);
  });
});
