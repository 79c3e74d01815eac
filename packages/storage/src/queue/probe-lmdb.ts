import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { damagedQueue, explainOpening, hasQueue } from "./lmdb-file.ts";

const READER = fileURLToPath(new URL("read-lmdb-queue.ts", import.meta.url));

/** The content of the queue's file. */
interface Content {
  readonly waiting: number;
  readonly deadLetters: number;
}

/**
 * Reads the whole embedded queue, even while a service uses it, and describes its content. It uses a separate process because
 * LMDB maps the file, and the system kills a process that reads a truncated mapped file. Throws a `StartupError`.
 * @param dir the queue's folder, created when the service first starts
 */
export async function probeLmdb(dir: string): Promise<string> {
  if (!hasQueue(dir)) return "no queue yet";
  const { waiting, deadLetters } = await read(dir);
  return `${waiting} ${waiting === 1 ? "batch waits" : "batches wait"} to be stored, ${deadLetters} dead ${deadLetters === 1 ? "letter" : "letters"}`;
}

const read = (dir: string) =>
  new Promise<Content>((resolve, reject) => {
    execFile(process.execPath, [READER, dir], (cause, stdout) => {
      if (cause === null) return resolve(JSON.parse(stdout) as Content);
      const known = explainOpening(dir, cause);
      // The system killed the reader, or the reader found no queue.
      reject(known === cause ? damagedQueue(dir, cause) : known);
    });
  });
