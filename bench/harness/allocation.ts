import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Room for a round of any workload. Nothing is collected until it is full, so the growth of the heap is what
 * was allocated.
 */
const NEW_SPACE_MB = 512;

/**
 * Measures how much each workload of `module` allocates on the heap, in a separate process. Returns bytes per
 * call, in the order of the exported `workloads()`.
 */
export async function measureAllocation(module: string): Promise<readonly number[]> {
  const child = fileURLToPath(new URL("./allocation-child.ts", import.meta.url));
  const space = [`--min-semi-space-size=${NEW_SPACE_MB}`, `--max-semi-space-size=${NEW_SPACE_MB}`];
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", ...space, child, module]);
  return JSON.parse(stdout) as number[];
}
