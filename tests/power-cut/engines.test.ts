import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLmdbQueue } from "@assay/storage";
import { afterEach, describe, expect, test } from "vitest";
import { openDataFolder } from "../../apps/server/src/data-folder/data-folder.ts";
import { storedEvent } from "../../packages/storage/src/contract-tests/stored-event.ts";
import { syncPath } from "../../packages/storage/src/sync-path.ts";
import { cleanUp, onCleanUp } from "../e2e/support/clean-up.ts";
import { until } from "../e2e/support/until.ts";
import { type CutDisk, type Ignored, mountCutDisk, whyNoCutDisk } from "./cut-disk.ts";
import { batchesOn, DELETED_SOON, LOGS, openStore } from "./disk-contents.ts";

const missing = whyNoCutDisk();
if (missing !== null) console.warn(`\n!!! SKIPPED: no power cut was simulated, because ${missing}.\n`);

afterEach(cleanUp);

/** What a cut leaves is drawn by chance. */
const SEEDS = [1, 2, 3, 4, 5, 6];
/** A disk that does what it says, and what each lie loses. */
const DISKS: readonly { readonly ignored: readonly Ignored[] }[] = [
  { ignored: [] },
  { ignored: ["files"] },
  { ignored: ["folders"] },
];

/** Returns what `read` finds after each cut; an error of it counts as a finding. */
async function afterCuts<T>(
  disk: CutDisk,
  read: (path: string) => Promise<T> | T,
  seeds = SEEDS,
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const seed of seeds) {
    const path = await disk.cut(seed);
    found.push(
      await Promise.resolve(path)
        .then(read)
        .catch((error: unknown) => String(error)),
    );
  }
  return found;
}

/** Expects the same after every cut; where something is not synced, something else at least once. */
function expectSurvival(found: readonly unknown[], wanted: unknown, isSynced: boolean): void {
  const all = found.map(() => wanted);
  if (isSynced) expect(found).toEqual(all);
  else expect(found).not.toEqual(all);
}

const NAMES = LOGS.map((name) => `'${name}'`).join(", ");
const COUNTS = `SELECT name, total_rows FROM system.tables
  WHERE database = currentDatabase() AND name IN (${NAMES}) ORDER BY name`;

async function countsOn(path: string): Promise<unknown> {
  const { rows, close } = await openStore(path);
  return rows(COUNTS).finally(close);
}

const countsOf = (count: number) => LOGS.map((name) => [name, String(count)]);

const someEvents = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => storedEvent({ eventId: `e${from + i}`, userId: `u${from + i}` }));

describe.skipIf(missing !== null)("a power cut", () => {
  test("destroys names and contents that were not synced, and nothing else", async () => {
    const disk = await mountCutDisk();
    const at = (name: string) => join(disk.path, name);
    mkdirSync(at("kept"));
    writeFileSync(at("kept/a"), "synced", { flush: true });
    writeFileSync(at("kept/b"), "not synced");
    syncPath(at("kept"));
    syncPath(disk.path);
    writeFileSync(at("kept/c"), "its name is not synced", { flush: true });
    renameSync(at("kept/a"), at("kept/d"));
    const found = await afterCuts(
      disk,
      (path) =>
        ["a", "b", "c", "d"].map((name) => {
          const file = join(path, "kept", name);
          return existsSync(file) ? readFileSync(file, "utf8") : null;
        }),
      Array.from({ length: 60 }, (_, seed) => seed),
    );
    const [c, b] = ["its name is not synced", "not synced"];
    const states = [b, ""].flatMap((content) => [
      ["synced", content, null, null],
      ["synced", content, c, null],
      [null, content, c, "synced"],
    ]);
    expect(new Set(found.map(String))).toEqual(new Set(states.map(String)));
  });

  test.each(DISKS)("leaves the secrets of the data folder (syncs ignored: $ignored)", async ({ ignored }) => {
    const disk = await mountCutDisk(ignored);
    const folder = openDataFolder(join(disk.path, "new", "data"));
    folder.secret("master.key", () => Buffer.from("secret"));
    const found = await afterCuts(disk, (path) => {
      const after = openDataFolder(join(path, "new", "data"));
      return String(after.findSecret("master.key"));
    });
    expectSurvival(found, "secret", ignored.length === 0);
  });

  test.each(DISKS)("leaves the queue's batches (syncs ignored: $ignored)", async ({ ignored }) => {
    const disk = await mountCutDisk(ignored);
    const queue = await openLmdbQueue({ dir: join(disk.path, "queue") });
    onCleanUp(() => queue.close());
    const header = { orgId: "org", receivedAt: 1, rejected: [], experiments: {} };
    for (let batch = 0; batch < 20; batch += 1) await queue.append(header, Buffer.from(`batch ${batch}`));
    const found = await afterCuts(disk, async (path) => (await batchesOn(path)).length, SEEDS.slice(0, 3));
    expectSurvival(found, 20, ignored.length === 0);
  });

  test.each(DISKS)("leaves tables and events (syncs ignored: $ignored)", async ({ ignored }) => {
    const disk = await mountCutDisk(ignored);
    const { store } = await openStore(disk.path);
    await store.migrate();
    await store.append(someEvents(0, 300));
    expectSurvival(await afterCuts(disk, countsOn, [1, 2]), countsOf(300), ignored.length === 0);
  });

  test.each([1, 0])("leaves the events of merged parts (merges are synced: %i)", async (synced) => {
    const disk = await mountCutDisk();
    const settings = `${DELETED_SOON}, min_rows_to_fsync_after_merge = ${synced}`;
    const first = await openStore(disk.path);
    await first.store.migrate();
    for (const table of LOGS)
      await first.client.command({ query: `ALTER TABLE ${table} MODIFY SETTING ${settings}` });
    await first.close();
    const { store, client, rows } = await openStore(disk.path);
    for (let from = 0; from < 300; from += 100) await store.append(someEvents(from, 100));
    for (const table of LOGS) await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    const old = `SELECT name FROM system.parts WHERE database = currentDatabase() AND table IN (${NAMES}) AND NOT active`;
    await until("the merged parts are deleted", async () => (await rows(old)).length === 0);
    await store.append(someEvents(300, 1)); // brings that to the disk
    expectSurvival(await afterCuts(disk, countsOn, [1, 2]), countsOf(301), synced === 1);
  });
});
