import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { addDays, type Day, dayOf, endOfDay } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import SqliteFile from "better-sqlite3";

/** The days before today that a newly started service would analyze by itself, and a few more. */
const CAUGHT_UP_DAYS = 9;
const FILE = "control.sqlite";
const COPY = "control-before.sqlite";

/** The day whose night the bench runs. It is too old for the service to catch up with at start-up. */
export function nightOfBench(): Day {
  return addDays(dayOf(Date.now()), -CAUGHT_UP_DAYS - 1);
}

/**
 * Marks the later nights as done, so that a newly started service has none to catch up with, and keeps a copy
 * of the control plane. No service may use the folder meanwhile.
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
  // While a killed service is still ending, closing the file leaves the newest rows in the write-ahead log. A plain copy would lack them.
  const file = new SqliteFile(join(dataDir, FILE), { readonly: true });
  await file.backup(join(dataDir, COPY));
  file.close();
  const [first] = experiments;
  if (first === undefined) throw new Error("The bench created no experiment.");
  return { orgId: first.orgId };
}

/**
 * Restores the control plane from the copy, in which the night has not run yet. No service may use the folder
 * meanwhile.
 */
export async function forgetNights(dataDir: string): Promise<void> {
  for (const suffix of ["-wal", "-shm"]) await rm(join(dataDir, FILE + suffix), { force: true });
  await copyFile(join(dataDir, COPY), join(dataDir, FILE));
}
