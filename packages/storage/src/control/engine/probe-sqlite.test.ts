import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { newOrg } from "../../contract-tests/control-plane/fixtures.ts";
import { probeSqlite } from "./probe-sqlite.ts";
import { openSqliteControlPlane } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-probe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function makePlane(name: string) {
  const file = join(folder, name);
  const plane = openSqliteControlPlane({ file, newId: randomUUID });
  await plane.migrate();
  await newOrg(plane);
  return { file, plane };
}

test("a file in use is read beside its log", async () => {
  const { file, plane } = await makePlane("used.sqlite");
  expect(probeSqlite(file)).toBe("the file is whole");
  await newOrg(plane);
  await plane.close();
  expect(probeSqlite(file)).toBe("the file is whole");
});

test("a file that is not there is no fault", () => {
  expect(probeSqlite(join(folder, "nowhere.sqlite"))).toBe("no database yet");
});

test.each([
  ["is cut off", (file: string) => truncateSync(file, statSync(file).size / 2)],
  ["is no database", (file: string) => writeFileSync(file, "garbage ".repeat(1_000))],
])("a file that %s is said", async (name, damage) => {
  const { file, plane } = await makePlane(`${name}.sqlite`);
  await plane.close();
  damage(file);
  expect(() => probeSqlite(file)).toThrow(
    /^the database .* is damaged \(.+\): restore the data folder from a backup\.$/,
  );
});
