import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { ingestQueueContract } from "../contract-tests/ingest-queue.ts";
import { openLmdbQueue } from "./lmdb.ts";

const root = mkdtempSync(join(tmpdir(), "assay-lmdb-"));
let stores = 0;
const newDir = () => join(root, `store-${++stores}`);

afterAll(() => rmSync(root, { recursive: true, force: true }));

ingestQueueContract("LMDB", () => {
  const dir = newDir();
  return (options) => openLmdbQueue({ dir, ...options });
});

const childScript = join(import.meta.dirname, "test-support", "append-until-killed.ts");

/** Starts the appending child; `limitKiB` first limits the size of its files. */
function startAppending(dir: string, prefix: string, limitKiB: number | "unlimited") {
  const command = `ulimit -S -f ${limitKiB} && exec "$0" "$@"`;
  const child = spawn("bash", ["-c", command, process.execPath, childScript, dir, prefix], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return { child, ended, lines: createInterface({ input: child.stdout }) };
}

async function storedIds(dir: string): Promise<Set<string>> {
  const queue = await openLmdbQueue({ dir });
  const batches = await queue.claim(1_000_000, 1e12);
  await queue.close();
  return new Set(batches.map(({ body }) => Buffer.from(body).toString().split(" ")[0] ?? ""));
}

test("keeps every acked batch after repeated kill -9 during writes", async () => {
  const dir = newDir();
  const acked: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const { child, ended, lines } = startAppending(dir, `round${round}`, "unlimited");
    let ackedNow = 0;
    for await (const line of lines) {
      acked.push(line.replace("acked ", ""));
      ackedNow += 1;
      if (ackedNow === 150 + 37 * round) child.kill("SIGKILL");
    }
    await ended;
    expect(ackedNow).toBeGreaterThanOrEqual(150);
  }
  const stored = await storedIds(dir);
  expect(acked.filter((id) => !stored.has(id))).toEqual([]);
  const queue = await openLmdbQueue({ dir });
  expect((await queue.depth()).batches).toBe(stored.size);
  await queue.close();
});

test("refuses batches while the disk is full, and continues once there is space", async () => {
  const dir = newDir();
  const { child, ended, lines } = startAppending(dir, "full", 2_000);
  const acked: string[] = [];
  const refusals = new Set<string>();
  let ackedAfter = 0;
  let spaceBack = false;
  for await (const line of lines) {
    if (line.startsWith("acked ")) {
      acked.push(line.replace("acked ", ""));
      if (spaceBack && ++ackedAfter === 100) child.kill("SIGKILL");
    } else {
      refusals.add(line);
      if (!spaceBack) execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited"]);
      spaceBack = true;
    }
  }
  await ended;
  expect([...refusals]).toEqual(["refused storage-unavailable"]);
  const stored = await storedIds(dir);
  expect(acked.filter((id) => !stored.has(id))).toEqual([]);
});
