import { DAY_MS, dayOf, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyPrefixOf } from "../../config/key-ring.ts";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WireExclusion {
  readonly number: number;
  readonly reason: string;
  readonly match: Readonly<Record<string, unknown>> | null;
  readonly lifts: number | null;
  readonly in_force: boolean;
  readonly actor: { readonly name: string };
  readonly created_at: string;
}
interface WirePreview {
  readonly arms: readonly {
    readonly arm: string | null;
    readonly users: number;
    readonly affected_users: number;
    readonly removed_users: number;
  }[];
  readonly p_value: number | null;
  readonly differs: boolean;
  readonly warning: string | null;
}
interface WireRun {
  readonly exclusions: number;
  readonly srm: unknown;
  readonly results: Readonly<Record<string, unknown>>;
  readonly health: unknown;
  readonly window: unknown;
}

const now = Date.UTC(2026, 4, 4, 12);
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

let count = 0;
const create = async () => {
  const metrics = [
    metricBody("latency", { kind: "ratio", category: "latency" }),
    metricBody("bought", { kind: "binary" }),
    metricBody("spent", { cap: "p99.9" }),
  ];
  const body = experimentBody(`excluded-${++count}`, { metrics });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
};
const pathOf = ({ id }: WireExperiment) => `/v1/experiments/${id}/exclusions`;
const exclude = (experiment: WireExperiment, match: unknown, reason: unknown = "Bots.") =>
  api.call<WireExclusion & WireProblem>("POST", pathOf(experiment), { body: { reason, match } });
const lift = (experiment: WireExperiment, number: number | string) =>
  api.call<WireExclusion & WireProblem>("POST", `${pathOf(experiment)}/${number}/lift`, {
    body: { reason: "They were real." },
  });
const list = async (experiment: WireExperiment) =>
  (await api.call<{ items: readonly WireExclusion[] }>("GET", pathOf(experiment))).body.items;

type Row = Readonly<Record<string, unknown>>;

async function send(
  experiment: WireExperiment,
  rows: readonly Row[],
  from: { readonly key: string; readonly headers?: Readonly<Record<string, string>> } = { key },
): Promise<void> {
  for (let start = 0; start < rows.length; start += 1_000) {
    const events = rows.slice(start, start + 1_000).map((row) => ({ experiment_id: experiment.id, ...row }));
    const { body } = await api.call<{ accepted: number }>("POST", "/v1/events", {
      ...from,
      body: { events },
    });
    expect(body.accepted).toBe(events.length);
  }
}

const USERS = 240;
const AT = now - 3_600_000;

/** An exposure, a call and, of some users, a purchase. */
const soundRows = (prefix: string, start = AT): readonly Row[] =>
  Array.from({ length: USERS }, (_, i): readonly Row[] => {
    const own = { user_id: `${prefix}-${i}`, variant: i % 2 === 0 ? "control" : "treatment" };
    const row = (type: string, at: number, more: Row = {}) => ({
      ...{ event_id: `${prefix}-${type}-${i}`, type, timestamp: toInstant(start + at), ...own, ...more },
    });
    const calls = [row("exposure", 0), row("model_call", 1_000, { latency_ms: 100 + ((i * 37) % 91) / 7 })];
    if (i % 3 !== 0) return calls;
    return [
      ...calls,
      row("business_event", 2_000, { business_metric: "bought" }),
      row("business_event", 2_000, {
        event_id: `${prefix}-spent-${i}`,
        business_metric: "spent",
        value: i / 3,
      }),
    ];
  }).flat();

const hourOf = (start: number) => ({ from: toInstant(start + 600_000), to: toInstant(start + 1_800_000) });
const HOUR = hourOf(AT);

