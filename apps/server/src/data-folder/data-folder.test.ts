import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataFolderError, dataFolderOnDemand, openDataFolder } from "./data-folder.ts";

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

test("a folder of the previous version is closed to others, with everything in it", () => {
  const path = join(parent, "old");
  for (const folder of ["events/store/part", "queue"]) mkdirSync(join(path, folder), { recursive: true });
  const files = ["control.sqlite", "queue/queue.mdb", "events/store/part/data.bin"].map((name) =>
    join(path, name),
  );
  for (const file of files) writeFileSync(file, "");
  const outside = join(parent, "outside");
  writeFileSync(outside, "");
  writeFileSync(join(path, "format"), "1\n");
  symlinkSync(outside, join(path, "link"));
  for (const loose of [outside, ...files]) chmodSync(loose, 0o644);
  for (const folder of [path, join(path, "queue"), join(path, "events/store/part")]) chmodSync(folder, 0o755);
  openDataFolder(path);
  expect(looseIn(path)).toEqual([]);
  expect(statSync(outside).mode & 0o777).toBe(0o644);
});

test("a private folder with a loose file, as a restored backup has it, is closed too", () => {
  const path = join(parent, "restored");
  mkdirSync(join(path, "queue"), { recursive: true, mode: 0o700 });
  writeFileSync(join(path, "control.sqlite"), "");
  chmodSync(join(path, "control.sqlite"), 0o640);
  writeFileSync(join(path, "queue", "queue.mdb"), "");
  chmodSync(join(path, "queue", "queue.mdb"), 0o644);
  openDataFolder(path);
  expect(looseIn(path)).toEqual([]);
});

test("a folder of other files that others can reach is refused, and stays as it is", () => {
  const path = join(parent, "home");
  mkdirSync(path);
  writeFileSync(join(path, "letter"), "");
  chmodSync(join(path, "letter"), 0o644);
  chmodSync(path, 0o755);
  expect(() => openDataFolder(path)).toThrow(/has files that are not Assay's.*ASSAY_DATA_DIR/);
  expect([path, join(path, "letter")].map((one) => statSync(one).mode & 0o777)).toEqual([0o755, 0o644]);
  expect(readdirSync(path)).toEqual(["letter"]);
});

test("an empty disk, which has a folder of its own, is taken and closed to others", () => {
  const path = join(parent, "disk");
  mkdirSync(join(path, "lost+found"), { recursive: true });
  chmodSync(path, 0o755);
  openDataFolder(path);
  expect(looseIn(path)).toEqual([]);
});

/** What of a folder, itself included, other users may touch. */
function looseIn(path: string): readonly string[] {
  const inside = readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
  return [path, ...inside].filter((one) => {
    const found = lstatSync(one);
    return !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
  });
}

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
