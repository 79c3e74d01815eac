import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { addDays, type Day, dayOf, endOfDay } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";

/** Days before today that a service which has just started would analyse by itself, and a few more. */
const CAUGHT_UP_DAYS = 9;
const FILE = "control.sqlite";
const COPY = "control-before.sqlite";

/** The day whose night the bench runs: none that the service catches up with by itself when it starts. */
export function nightOfBench(): Day {
  return addDays(dayOf(Date.now()), -CAUGHT_UP_DAYS - 1);
}

/**
 * Marks the nights after that one as done, so that a service that starts has none to catch up with, and keeps a copy of the
 * control plane. No service may run on the folder.
 */
export async function skipLaterNights(dataDir: string): Promise<{ readonly orgId: string }> {
  const control = openSqliteControlPlane({ file: join(dataDir, FILE), newId: () => crypto.randomUUID() });
  const now = Date.now();
  const experiments = await control.experiments.listForNightly(now);
  for (const { orgId, id: experimentId } of experiments) {
    for (let days = 1; days <= CAUGHT_UP_DAYS; days++) {
      const day = addDays(dayOf(now), -days);
      await control.pipelineRuns.claim({
        orgId,
        experimentId,
        day,
        windowTo: endOfDay(day),
        now,
        leaseUntil: now,
      });
      const ended = { experimentId, day, startedAt: now, now, detail: null };
      await control.pipelineRuns.finish({ ...ended, outcome: "computed" });
    }
  }
  await control.close();
  await copyFile(join(dataDir, FILE), join(dataDir, COPY));
  const [first] = experiments;
  if (first === undefined) throw new Error("The bench made no experiment.");
  return { orgId: first.orgId };
}

/** Brings the control plane back to the copy: the night has not run yet. No service may run on the folder. */
export async function forgetNights(dataDir: string): Promise<void> {
  for (const suffix of ["-wal", "-shm"]) await rm(join(dataDir, FILE + suffix), { force: true });
  await copyFile(join(dataDir, COPY), join(dataDir, FILE));
}
