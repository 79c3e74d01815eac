import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { damagedQueue, explainOpening, hasQueue } from "./lmdb-file.ts";

const READER = fileURLToPath(new URL("read-lmdb-queue.ts", import.meta.url));

/** What the queue's file holds. */
interface Content {
  readonly waiting: number;
  readonly deadLetters: number;
}

/**
 * Reads the whole embedded queue, which a service may be using, and says in words what it holds. A process of its own does it, because
 * LMDB maps the file: who reads a file that was cut off is ended by the system. Throws a `StartupError`.
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
      // The system ended it, or the reader has found no queue.
      reject(known === cause ? damagedQueue(dir, cause) : known);
    });
  });
