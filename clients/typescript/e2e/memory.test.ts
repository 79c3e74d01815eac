import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

interface Figures {
  /** The heap's content after the first million users, at the end of an outage, and after all 4 million. */
  readonly warmBytes: number;
  readonly outageBytes: number;
  readonly endBytes: number;
  /** Number of batches that the service acknowledged, of 100 events each. */
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

test("the heap is as large after 4 million users and an outage as after a million", async () => {
  const { warmBytes, outageBytes, endBytes, batches, pendingTasks } = await assignMillions();
  console.info(`Heap: ${[warmBytes, outageBytes, endBytes].map((bytes) => (bytes / MIB).toFixed(1))} MiB.`);
  expect(outageBytes - warmBytes).toBeLessThan(MARGIN_BYTES);
  expect(endBytes - warmBytes).toBeLessThan(MARGIN_BYTES);
  // The service got the events of all 3 million users it was up for, and a full queue of those in the outage.
  expect(batches).toBeGreaterThanOrEqual(30_000);
  expect(batches).toBeLessThan(30_200);
  expect(pendingTasks).toBeLessThan(10);
});
