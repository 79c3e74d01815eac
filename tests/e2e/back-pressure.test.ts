import { afterEach, expect } from "vitest";
import { testEmbedded } from "../servers/embedded-only.ts";
import { cleanUp } from "./support/clean-up.ts";
import { expectStoredOnce } from "./support/expect-stored-once.ts";
import { createExperiment, openAccess } from "./support/experiment.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { Sender } from "./support/sender.ts";
import { enginePids, metric, type RunningService, startService } from "./support/service.ts";
import { readStoredEvents } from "./support/stored-events.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

/** Far above what these routes take (about a millisecond), far below any wait for the engine. */
const FAST_MS = 5_000;
/** A probe that takes longer is a probe that failed: orchestrators wait one to a few seconds. */
const PROBE_MS = 5_000;
/** The supervisor gives up an engine after three heartbeats of five seconds. */
const REPLACED_MS = 80_000;

afterEach(cleanUp);

/** A service under load whose engine was just stopped. */
async function stall() {
  const dataDir = temporaryFolder();
  const service = await startService(dataDir);
  const access = await openAccess(service);
  const experimentId = await createExperiment(service, access, "stalled");
  const sender = new Sender({ access, experimentId, random: seededRandom(11), lanes: 2, batchSize: 20 });
  sender.start(service);
  await until("load is under way", () => sender.acknowledged.size > 200);
  const engine = service.enginePid();
  process.kill(engine, "SIGSTOP");
  return { service, access, experimentId, sender, engine };
}

/** Lets everything that was accepted arrive, and compares it with what was acknowledged. */
async function expectArrival(service: RunningService, sender: Sender): Promise<void> {
  await sender.stop();
  await until("the queue drains", async () => (await metric(service, "assay_queue_batches")) === 0);
  await service.stop();
  expect([...sender.refusals]).toEqual([]);
  expectStoredOnce(sender, await readStoredEvents(service.dataDir));
}

testEmbedded(
  "a stalled engine delays no ingest, assignment or config; after SIGCONT everything arrives",
  async () => {
    const { service, access, experimentId, sender, engine } = await stall();
    const accepted = sender.acknowledged.size;
    const slowest = await slowestOf(30, [
      () =>
        service.send("POST", "/v1/assign", {
          headers: access.key,
          body: { experiment_id: experimentId, user_id: `user-${Math.random()}` },
        }),
      () => service.send("GET", "/v1/config", { headers: access.key }),
      () => service.send("GET", "/healthz"),
    ]);
    expect(slowest).toBeLessThan(FAST_MS);
    await until("acknowledgements go on", () => sender.acknowledged.size > accepted + 1_000);
    expect(await metric(service, "assay_queue_batches")).toBeGreaterThan(10);
    process.kill(engine, "SIGCONT");
    await expectArrival(service, sender);
    expect(enginePids(service.program), "the engine was not replaced").toEqual([engine]);
  },
  60_000,
);

testEmbedded(
  "while an engine is stalled, the service is ready and reports itself as degraded; the engine is replaced",
  async () => {
    const { service, sender, engine } = await stall();
    const [ready, alive] = await Promise.all([
      service.send("GET", "/readyz", { timeoutMs: PROBE_MS }).then(
        ({ status, body }) => ({ status, body }),
        () => `no answer within ${PROBE_MS} ms`,
      ),
      service.send("GET", "/healthz", { timeoutMs: PROBE_MS }),
    ]);
    await sender.stop();
    await until("the engine is replaced", () => enginePids(service.program).at(-1) !== engine, REPLACED_MS);
    await until("the service lacks nothing", async () => {
      const { body } = await service.send<{ status: string }>("GET", "/readyz");
      return body.status === "ok";
    });
    await expectArrival(service, sender);
    expect(alive.status).toBe(200);
    expect(ready).toMatchObject({
      status: 200,
      body: {
        status: "degraded",
        checks: {
          control_plane: { status: "ok" },
          event_store: { status: "unavailable", required: false },
          queue: { status: "ok", required: true },
        },
      },
    });
  },
  90_000,
);

/** Runs the calls in turn, `rounds` times; returns the milliseconds of the slowest. Each must succeed. */
async function slowestOf(
  rounds: number,
  calls: readonly (() => Promise<{ readonly status: number }>)[],
): Promise<number> {
  let slowest = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const call of calls) {
      const startedAt = performance.now();
      expect((await call()).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
  }
  return slowest;
}