/** Exposures of the other arm, purchases and calls, all within `HOUR`. */
const forgedRows = (prefix: string, start = AT): readonly Row[] =>
  Array.from({ length: 400 }, (_, i): readonly Row[] => {
    const own = {
      user_id: `${prefix}-${i}`,
      variant: "treatment",
      timestamp: toInstant(start + 700_000 + i),
    };
    return [
      { ...own, event_id: `${prefix}-forged-exposure-${i}`, type: "exposure" },
      { ...own, event_id: `${prefix}-forged-bought-${i}`, type: "business_event", business_metric: "bought" },
      { ...own, event_id: `${prefix}-forged-call-${i}`, type: "model_call", latency_ms: 1 },
    ];
  }).flat();

/** Every run has the same cut-off: the clock stands. */
const analyze = async ({ id }: WireExperiment) =>
  (await api.call<WireRun>("POST", `/v1/experiments/${id}/analyze`)).body;

describe("events that are set aside", () => {
  test("give back the results from before a poisoned hour bit for bit, and come back when it is lifted", async () => {
    const experiment = await create();
    await send(experiment, soundRows("hour"));
    const before = await analyze(experiment);
    expect(Object.keys(before.results)).toHaveLength(3);
    await send(experiment, forgedRows("hour"));
    const poisoned = await analyze(experiment);
    expect(poisoned.results).toEqual({});
    expect((await exclude(experiment, HOUR)).status).toBe(201);
    const after = await analyze(experiment);
    expect(after).toEqual({ ...before, exclusions: 1 });
    expect([before.exclusions, poisoned.exclusions, after.exclusions]).toEqual([0, 0, 1]);
    expect((await lift(experiment, 1)).status).toBe(201);
    const lifted = await analyze(experiment);
    expect([lifted.exclusions, lifted.srm]).toEqual([2, poisoned.srm]);
  });

  test.each<{ what: string; match: (publicKey: string) => unknown }>([
    { what: "what came with the public key", match: () => ({ source: "publishable" }) },
    { what: "what came with one key", match: (publicKey) => ({ key_prefix: keyPrefixOf(publicKey) }) },
    { what: "what one version of a client sent", match: () => ({ client: "assay-python/9.9.9" }) },
  ])("may be $what", async ({ what, match }) => {
    const experiment = await create();
    const publicKey = await api.newKey("publishable");
    await send(experiment, soundRows(what));
    const before = await analyze(experiment);
    const headers = { "user-agent": "assay-python/9.9.9" };
    await send(experiment, forgedRows(what), { key: publicKey, headers });
    expect((await analyze(experiment)).results).toEqual({});
    await exclude(experiment, match(publicKey));
    expect(await analyze(experiment)).toEqual({ ...before, exclusions: 1 });
  });

  test("leave a night that is run again the bits that it had before the poison, always-valid p included", async () => {
    const experiment = await create();
    const runs = `/v1/experiments/${experiment.id}/runs`;
    const night = async (daysAgo: number) => {
      const body = { day: dayOf(now - daysAgo * DAY_MS) };
      return (await api.call<WireRun>("POST", runs, { body })).body;
    };
    for (const [i, daysAgo] of [2, 2, 1].entries())
      await send(experiment, soundRows(`night-${i}`, AT - daysAgo * DAY_MS));
    expect(Object.keys((await night(2)).results)).toHaveLength(2);
    const before = await night(1);
    expect(Object.values(before.results)).toMatchObject(Array(2).fill({ p_value_seq: expect.any(Number) }));
    await send(experiment, forgedRows("night", AT - DAY_MS));
    expect((await night(1)).results).toEqual({});
    await exclude(experiment, hourOf(AT - DAY_MS));
    const after = await night(1);
    expect(after).toEqual({ ...before, revision: 3, revisions: [1, 2, 3], exclusions: 1 });
  });

  test("are in no live view, traffic, health, list or plan, and stay among the raw events", async () => {
    const experiment = await create();
    const { id } = experiment;
    const plan = async () => (await api.call("POST", `/v1/experiments/${id}/plan`, { body: {} })).body;
    await send(experiment, soundRows("live"));
    await analyze(experiment);
    const planned = await plan();
    await send(experiment, forgedRows("live"));
    await analyze(experiment);
    expect(await plan()).not.toEqual(planned);
    await exclude(experiment, HOUR);
    expect(await plan()).toEqual(planned);
    const read = async <T>(what: string) => (await api.call<T>("GET", `/v1/experiments/${id}/${what}`)).body;
    interface Counted {
      readonly users: Readonly<Record<string, number>>;
      readonly exposures: Readonly<Record<string, number>>;
    }
    const half = { control: USERS / 2, treatment: USERS / 2 };
    expect(await read<Counted>("live")).toMatchObject({ users: half, exposures: half });
    const { days } = await read<{ days: readonly Counted[] }>("traffic");
    expect(days).toMatchObject([{ users: half, exposures: half }]);
    interface Check {
      readonly code: string;
      readonly severity: string;
    }
    const { checks } = await read<{ checks: readonly Check[] }>("health");
    expect(checks).toContainEqual(expect.objectContaining({ code: "srm", severity: "ok" }));
    interface Standing {
      readonly id: string;
      readonly exposures: unknown;
    }
    const { exposures } = await read<Standing>("overview");
    const listed = (await api.call<{ items: readonly Standing[] }>("GET", "/v1/overview")).body.items;
    expect(listed.find((one) => one.id === id)?.exposures).toEqual(exposures);
    expect(JSON.stringify(exposures)).not.toContain(String(USERS / 2 + 400));
    const { items } = await read<{ items: readonly unknown[] }>("events?user_id=live-399");
    expect(items).toHaveLength(3);
  });

  test("are counted by arm before anything is stored, with a warning when the arms differ", async () => {
    const experiment = await create();
    await send(experiment, soundRows("dry"));
    await analyze(experiment);
    const dry = async (match: unknown) => {
      const body = { reason: "Looking.", match };
      return (await api.call<WirePreview>("POST", `${pathOf(experiment)}?dry_run=true`, { body })).body;
    };
    const some = await dry({ user_ids: ["dry-0", "dry-1", "nobody"] });
    expect(some.arms).toMatchObject([
      { arm: "control", users: USERS / 2, affected_users: 1, removed_users: 1 },
      { arm: "treatment", users: USERS / 2, affected_users: 1, removed_users: 1 },
    ]);
    expect(some).toMatchObject({ p_value: 1, differs: false, warning: null });
    const oneArm = await dry({ variant: "treatment", business_metric: "bought" });
    expect(oneArm.arms).toMatchObject([
      { affected_users: 0, removed_users: 0 },
      { affected_users: USERS / 6, removed_users: 0 },
    ]);
    expect(oneArm.differs).toBe(true);
    expect(oneArm.warning).toContain("control 0%, treatment 33.3%");
    expect(await list(experiment)).toEqual([]);
  });
});

