import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changesDefinitions, syncDefinitions } from "./sync-definitions.ts";
import { temporaryFolder } from "./temporary-clickhouse.ts";

test.each([
  ["CREATE TABLE a (b Int8) ENGINE = Memory", true],
  ["\n  alter table a DELETE WHERE b = 1", true],
  ["DELETE FROM a WHERE 1", true],
  ["RENAME TABLE a TO b", true],
  ["DROP VIEW a", true],
  ["SELECT 'CREATE TABLE'", false],
  ["INSERT INTO a SELECT 1", false],
  ["KILL QUERY WHERE 1", false],
])("%j changes definitions: %j", (sql, changes) => {
  expect(changesDefinitions(sql)).toBe(changes);
});

test("syncs a folder in which links and absent parts are, as a new engine's", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "store", "abc", "table"), { recursive: true });
  await writeFile(join(folder, "store", "abc", "table", "mutation_1.txt"), "x");
  await expect(syncDefinitions(folder)).resolves.toBeUndefined();
  await expect(syncDefinitions(join(folder, "store", "abc", "table", "mutation_1.txt"))).rejects.toThrow(
    "ENOTDIR",
  );
});
