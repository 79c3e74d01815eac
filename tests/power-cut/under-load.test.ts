import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { openLmdbQueue } from "@assay/storage";
import { afterEach, describe, expect, test } from "vitest";
import { storedEvent } from "../../packages/storage/src/contract-tests/stored-event.ts";
import { openSqliteFile } from "../../packages/storage/src/control/engine/sqlite.ts";
import { idBitsSql } from "../../packages/storage/src/events/sql/id-bits.ts";
import { syncPath } from "../../packages/storage/src/sync-path.ts";
import { cleanUp, onCleanUp } from "../e2e/support/clean-up.ts";
import { seededRandom } from "../e2e/support/seeded-random.ts";
import { inNight } from "../in-night.ts";
import { type CutDisk, type Ignored, mountCutDisk, whyNoCutDisk } from "./cut-disk.ts";
import { batchesOn, DELETED_SOON, LOGS, openStore } from "./disk-contents.ts";

const missing = whyNoCutDisk();
if (missing !== null)
  console.warn(`\n!!! SKIPPED: no power cut was simulated under load, because ${missing}.\n`);

afterEach(cleanUp);

/** Cuts of each engine. */
const CUTS = inNight(2, 10);
/** Longest time of load between two cuts. */
const LOAD_MS = 150;
const WRITERS = 4;
/** Reading what one cut left takes a second or two, and a busy machine far longer. */
const TIMEOUT_MS = CUTS * 60_000;

interface Load {
  /** Stores the `i`th item; it is acknowledged once this resolves. */
  readonly write: (i: number) => Promise<unknown>;
  /** Returns the items of a disk. */
  readonly read: (path: string) => Promise<readonly unknown[]>;
}

/**
 * Cuts at random instants while several writers write. Returns how many items were acknowledged before the last cut, and of
 * each cut how many of those it took; all of them if the disk could not be read.
 */
async function cutUnderLoad(disk: CutDisk, { write, read }: Load, cuts: number) {
  const random = seededRandom(cuts);
  const acknowledged: string[] = [];
  const lost: number[] = [];
  let next = 0;
  for (let seed = 1; seed <= cuts; seed += 1) {
    let isOver = false;
    const writing = Array.from({ length: WRITERS }, async () => {
      while (!isOver) {
        const i = next++;
        await write(i);
        acknowledged.push(String(i));
      }
    });
    await sleep(random() * LOAD_MS);
    const expected = acknowledged.slice();
    const path = await disk.cut(seed);
    isOver = true;
    await Promise.all(writing);
    const found = new Set((await read(path).catch(() => [])).map(String));
    lost.push(expected.filter((item) => !found.has(item)).length);
    rmSync(path, { recursive: true, force: true });
  }
  return { acknowledged: acknowledged.length, lost };
}

async function openQueue(path: string): Promise<Load> {
  const queue = await openLmdbQueue({ dir: join(path, "queue"), maxBytes: 2 ** 30 });
  onCleanUp(() => queue.close());
  const header = { orgId: "org", receivedAt: 1, rejected: [], experiments: {} };
  return { write: (i) => queue.append(header, Buffer.from(String(i))), read: batchesOn };
}

async function openControlPlane(path: string): Promise<Load> {
  const open = (folder: string) => openSqliteFile(join(folder, "control.sqlite"));
  const file = open(path);
  onCleanUp(() => file.close());
  syncPath(path); // as the data folder does
  file.exec("CREATE TABLE items (item INTEGER PRIMARY KEY)");
  const insert = file.prepare("INSERT INTO items VALUES (?)");
  return {
    async write(i) {
      insert.run(i);
      await nextTurn();
    },
    async read(cut) {
      const after = open(cut);
      try {
        return after.prepare("SELECT item FROM items").pluck().all();
      } finally {
        after.close();
      }
    },
  };
}

async function openEvents(path: string): Promise<Load> {
  const first = await openStore(path);
  await first.store.migrate();
  for (const table of LOGS)
    await first.client.command({ query: `ALTER TABLE ${table} MODIFY SETTING ${DELETED_SOON}` });
  await first.close();
  const { store } = await openStore(path);
  return {
    write: (i) => store.append([storedEvent({ eventId: String(i), userId: `u${i % 50}` })]),
    async read(cut) {
      const { rows, close } = await openStore(cut);
      const query = `SELECT DISTINCT event_id FROM raw_events WHERE event_id IN (SELECT event_id FROM analysis)
        AND ${idBitsSql("event_id")} IN (SELECT id FROM stored_ids)`;
      return (await rows(query).finally(close)).map((row) => (row as readonly unknown[])[0]);
    },
  };
}

const ENGINES: readonly { readonly engine: string; readonly open: (path: string) => Promise<Load> }[] = [
  { engine: "the queue", open: openQueue },
  { engine: "the control plane", open: openControlPlane },
  { engine: "the event store", open: openEvents },
];

describe.skipIf(missing !== null)("under load, power cuts", () => {
  test.each(ENGINES)(
    `destroy nothing that $engine acknowledged (${CUTS} cuts)`,
    async ({ engine, open }) => {
      const disk = await mountCutDisk();
      const { acknowledged, lost } = await cutUnderLoad(disk, await open(disk.path), CUTS);
      console.log(`${engine}: ${acknowledged} acknowledged, ${CUTS} cuts`);
      expect(acknowledged).toBeGreaterThan(CUTS);
      expect(lost).toEqual(lost.map(() => 0));
    },
    TIMEOUT_MS,
  );

  test.each(ENGINES)(
    "destroy acknowledged data of $engine if the disk only claims to sync",
    async ({ open }) => {
      const ignored: readonly Ignored[] = ["files", "folders"];
      const disk = await mountCutDisk(ignored);
      const { lost } = await cutUnderLoad(disk, await open(disk.path), 3);
      expect(Math.max(...lost)).toBeGreaterThan(0);
    },
  );
});
