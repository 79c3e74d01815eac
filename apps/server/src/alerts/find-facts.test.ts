import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ControlPlane,
  DAY_MS,
  DEFAULT_PLAN,
  type EventStore,
  type Experiment,
  type MetricDefinition,
  monthOf,
  NO_VALUES,
  type StoredEvent,
} from "@assay/domain";
import { clickhouseEventStore, openSqliteControlPlane, startEmbeddedClickHouse } from "@assay/storage";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createOrgPlans } from "../plans/org-plans.ts";
import { findQuickFacts, findSlowFacts } from "./find-facts.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-facts-"));
const stops: (() => Promise<void>)[] = [];
const START = Date.UTC(2026, 2, 10, 12);
const HOUR_MS = 3_600_000;
let now = START;
const clock = { now: () => now };
let control: ControlPlane;
let events: EventStore;

beforeAll(async () => {
  control = openSqliteControlPlane({ file: join(folder, "control.sqlite"), newId: () => randomUUID() });
  await control.migrate();
  const log = pino({ level: "silent" });
  const engine = await startEmbeddedClickHouse({ dataDir: join(folder, "events"), log });
  events = clickhouseEventStore(engine);
  await events.migrate();
  stops.push(
    () => events.close(),
    () => engine.close(),
    () => control.close(),
  );
});
afterAll(async () => {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  now = START;
});

type Status = Awaited<ReturnType<Parameters<typeof findQuickFacts>[0]["judging"]["status"]>>;
const SOUND: Status = { model: "judge-1", fault: null, perMinute: 3 };

function depsOf({ isEnforced = true, status = SOUND } = {}) {
  const plans = createOrgPlans({ control, clock, changes: { subscribe: () => {} } }, isEnforced);
  const stopping = new AbortController().signal;
  return {
    control,
    events,
    clock,
    plans,
    stopping,
    log: pino({ level: "silent" }),
    judging: { status: async () => status },
  };
}

/** An org with a channel that takes everything. */
async function newOrg(hasChannel = true): Promise<string> {
  const member = { externalUserId: randomUUID(), externalOrgId: randomUUID() };
  await control.people.putMembership({ ...member, order: 1, role: "owner", isRemoved: false }, 0);
  const { orgId } = (await control.people.findAccess(member))!;
  if (hasChannel)
    await control.alertChannels.create({
      ...{ id: randomUUID(), orgId, name: "all", kind: "webhook", target: "", secret: null, types: null },
      ...{ previousSecret: null, previousUntil: null, isOn: true, createdAt: now, failingSince: null },
    });
  return orgId;
}

const newExperiment = (
  orgId: string,
  metrics: readonly MetricDefinition[] = [],
  name = "tone",
): Promise<Experiment> =>
  control.experiments.create({
    ...{ id: randomUUID(), orgId, version: 1, at: START - 9 * DAY_MS, by: "ann", bucketMap: [] },
    config: {
      ...{ name, salt: "s", bucketCount: 100, allocation: [{ variant: "control", weight: 1 }] },
      ...{
        coverage: 1,
        assignment: "assay",
        flagKey: null,
        visibility: "client",
        unit: "user",
        control: "control",
      },
      variants: [{ key: "control", prompt: null, variables: null, description: null, enabled: true }],
      ...{ tags: [], status: "running", metrics, plan: DEFAULT_PLAN, hypothesis: null, description: null },
      ...{
        decision: null,
        shippedVariant: null,
        qaUsers: {},
        holds: [],
        holdback: null,
        guard: null,
        rollout: null,
      },
    },
  });

const expose = ({ orgId, id: experimentId }: Experiment, at: number): Promise<unknown> => {
  const eventId = randomUUID();
  const event: StoredEvent = {
    ...{ ...NO_VALUES, orgId, experimentId, eventId, userId: eventId, type: "exposure" },
    ...{ variant: "control", occurredAt: at, receivedAt: at, isEligible: true },
  } as StoredEvent;
  return events.append([event]);
};

/** What was raised in an org so far, oldest first. */
async function raised(orgId: string): Promise<readonly (readonly [string, object])[]> {
  const [channel] = await control.alertChannels.list(orgId);
  const { items } = await control.alertDeliveries.list(orgId, channel!.id, { limit: 100 });
  return items.map(({ message: { type, data } }) => [type, data] as const).reverse();
}

test("an experiment without exposures for 24 hours is raised once, and again after some came", async () => {
  const [orgId, quiet] = [await newOrg(), await newOrg(false)];
  const [silent, busy] = [await newExperiment(orgId), await newExperiment(await newOrg())];
  await newExperiment(orgId, [], "new"); // It never had an exposure.
  const ignored = await newExperiment(quiet);
  for (const experiment of [silent, ignored]) await expose(experiment, START - 23 * HOUR_MS);
  await expose(busy, START - HOUR_MS);
  await findSlowFacts(depsOf());
  expect(await raised(orgId)).toEqual([]);
  now = START + 2 * HOUR_MS;
  for (let turn = 0; turn < 2; turn++) await findSlowFacts(depsOf());
  const fact = (lastExposureOn: string) => [
    "experiment.no_traffic",
    { experiment: { id: silent.id, name: "tone" }, lastExposureOn },
  ];
  expect(await raised(orgId)).toEqual([fact("2026-03-09")]);
  expect(await raised(busy.orgId)).toEqual([]);
  await expose(silent, now);
  await findSlowFacts(depsOf());
  now += 25 * HOUR_MS;
  await findSlowFacts(depsOf());
  expect(await raised(orgId)).toEqual([fact("2026-03-09"), fact("2026-03-10")]);
});

