import { openQueueSnapshot } from "../move/queue-snapshot.ts";
import { mayBeCutOff } from "./lmdb-file.ts";

// The process of `probeLmdb`. It reads every record of the queue in the given folder and prints the number of records.
const [dir] = process.argv.slice(2);
if (dir === undefined) throw new Error("usage: read-lmdb-queue DIR");

// LMDB maps any file, so check first.
mayBeCutOff(dir);
const queue = openQueueSnapshot(dir);
let [waiting, deadLetters] = [0, 0];
for (const { burial } of queue.batches()) {
  if (burial === null) waiting += 1;
  else deadLetters += 1;
}
console.log(JSON.stringify({ waiting, deadLetters }));
