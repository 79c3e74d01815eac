import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onCleanUp } from "./clean-up.ts";

/** Makes an empty folder that the clean-up removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-e2e-"));
  onCleanUp(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
