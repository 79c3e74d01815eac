import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { inNight } from "../in-night.ts";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import { expectStoredOnce } from "./support/expect-stored-once.ts";
import { type Access, createExperiment, openAccess } from "./support/experiment.ts";
import { isAlive } from "./support/process-table.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { Sender } from "./support/sender.ts";
import { enginePids, expectOk, metric, type RunningService, startService } from "./support/service.ts";
import { readStoredEvents } from "./support/stored-events.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

type Victim = "service" | "engine" | "both";

/** Servers are not this suite's to kill. */
const VICTIMS: readonly Victim[] = runsOnServers
  ? ["service", "service", "service"]
  : ["service", "engine", "both", "service", "engine", "service", "both", "service"];
const ROUNDS = VICTIMS.slice(0, inNight(5, 8));
const MOST_EXTRA = 10;
const SEED = 20_261_121;
/** A kill comes this long after the round's first acknowledged batch: anywhere in one to three flushes of the consumer. */
const LATEST_KILL_MS = 1_500;

afterAll(cleanUp);

test("acknowledged events are stored exactly once, whichever process is killed and whenever", async () => {
  const dataDir = temporaryFolder();
  const random = seededRandom(SEED);
  let service = await startService(dataDir);
  const access = await openAccess(service);
  const experimentId = await createExperiment(service, access, "killed");
  const sender = new Sender({ access, experimentId, random });
  let redelivered = 0;
  for (const victim of ROUNDS) {
    service = await playRound(service, { victim, sender, random });
    redelivered += await metric(service, "assay_queue_batches");
  }
  // The few kills of a push may all come between two batches: more are tried until one meets a batch that is then given up.
  for (let extra = 0; extra < MOST_EXTRA && sender.sent.size === sender.acknowledged.size; extra++)
    service = await playRound(service, { victim: "service", sender, random });
  const counted = await countedByApi(service, access, experimentId);
  await service.stop();
  const stored = await readStoredEvents(dataDir);
  expect(sender.acknowledged.size).toBeGreaterThan(600 * ROUNDS.length);
  expect(redelivered).toBeGreaterThan(0); // Kills met batches that were acknowledged and not yet stored.
  expect(sender.sent.size).toBeGreaterThan(sender.acknowledged.size); // Some batches were given up unanswered.
  expect([...sender.refusals]).toEqual([]);
  expectStoredOnce(sender, stored);
  expect(counted).toEqual({
    traffic: stored.exposuresByVariant,
    live: stored.exposuresByVariant,
    metered: stored.eventIds.length,
  });
});

interface Round {
  readonly victim: Victim;
  readonly sender: Sender;
  readonly random: () => number;
}

/** Kills the victim while the sender sends, and returns the service that runs afterwards. */
async function playRound(
  service: RunningService,
  { victim, sender, random }: Round,
): Promise<RunningService> {
  const before = sender.acknowledged.size;
  sender.start(service);
  await until("a first batch is acknowledged", () => sender.acknowledged.size > before);
  await sleep(random() * LATEST_KILL_MS); // The moment is the test's stimulus; nothing is awaited with it.
  const engines = enginePids(service.program);
  if (victim !== "service") process.kill(service.enginePid(), "SIGKILL");
  if (victim !== "engine") service.program.signal("SIGKILL");
  if (victim === "engine") return survive(service, engines, sender);
  await service.program.exited;
  await sender.stop();
  await until("no engine outlives its killed service", () => !engines.some(isAlive));
  return startService(service.dataDir);
}

async function survive(
  service: RunningService,
  engines: readonly number[],
  sender: Sender,
): Promise<RunningService> {
  const before = sender.acknowledged.size;
  await until("the engine is replaced", () => enginePids(service.program).length > engines.length);
  await until("batches are acknowledged meanwhile", () => sender.acknowledged.size > before);
  await sender.stop();
  return service;
}

/** Waits until the queue is empty and reads the exposures per variant as the two routes tell them, and the metered events. */
async function countedByApi(service: RunningService, { session }: Access, experimentId: string) {
  await until("the queue drains", async () => (await metric(service, "assay_queue_batches")) === 0);
  const read = <T>(route: string) =>
    expectOk(service.send<T>("GET", `/v1/experiments/${experimentId}/${route}`, { headers: session }));
  const live = await read<{ exposures: Record<string, number> }>("live");
  const traffic = await read<{ days: { exposures: Record<string, number> }[] }>("traffic");
  const total: Record<string, number> = {};
  for (const { exposures } of traffic.days) {
    for (const [variant, count] of Object.entries(exposures)) total[variant] = (total[variant] ?? 0) + count;
  }
  const usage = service.send<{ events: { used: number } }>("GET", "/v1/usage", { headers: session });
  return { traffic: total, live: live.exposures, metered: (await expectOk(usage)).events.used };
}
