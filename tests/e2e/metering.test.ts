import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import {
  type Access,
  createExperiment,
  type Event,
  type EventAck,
  makeEvent,
  openAccess,
} from "./support/experiment.ts";
import type { Environment } from "./support/program.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { expectOk, metric, ownerSession, type RunningService, startService } from "./support/service.ts";
import { serverEngines } from "./support/shared-engines.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const FREE_EVENTS = 50_000;
const BATCH = 500;
const LANES = 6;
const REQUEST_MS = 80_000;

afterAll(cleanUp);

interface Problem {
  readonly type: string;
  readonly detail: string;
}

interface Storm {
  readonly batches: readonly (readonly Event[])[];
  /** The services as they are now: a killed one is replaced. */
  readonly services: RunningService[];
  readonly access: Access;
  readonly random: () => number;
}

interface Toll {
  /** Every answer's accepted rows together, repeats included. */
  accepted: number;
  /** Answers `allowance-exhausted`. */
  exhausted: number;
}

/** Sends every batch once to three times, to whichever service, until each was answered; a killed service loses answers. */
async function storm({ batches, services, access, random }: Storm, toll: Toll): Promise<void> {
  const copies = batches.flatMap((batch) =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => batch),
  );
  const left = copies.sort(() => random() - 0.5).values();
  const lane = async () => {
    for (const events of left) {
      while (!(await sendOnce(events, { services, access, random }, toll))) await sleep(100);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Storms for as long as kills go on, and once at least: a service that is started again finds senders at work. */
async function stormDuring(kills: Promise<void>, storms: Storm, toll: Toll): Promise<void> {
  let isOver = false;
  const rage = async () => {
    do await storm(storms, toll);
    while (!isOver);
  };
  const ended = kills.finally(() => {
    isOver = true;
  });
  await Promise.all([ended, rage()]);
}

async function sendOnce(
  events: readonly Event[],
  { services, access, random }: Omit<Storm, "batches">,
  toll: Toll,
): Promise<boolean> {
  const service = services[Math.floor(random() * services.length)] as RunningService;
  const request = { headers: access.key, body: events, timeoutMs: REQUEST_MS };
  const answer = await service.send<EventAck & Problem>("POST", "/v1/events", request).catch(() => null);
  if (answer?.status === 202) toll.accepted += answer.body.accepted;
  if (answer?.status === 429 && answer.body.type.endsWith("/allowance-exhausted")) toll.exhausted += 1;
  return answer !== null && [202, 429].includes(answer.status);
}

function batchesOf(experimentId: string, count: number): readonly (readonly Event[])[] {
  return Array.from({ length: count }, (_, batch) =>
    Array.from({ length: BATCH }, (_, index) => {
      const variant = index % 2 === 0 ? "control" : "treatment";
      return makeEvent(experimentId, { type: "exposure", user_id: `u-${batch}-${index}`, variant });
    }),
  );
}

async function killTwice(services: RunningService[], index: number, env: Environment): Promise<void> {
  for (let kill = 0; kill < 2; kill++) await killAndRestart(services, index, env);
}

/** Kills the process without a word, once it has accepted something new, and starts it again on its folder. */
async function killAndRestart(services: RunningService[], index: number, env: Environment): Promise<void> {
  const victim = services[index] as RunningService;
  const before = await metric(victim, "assay_events_accepted_total");
  await until(
    "it accepts more events",
    async () => (await metric(victim, "assay_events_accepted_total")) > before,
  );
  victim.program.signal("SIGKILL");
  await victim.program.exited;
  services[index] = await startService(victim.dataDir, env);
}

async function usedEvents(service: RunningService, { session }: Pick<Access, "session">): Promise<number> {
  const usage = service.send<{ events: { used: number } }>("GET", "/v1/usage", { headers: session });
  return (await expectOk(usage)).events.used;
}

const drained = (service: RunningService) =>
  until("the queue drains", async () => (await metric(service, "assay_queue_batches")) === 0);

test("a storm of repeated events across kills ends at exactly the month's allowance", async () => {
  const env = { ASSAY_ENFORCE_PLAN_LIMITS: "true" };
  const services = [await startService(temporaryFolder(), env)];
  const first = services[0] as RunningService;
  const access = await openAccess(first);
  const experimentId = await createExperiment(first, access, "metered");
  const batches = batchesOf(experimentId, FREE_EVENTS / BATCH + 10);
  const toll = { accepted: 0, exhausted: 0 };
  const storms = { batches, services, access, random: seededRandom(4) };
  await stormDuring(killTwice(services, 0, env), storms, toll);
  // What was answered while the service fell may be missing: once more, each batch.
  await storm(storms, toll);
  const service = services[0] as RunningService;
  await drained(service);
  expect(await usedEvents(service, access)).toBe(FREE_EVENTS);
  expect(toll.exhausted).toBeGreaterThan(0);
  expect(toll.accepted).toBeGreaterThan(FREE_EVENTS);

  const one = [makeEvent(experimentId, { type: "exposure", user_id: "late", variant: "control" })];
  const refused = await service.send<Problem>("POST", "/v1/events", { headers: access.key, body: one });
  expect(refused.status).toBe(429);
  expect(refused.body.type).toMatch(/\/allowance-exhausted$/);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("ratelimit-policy")).toMatch(/^"events-per-month";q=50000;w=\d+$/);
  expect(refused.headers.get("ratelimit")).toMatch(/^"events-per-month";r=0;t=\d+$/);
});

// Several processes belong on servers: where these are at hand, `npm test` runs this file on them as well.
if (!runsOnServers) {
  if (process.env.ASSAY_TEST_QUEUE_URL === undefined)
    console.warn("NOT RUN: metering by two processes. It needs servers: see `npm run servers`.");
} else {
  test("two processes that get the same events, one of them killed, count each event once and share the limit of test events", async () => {
    const env = await serverEngines();
    const services = [await startService(temporaryFolder(), env), await startService(temporaryFolder(), env)];
    const [keeper] = services as [RunningService, RunningService];
    const access = await openAccess(keeper);
    const experimentId = await createExperiment(keeper, access, "metered-twice");
    const batches = batchesOf(experimentId, 60);
    const toll = { accepted: 0, exhausted: 0 };
    const storms = { batches, services, access, random: seededRandom(5) };
    await stormDuring(killTwice(services, 1, env), storms, toll);
    for (const service of services) await drained(service);
    expect(toll.accepted).toBeGreaterThan(60 * BATCH);
    expect(await usedEvents(keeper, access)).toBe(60 * BATCH);
    expect(await testEventStatuses(services, experimentId)).toEqual([202, 202, 202, 202, 202, 429]);
    for (const service of services) await service.stop();
  });
}

/** Sends six test events in turn to each of the services. */
async function testEventStatuses(services: readonly RunningService[], experimentId: string) {
  const statuses: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const service = services[turn % services.length] as RunningService;
    const headers = await ownerSession(service);
    const path = `/v1/experiments/${experimentId}/test-event`;
    statuses.push((await service.send("POST", path, { headers })).status);
  }
  return statuses;
}
