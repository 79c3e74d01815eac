import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

interface Figures {
  /** What the heap holds after the first million users, at the end of an outage, and after all 4 million. */
  readonly warmBytes: number;
  readonly outageBytes: number;
  readonly endBytes: number;
  /** That the service acknowledged, of 100 events each. */
  readonly batches: number;
  readonly pendingTasks: number;
}

const MIB = 1024 * 1024;
/** A pointer kept per user would be 23 MiB. */
const MARGIN_BYTES = 10 * MIB;

async function assignMillions(): Promise<Figures> {
  const child = fileURLToPath(new URL("memory-child.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", child]);
  return JSON.parse(stdout) as Figures;
}

test("4 million users and an outage leave the heap as large as a million did", async () => {
  const { warmBytes, outageBytes, endBytes, batches, pendingTasks } = await assignMillions();
  console.info(`Heap: ${[warmBytes, outageBytes, endBytes].map((bytes) => (bytes / MIB).toFixed(1))} MiB.`);
  expect(outageBytes - warmBytes).toBeLessThan(MARGIN_BYTES);
  expect(endBytes - warmBytes).toBeLessThan(MARGIN_BYTES);
  // Of the 3 million of whom the service could hear it heard, of the million in the outage of what a queue holds.
  expect(batches).toBeGreaterThanOrEqual(30_000);
  expect(batches).toBeLessThan(30_200);
  expect(pendingTasks).toBeLessThan(10);
});
