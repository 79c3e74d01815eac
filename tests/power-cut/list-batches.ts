// Prints the bodies of a queue's batches, a line each. In a process of its own: LMDB may crash on the files that a lying disk leaves.
import { openLmdbQueue } from "../../packages/storage/src/queue/lmdb.ts"; // alone, which starts much faster

const queue = await openLmdbQueue({ dir: process.argv[2]! });
const { batches } = await queue.depth();
for (const { body } of await queue.claim(batches, Number.MAX_SAFE_INTEGER)) console.log(body.toString());
await queue.close();
