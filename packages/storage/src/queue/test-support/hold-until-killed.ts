import { openJetStreamQueue } from "../jetstream.ts";

// A worker that claims everything and stores nothing: prints how much it holds, then waits to be killed.
const [urls, redeliverAfterMs] = process.argv.slice(2);
if (urls === undefined) throw new Error("usage: hold-until-killed URLS [REDELIVER_AFTER_MS]");

const queue = await openJetStreamQueue({
  urls: urls.split(","),
  ...(redeliverAfterMs !== undefined && { redeliverAfterMs: Number(redeliverAfterMs) }),
});
await queue.waitForBatch(60_000);
const held = await queue.claim(1_000, 1e9);
process.stdout.write(`held ${held.length}\n`);
setInterval(() => undefined, 60_000);
