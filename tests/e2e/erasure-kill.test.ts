import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, makeEvent, openAccess, postEvents } from "./support/experiment.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { expectOk, metric, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const KILLS = 4;
/** From the answer to the erasure, past its first pass. */
const LATEST_KILL_MS = 4_000;
const SEED = 21;
const EVENTS = 500;
const LEAVES = "leaves/🙂";

afterAll(cleanUp);

test("an acknowledged erasure survives kills, including events that were queued at its request", async () => {
  const random = seededRandom(SEED);
  let service = await startService(temporaryFolder());
  const access = await openAccess(service);
  const experimentId = await createExperiment(service, access, "erased");
  const events = Array.from({ length: EVENTS }, (_, i) =>
    makeEvent(experimentId, {
      ...{ type: "exposure", user_id: i % 2 === 0 ? LEAVES : "stays", variant: "control" },
    }),
  );
  await postEvents(service, access, events);
  const path = `/v1/users/${encodeURIComponent(LEAVES)}`;
  const asked = await service.send("DELETE", path, { headers: access.session });
  expect(asked.status).toBe(202);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(kill === 0 ? 0 : random() * LATEST_KILL_MS); // The moment is the test's stimulus.
    service.program.signal("SIGKILL");
    await service.program.exited;
    service = await startService(service.dataDir);
  }
  const stored = async (userId: string) => (await exported(service, access, userId)).length;
  await until("the queue is drained", async () => (await metric(service, "assay_queue_batches")) === 0);
  await until("their events are gone", async () => (await stored(LEAVES)) === 0);
  expect(await stored("stays")).toBe(EVENTS / 2);
  await service.stop();
});

async function exported(
  service: RunningService,
  { session }: Access,
  userId: string,
): Promise<readonly string[]> {
  const path = `/v1/users/${encodeURIComponent(userId)}/events`;
  const lines = await expectOk(service.send<string>("GET", path, { headers: session }));
  return lines.split("\n").filter((line) => line !== "");
}
