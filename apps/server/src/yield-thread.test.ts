import { once } from "node:events";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

const PROGRAM = `
  const { parentPort } = require("node:worker_threads");
  import(${JSON.stringify(new URL("./yield-thread.ts", import.meta.url).href)}).then(({ yieldThread }) => {
    yieldThread();
    parentPort.postMessage(require("node:os").getPriority());
  });`;

test.runIf(process.platform === "linux")("a thread that yields is less urgent than its process", async () => {
  const before = getPriority();
  const worker = new Worker(PROGRAM, { eval: true });
  const [priority] = await once(worker, "message");
  await worker.terminate();
  expect([priority, getPriority()]).toEqual([Math.min(19, before + 15), before]);
});