test("an org in which the look fails holds up no other", async () => {
  const orgs = [await newOrg(), await newOrg(), await newOrg()].sort() as [string, string, string];
  for (const orgId of orgs) await expose(await newExperiment(orgId), START - 30 * HOUR_MS);
  const deps = depsOf();
  const failing: EventStore = {
    ...events,
    exposuresByMinute: (query) =>
      query.orgId === orgs[1] ? Promise.reject(new Error("broken")) : events.exposuresByMinute(query),
  };
  await findSlowFacts({ ...deps, events: failing });
  const counts = await Promise.all(orgs.map(async (orgId) => (await raised(orgId)).length));
  expect(counts).toEqual([1, 0, 1]);
});

test("an unusual day of the publishable key is raised, when it is today or yesterday", async () => {
  const orgId = await newOrg();
  await control.keys.rotate({ orgId, scope: "publishable", hash: randomUUID(), sealed: null, createdAt: 0 });
  const send = (count: number, at: number) =>
    events.append(
      Array.from({ length: count }, () => ({
        ...{ ...NO_VALUES, orgId, experimentId: "x", eventId: randomUUID(), userId: "u", type: "exposure" },
        ...{ occurredAt: at, receivedAt: at, source: "publishable" },
      })) as never,
    );
  await send(1, START - 27 * DAY_MS);
  await send(1_002, START - 3 * DAY_MS);
  await send(4_500, START);
  for (let turn = 0; turn < 2; turn++) await findSlowFacts(depsOf());
  expect(await raised(orgId)).toEqual([["key.unusual", { day: "2026-03-10", events: 4_500, limit: 1_000 }]]);
});

test("the month's usage is raised at 80% and 100% of an enforced allowance", async () => {
  const orgId = await newOrg();
  const month = monthOf(now);
  const put = (count: number) => {
    now += 1;
    return control.usage.putEvents({ orgId, month, events: count });
  };
  const data = (count: number, allowance: number) => ({ month, events: count, allowance });
  await put(40_000);
  await findQuickFacts(depsOf({ isEnforced: false }));
  expect(await raised(orgId)).toEqual([]);
  for (let turn = 0; turn < 2; turn++) await findQuickFacts(depsOf());
  expect(await raised(orgId)).toEqual([["usage.80", data(40_000, 50_000)]]);
  await put(50_000);
  await findQuickFacts(depsOf());
  await control.plans.putOverride(orgId, "pro");
  await put(800_000);
  await findQuickFacts(depsOf());
  await control.plans.putOverride(orgId, "enterprise");
  await findQuickFacts(depsOf());
  expect(await raised(orgId)).toEqual([
    ["usage.80", data(40_000, 50_000)],
    ["usage.100", data(50_000, 50_000)],
    ["usage.80", data(800_000, 1_000_000)],
  ]);
});

test("a judge without scores is raised after a quarter of an hour, where somebody waits for them, until one arrives", async () => {
  const judged = {
    ...{ name: "kind", kind: "ratio", category: "quality", source: { event: "judge" } },
    judge: { rubric: "Is it kind?" },
  } as unknown as MetricDefinition;
  const [waiting, other] = [await newOrg(), await newOrg()];
  await newExperiment(waiting, [judged]);
  await newExperiment(other);
  const down: Status = {
    ...{ model: "judge-1", perMinute: 0 },
    fault: { detail: "The judge answers 500", since: now - 14 * 60_000 },
  };
  await findQuickFacts(depsOf({ status: down }));
  expect(await raised(waiting)).toEqual([]);
  now += 60_000;
  const fact = ["judge.down", { model: "judge-1", ...down.fault }];
  for (const status of [down, down, { ...down, fault: null }, down, { ...down, model: null, fault: null }])
    await findQuickFacts(depsOf({ status }));
  expect(await raised(waiting)).toEqual([fact]);
  expect(await raised(other)).toEqual([]);
  for (const status of [SOUND, down]) await findQuickFacts(depsOf({ status }));
  expect(await raised(waiting)).toEqual([fact, fact]);
});

test("what is old is removed, with what deleted orgs left", async () => {
  const orgId = await newOrg();
  await control.alerts.raise({
    ...{ type: "key.unusual", orgId, key: "k", at: now },
    data: { day: "2026-03-10" as never, events: 2, limit: 1 },
  });
  const [channel] = await control.alertChannels.list(orgId);
  await control.alertDeliveries.drop(channel!, "Switched off.");
  now += 30 * DAY_MS;
  await findSlowFacts(depsOf());
  expect(await raised(orgId)).toHaveLength(1);
  now += 1;
  await findSlowFacts(depsOf());
  expect(await raised(orgId)).toEqual([]);
});
