import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, expect, test } from "vitest";
import { openLmdbQueue } from "./lmdb.ts";
import { explainOpening, mayBeCutOff } from "./lmdb-file.ts";
import { probeLmdb } from "./probe-lmdb.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-probe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newDir = (name: string) => join(folder, name);

/** Makes a queue of `batches` batches of 20 kB. */
async function makeQueue(dir: string, batches: number) {
  const queue = await openLmdbQueue({ dir });
  const header = { orgId: "org", receivedAt: 1, rejected: [], experiments: {} };
  for (let batch = 0; batch < batches; batch += 1) await queue.append(header, Buffer.alloc(20_000, 46));
  return queue;
}

test("the records of a queue in use are counted, without changing it", async () => {
  const dir = newDir("used");
  const queue = await makeQueue(dir, 3);
  await queue.bury(await queue.claim(1, 1), "for this test");
  expect(await probeLmdb(dir)).toBe("2 batches wait to be stored, 1 dead letter");
  expect(await probeLmdb(dir)).toBe("2 batches wait to be stored, 1 dead letter");
  await queue.append({ orgId: "org", receivedAt: 2, rejected: [], experiments: {} }, Buffer.from("more"));
  expect(await probeLmdb(dir)).toBe("3 batches wait to be stored, 1 dead letter");
  await queue.close();
});

test.each([
  ["is cut off", (file: string) => truncateSync(file, statSync(file).size / 2)],
  ["is shorter than a page", (file: string) => truncateSync(file, 100)],
  ["is no queue", (file: string) => writeFileSync(file, Buffer.alloc(100_000, "garbage"))],
])("a queue whose file %s is not opened, and ends nobody's process", async (name, damage) => {
  const dir = newDir(`open ${name}`);
  const queue = await makeQueue(dir, 20);
  await queue.close();
  damage(join(dir, "data.mdb"));
  const says = `The queue in ${dir} cannot be read; its file is damaged or cut off: restore the data folder from a backup.`;
  await expect(openLmdbQueue({ dir })).rejects.toThrow(says);
  await expect(probeLmdb(dir)).rejects.toThrow(says);
});

test("a folder that is missing or empty has no queue yet", async () => {
  const dir = newDir("empty");
  expect(await probeLmdb(dir)).toBe("no queue yet");
  mkdirSync(dir);
  expect(await probeLmdb(dir)).toBe("no queue yet");
});

test("a queue whose last pages were taken and given back at once is whole, though its file ends before them", async () => {
  const dir = newDir("whole");
  await (await makeQueue(dir, 1)).close();
  const env = open({ path: dir, noSubdir: false, maxDbs: 4 });
  const buried = env.openDB<Uint8Array, number>({ name: "buried", encoding: "binary" });
  for (let key = 0; key < 1_000 && !mayBeCutOff(dir); key += 1) {
    await env.transaction(() => {
      for (let i = 0; i < 5; i += 1) buried.put(10 * key + i, Buffer.alloc(30_000 * (1 + (key % 7))));
      for (let i = 0; i < 5; i += 1) buried.remove(10 * key + i);
    });
    await env.flushed;
  }
  await env.close();
  expect(mayBeCutOff(dir)).toBe(true);
  const queue = await openLmdbQueue({ dir });
  expect((await queue.depth()).batches).toBe(1);
  await queue.close();
});

test("a folder without a queue has none yet", async () => {
  expect(await probeLmdb(newDir("nowhere"))).toBe("no queue yet");
});

test.each([
  ["is cut off", (file: string) => truncateSync(file, statSync(file).size / 2)],
  ["is no queue", (file: string) => writeFileSync(file, Buffer.alloc(100_000, "garbage"))],
  ["is empty", (file: string) => truncateSync(file, 0)],
])("a file that %s is said, and ends nobody's process", async (name, damage) => {
  const dir = newDir(name);
  await (await makeQueue(dir, 20)).close();
  damage(join(dir, "data.mdb"));
  await expect(probeLmdb(dir)).rejects.toThrow(
    `The queue in ${dir} cannot be read; its file is damaged or cut off: restore the data folder from a backup.`,
  );
});

test.each([
  "Operation not permitted: Attempting to setup locks",
  "EACCES: permission denied, open '/data/queue/data.mdb'",
  "No space left on device",
])("a queue that the system refuses (%s) is not called damaged", (text) => {
  const explained = explainOpening("/data/queue", new Error(text));
  expect(String(explained)).toMatch(
    /The queue in \/data\/queue cannot be opened \(.*\): check its disk, and that/,
  );
});

test("an error of LMDB's own is damage, and any other stays as it is", () => {
  const invalid = explainOpening("/data/queue", new Error("MDB_INVALID: File is not an LMDB file"));
  expect(String(invalid)).toContain("its file is damaged or cut off");
  const other = new Error("Cannot allocate memory");
  expect(explainOpening("/data/queue", other)).toBe(other);
});
