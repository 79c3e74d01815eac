import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requireControlPlane, requireFolder } from "./required-parts.ts";

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "assay-parts-"));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

test("a folder with events whose control plane is gone is not taken for a new one", () => {
  requireControlPlane(path);
  mkdirSync(join(path, "events"));
  expect(() => requireControlPlane(path)).toThrow(
    /has events, but its control\.sqlite .* is missing or empty: restore/,
  );
  writeFileSync(join(path, "control.sqlite"), "");
  expect(() => requireControlPlane(path)).toThrow(expect.objectContaining({ name: "DataFolderError" }));
  writeFileSync(join(path, "control.sqlite-wal"), "pages that a crash left in the log");
  expect(() => requireControlPlane(path)).not.toThrow();
});

test.each([
  { part: "events" as const, says: /its events are missing: restore .* empty folder .*events to go on/ },
  {
    part: "queue" as const,
    says: /its queue of accepted events is missing: restore .* empty folder .*queue/,
  },
])("after the first analyzed night, a folder must have its $part", async ({ part, says }) => {
  await requireFolder(path, part, async () => false);
  const needed = requireFolder(path, part, async () => true);
  await expect(needed).rejects.toThrow(says);
  await expect(needed).rejects.toMatchObject({ name: "DataFolderError" });
  mkdirSync(join(path, part));
  await requireFolder(path, part, async () => true);
});

test("an empty file of the queue is no queue", async () => {
  mkdirSync(join(path, "queue"));
  writeFileSync(join(path, "queue", "data.mdb"), "");
  await requireFolder(path, "queue", async () => false);
  await expect(requireFolder(path, "queue", async () => true)).rejects.toThrow(/queue .* is missing/);
});
