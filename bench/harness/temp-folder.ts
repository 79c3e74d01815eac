import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onCleanup } from "./cleanup.ts";

/** Makes an empty folder. The cleanup removes it. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "assay-bench-"));
  onCleanup(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