describe("the list of exclusions", () => {
  test("is numbered, newest first, and says who did what, why and when", async () => {
    const [experiment, other] = [await create(), await create()];
    const first = await exclude(experiment, { user_ids: ["u1"] });
    expect(first.body).toEqual({
      number: 1,
      reason: "Bots.",
      match: { user_ids: ["u1"] },
      lifts: null,
      in_force: true,
      actor: expect.objectContaining({ name: expect.any(String) }),
      created_at: toInstant(now),
    });
    await exclude(experiment, HOUR, "A replayed file.");
    await exclude(other, HOUR);
    expect((await lift(experiment, 1)).body).toMatchObject({
      number: 3,
      match: null,
      lifts: 1,
      in_force: false,
    });
    const entries = await list(experiment);
    expect(entries.map(({ number, match, in_force }) => [number, match, in_force])).toEqual([
      [3, null, false],
      [2, HOUR, true],
      [1, { user_ids: ["u1"] }, false],
    ]);
    expect(await list(other)).toHaveLength(1);
  });

  test("shows in the audit log with the reason and the match, without the ids", async () => {
    const experiment = await create();
    await exclude(experiment, { user_ids: ["ann", "bob"], ...HOUR });
    await lift(experiment, 1);
    const { body } = await api.call<{ items: readonly unknown[] }>(
      "GET",
      `/v1/audit?target_id=${experiment.id}`,
    );
    expect(body.items.slice(0, 2)).toMatchObject([
      {
        action: "exclusion.lift",
        summary: "Lifted exclusion 1.",
        diff: { reason: { from: null, to: "They were real." } },
      },
      {
        action: "exclusion.create",
        summary: "Set events aside: exclusion 1.",
        diff: {
          reason: { from: null, to: "Bots." },
          user_ids: { from: null, to: "2 ids" },
          from: { from: null, to: HOUR.from },
          to: { from: null, to: HOUR.to },
        },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain("ann");
  });

  test("keeps one number for each of many that are added at once", async () => {
    const experiment = await create();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => exclude(experiment, { user_ids: [`u${i}`] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
    const numbers = (await list(experiment)).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, i) => 12 - i));
  });

  test.each([
    { what: "nothing", match: {}, pointer: "/match" },
    { what: "no user", match: { user_ids: [] }, pointer: "/match/user_ids" },
    {
      what: "too many events",
      match: { event_ids: Array.from({ length: 1_001 }, String) },
      pointer: "/match/event_ids",
    },
    {
      what: "a user id that is too long",
      match: { user_ids: ["u".repeat(257)] },
      pointer: "/match/user_ids/0",
    },
    { what: "an unknown source", match: { source: "carrier-pigeon" }, pointer: "/match/source" },
    { what: "an unknown variant", match: { variant: "Control" }, pointer: "/match/variant" },
    { what: "an empty range", match: { from: HOUR.from, to: HOUR.from }, pointer: "/match/to" },
    { what: "no time", match: { from: "yesterday" }, pointer: "/match/from" },
    { what: "a leap second", match: { from: "2026-06-30T23:59:60Z" }, pointer: "/match/from" },
    { what: "an unknown part", match: { metric: "bought" }, pointer: "/match/metric" },
    { what: "no reason", match: HOUR, reason: "", pointer: "/reason" },
    { what: "too long a reason", match: HOUR, reason: "r".repeat(1_001), pointer: "/reason" },
  ])("refuses $what, and a dry run of it", async ({ match, reason, pointer }) => {
    const experiment = await create();
    const { status, body } = await exclude(experiment, match, reason);
    expect([status, slugOf(body), body.errors?.map((error) => error.pointer)]).toEqual([
      400,
      "invalid-body",
      [pointer],
    ]);
    const dry = { body: { reason: reason ?? "Bots.", match } };
    expect((await api.call("POST", `${pathOf(experiment)}?dry_run=true`, dry)).status).toBe(400);
    expect(await list(experiment)).toEqual([]);
  });

  test.each([
    { what: "an unknown number", number: 9, kind: "exclusion-not-found" },
    { what: "an invalid number", number: 0, kind: "exclusion-not-found" },
    { what: "a lift", number: 2, kind: "exclusion-not-found" },
    { what: "one that is lifted", number: 1, kind: "exclusion-lifted" },
  ])("refuses to lift $what", async ({ number, kind }) => {
    const experiment = await create();
    await exclude(experiment, HOUR);
    await lift(experiment, 1);
    expect(slugOf((await lift(experiment, number)).body)).toBe(kind);
    expect(await list(experiment)).toHaveLength(2);
  });

  test("takes a variant that only an earlier version had", async () => {
    const experiment = await create();
    const change = {
      allocation: ["control", "treatment", "third"].map((variant) => ({ variant, weight: 1 })),
    };
    await api.call("PUT", `/v1/experiments/${experiment.id}`, { body: change });
    expect((await exclude(experiment, { variant: "third" })).status).toBe(201);
  });
});
