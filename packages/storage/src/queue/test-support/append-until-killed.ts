import { openLmdbQueue } from "../lmdb.ts";

// The child of the durability tests: appends forever and prints the id of each batch after its ack.
const [dir, prefix] = process.argv.slice(2);
if (dir === undefined || prefix === undefined) throw new Error("usage: append-until-killed DIR PREFIX");

// Writes beyond the file size limit (`ulimit -f`) then fail with EFBIG instead of killing the process.
process.on("SIGXFSZ", () => {});

const queue = await openLmdbQueue({ dir });
const filler = Buffer.alloc(8_000, 46);

async function appendForEver(lane: number): Promise<void> {
  for (let count = 0; ; count += 1) {
    const id = `${prefix}-${lane}-${count}`;
    const header = { orgId: "org", receivedAt: Date.now(), rejected: [], experiments: {} };
    const answer = await queue.append(header, Buffer.concat([Buffer.from(`${id} `), filler])).then(
      () => `acked ${id}`,
      (error: { kind?: string }) => `refused ${error.kind}`,
    );
    process.stdout.write(`${answer}\n`);
    // Lets the event loop run, so that a full disk does not starve it.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(appendForEver));
