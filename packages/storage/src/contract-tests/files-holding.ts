import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Lists the files of a folder that contain the text uncompressed. */
export async function filesHolding(folder: string, text: string): Promise<readonly string[]> {
  const holding: string[] = [];
  for (const file of await listFiles(folder)) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0)); // The file has just been removed.
    if (bytes.includes(text)) holding.push(path);
  }
  return holding;
}

/** An engine's merge may remove a folder during the search: then start over. */
async function listFiles(folder: string): Promise<readonly Dirent[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}
