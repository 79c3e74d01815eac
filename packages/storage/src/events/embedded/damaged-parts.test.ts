import { randomUUID } from "node:crypto";
import {
  existsSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storedEvent, wholeExperiment } from "../../contract-tests/stored-event.ts";
import { openEventsMove } from "../../move/copy-events.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { startEmbeddedClickHouse } from "./embedded-clickhouse.ts";
import { silentLog, temporaryFolder } from "./temporary-clickhouse.ts";

const orgId = randomUUID();
let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryFolder();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** Runs `work` on the folder's store and engine, and closes both. */
async function withStore<T>(work: (parts: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const parts = await open();
  try {
    return await work(parts);
  } finally {
    await parts.store.close();
    await parts.embedded.close();
  }
}

async function open() {
  const embedded = await startEmbeddedClickHouse({ dataDir, log: silentLog });
  const store = clickhouseEventStore({ ...embedded });
  const run = async (sql: string) => {
    const { url, username, password } = embedded;
    const answer = await fetch(`${url}/?query=${encodeURIComponent(sql)}`, {
      method: "POST",
      headers: { "X-ClickHouse-User": username, "X-ClickHouse-Key": password },
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.text()).trim();
  };
  return { embedded, store, run };
}

/** Tables that an analysis computes from the events. */
const COMPUTED = ["unit_states", "unit_days", "day_folds"];

/** Stores ten exposures in one part per table, and a row in each table that is computed. */
const storeSome = () =>
  withStore(async ({ store, run }) => {
    await store.migrate();
    await store.append(
      Array.from({ length: 10 }, (_, i) => storedEvent({ orgId, eventId: `e${i}`, variant: "a" })),
    );
    for (const table of COMPUTED) await run(`INSERT INTO ${table} (org_id) VALUES ('${orgId}')`);
  });

const readTraffic = () =>
  withStore(async ({ store }) => {
    await store.migrate();
    return store.traffic(wholeExperiment(orgId));
  });

/** Folders of a table's parts. */
function partsOf(table: string, below = ""): string[] {
  const folder = join(dataDir, "data/default", table, below);
  const inside = readdirSync(folder).filter((name) => existsSync(join(folder, name, "columns.txt")));
  return inside.map((name) => join(folder, name));
}

const fileOf = (table: string) => join(partsOf(table)[0] ?? "", "data.bin");

test("a store with a part that is cut off does not start with fewer events, but says which are gone", async () => {
  await storeSome();
  truncateSync(fileOf("analysis"), 20);
  await expect(readTraffic()).rejects.toMatchObject({ name: "StartupError" });
  await expect(readTraffic()).rejects.toThrow(/1 part of analysis.* backup.*delete .*broken-on-start/);
  for (const folder of partsOf("analysis", "detached")) rmSync(folder, { recursive: true });
  expect(await readTraffic()).toEqual([]);
});

test.each([
  ["the folder of a table", () => realpathSync(join(dataDir, "data/default/analysis"))],
  ["the tables' definitions", () => join(dataDir, "metadata/default")],
])("a store without %s does not start empty, but names what is gone", async (_, find) => {
  await storeSome();
  const gone = find();
  rmSync(gone, { recursive: true });
  await expect(readTraffic()).rejects.toMatchObject({ name: "StartupError" });
  await expect(readTraffic()).rejects.toThrow(
    `Stored events are damaged: ${gone} is missing. Restore the data folder from a backup.`,
  );
});

test("a folder with a part that is cut off is not moved with fewer events", async () => {
  await storeSome();
  truncateSync(fileOf("raw_events"), 20);
  const copied = withStore(async ({ embedded }) => {
    const move = openEventsMove(embedded, embedded);
    await move.copy({ onChunk() {} }).finally(() => move.close());
  });
  await expect(copied).rejects.toThrow(/1 part of raw_events/);
});

test("a store with changed bytes says so when they are read", async () => {
  await storeSome();
  invert(fileOf("analysis"), 40);
  await expect(readTraffic()).rejects.toMatchObject({
    kind: "storage-unavailable",
    message: expect.stringMatching(/damaged.*backup/),
  });
});

test("a store says so when a file is cut off while it runs", async () => {
  await storeSome();
  const read = withStore(async ({ store }) => {
    await store.migrate();
    truncateSync(fileOf("analysis"), 20);
    return store.traffic(wholeExperiment(orgId));
  });
  await expect(read).rejects.toMatchObject({
    kind: "storage-unavailable",
    message: expect.stringMatching(/damaged.*backup/),
  });
});

test.each(COMPUTED)(
  "a start empties %s where it is damaged, because it is computed from events",
  async (table) => {
    await storeSome();
    truncateSync(fileOf(table), 20);
    expect(await readTraffic()).toMatchObject([{ exposures: 10 }]);
    const left = await withStore(({ run }) =>
      Promise.all(COMPUTED.map((name) => run(`SELECT count() FROM ${name}`))),
    );
    expect(left).toEqual(["0", "0", "0"]);
    expect(partsOf(table, "detached")).toEqual([]);
  },
);

function invert(file: string, at: number): void {
  const handle = openSync(file, "r+");
  const byte = Buffer.alloc(1);
  readSync(handle, byte, 0, 1, at);
  writeSync(handle, Buffer.from([byte[0]! ^ 0xff]), 0, 1, at);
}
