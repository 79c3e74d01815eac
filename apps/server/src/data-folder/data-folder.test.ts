import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataFolderError, dataFolderOnDemand, openDataFolder } from "./data-folder.ts";
import { createSealer } from "./seal.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "assay-folder-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

test("makes the folder for its owner only, and keeps a secret over restarts", () => {
  const path = join(parent, "a", "b");
  const made = openDataFolder(path).secret("k", () => Buffer.from("one"));
  const read = openDataFolder(path).secret("k", () => Buffer.from("two"));
  expect(made.toString()).toBe("one");
  expect(read.toString()).toBe("one");
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "k")).mode & 0o777).toBe(0o600);
});

test("tightens a secret that others could read", () => {
  const folder = openDataFolder(parent);
  writeFileSync(folder.file("k"), "one", { mode: 0o644 });
  folder.secret("k", () => Buffer.from("two"));
  expect(statSync(folder.file("k")).mode & 0o777).toBe(0o600);
});

test.each([
  { name: "a file in the way", path: () => join(parent, "file"), says: /not a folder/ },
  { name: "a file for a parent", path: () => join(parent, "file", "below"), says: /not a folder/ },
  {
    name: "a disk that takes no files",
    path: () => "/proc/assay",
    says: /cannot be created|cannot be written/,
  },
  { name: "a folder of a newer version", path: () => join(parent, "newer"), says: /newer version/ },
])("$name stops start-up with one line that says what to do", ({ path, says }) => {
  writeFileSync(join(parent, "file"), "");
  openDataFolder(join(parent, "newer"));
  writeFileSync(join(parent, "newer", "format"), "99\n");
  const open = () => openDataFolder(path());
  expect(open).toThrow(DataFolderError);
  expect(open).toThrow(says);
  expect(open).toThrow(/ASSAY_DATA_DIR/);
  expect(open).not.toThrow(/\n/);
});

test("what is sealed opens under the same key only, and not when altered", () => {
  const sealer = createSealer(Buffer.alloc(32, 1));
  const sealed = sealer.seal("svc_sk_ünïcode");
  expect(sealed).not.toContain("svc_sk_");
  expect(sealer.seal("svc_sk_ünïcode")).not.toBe(sealed);
  expect(sealer.open(sealed)).toBe("svc_sk_ünïcode");
  expect(createSealer(Buffer.alloc(32, 2)).open(sealed)).toBeNull();
  expect(sealer.open(`${sealed.slice(0, -2)}AA`)).toBeNull();
  expect(sealer.open("v1.a.b")).toBeNull();
  expect(sealer.open("v0.a.b.c")).toBeNull();
});

test("on demand is made when something is first kept in it, and then opened once", () => {
  const path = join(parent, "later");
  let opened = 0;
  const folder = dataFolderOnDemand(path, () => {
    opened += 1;
  });
  expect(folder.findSecret("k")).toBeNull();
  expect([opened, existsSync(path)]).toEqual([0, false]);
  folder.secret("k", () => Buffer.from("one"));
  folder.file("x");
  expect([opened, String(folder.findSecret("k"))]).toEqual([1, "one"]);
});
