import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ControlPlane } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeSigningKey } from "../identity/session-tokens.ts";
import { dataFolderOnDemand } from "./data-folder.ts";
import { checkMasterKey, loadSigningKey } from "./installation-secrets.ts";
import { createSealer } from "./seal.ts";

let root: string;
let control: ControlPlane;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "assay-secrets-"));
  control = openSqliteControlPlane({ file: join(root, "control.sqlite"), newId: randomUUID });
  await control.migrate();
});
afterEach(async () => {
  await control.close();
  rmSync(root, { recursive: true, force: true });
});

/** A process on the database, with a data folder of its own. */
const processWith = (folderName: string, masterKey: Buffer | null, isShared = true) => ({
  control: { installationSecrets: control.installationSecrets, isShared },
  folder: dataFolderOnDemand(join(root, folderName), () => {}),
  sealer: createSealer(masterKey ?? Buffer.alloc(32, 1)),
  clock: { now: () => 1 },
  settings: { masterKey },
});

test("processes that share a database and a master key sign with one key, and need no folder for it", async () => {
  const masterKey = randomBytes(32);
  const keys = await Promise.all([
    loadSigningKey(processWith("a", masterKey)),
    loadSigningKey(processWith("b", masterKey)),
  ]);
  expect(keys[0]).toEqual(keys[1]);
  expect(String(keys[0])).toContain("PRIVATE KEY");
  expect(await control.installationSecrets.find("identity-key")).not.toContain("PRIVATE");
});

test("the key of a data folder is taken over by the first process that comes with it", async () => {
  const masterKey = randomBytes(32);
  const own = makeSigningKey();
  const first = processWith("a", masterKey);
  first.folder.file("x");
  writeFileSync(join(root, "a", "identity.key"), own);
  expect(await loadSigningKey(first)).toEqual(own);
  expect(await loadSigningKey(processWith("b", masterKey))).toEqual(own);
});

test.each([
  { name: "on a database of its own", masterKey: randomBytes(32), isShared: false },
  { name: "with a master key of its own", masterKey: null, isShared: true },
])("a process $name keeps its key in its folder", async ({ masterKey, isShared }) => {
  const alone = processWith("a", masterKey, isShared);
  const key = await loadSigningKey(alone);
  expect(alone.folder.findSecret("identity.key")).toEqual(key);
  expect(await control.installationSecrets.find("identity-key")).toBeNull();
});

test("another master key than the first is refused in one line that says what to do", async () => {
  const masterKey = randomBytes(32);
  await checkMasterKey(processWith("a", masterKey));
  await checkMasterKey(processWith("b", masterKey));
  await expect(checkMasterKey(processWith("b", randomBytes(32)))).rejects.toThrow(
    /^ASSAY_MASTER_KEY is not the key [^\n]+ used at the first start\.$/,
  );
  await expect(checkMasterKey(processWith("b", null))).rejects.toThrow(/^The file master\.key [^\n]+\.$/);
});
