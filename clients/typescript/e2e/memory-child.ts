// Assigns 4 million users, each once, through one client, and prints the heap's size several times.
import { setImmediate as nextTurn } from "node:timers/promises";
import { Client } from "../src/index.ts";
import { ManualSchedule } from "../test-support/manual-schedule.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

const USERS = 4_000_000;
const WARM_UP_USERS = 1_000_000;
/** The service is down between these two users. */
const OUTAGE = { from: 2_000_000, until: 3_000_000 };
/** Fewer than the queue holds, so that nothing is refused while the service is up. */
const USERS_PER_TURN = 5_000;

const schedule = new ManualSchedule();
let isDown = false;
let batches = 0;
let serial = 0;

const client = new Client({
  apiKey: "svc_pk_1",
  baseUrl: "http://service",
  schedule: schedule.run,
  fetch: answer,
  log: { warn() {}, error() {} },
});
if (!(await client.ready())) throw new Error("The client did not get ready.");

await assignUntil(WARM_UP_USERS);
const warmBytes = heapBytes();
await assignUntil(OUTAGE.from);
isDown = true;
await assignUntil(OUTAGE.until);
const outageBytes = heapBytes();
isDown = false;
await assignUntil(USERS);
const endBytes = heapBytes();
const pendingTasks = schedule.pending.length;
console.log(JSON.stringify({ warmBytes, outageBytes, endBytes, batches, pendingTasks }));
process.exit();

async function assignUntil(users: number): Promise<void> {
  while (serial < users) {
    for (let i = 0; i < USERS_PER_TURN; i++) {
      if (client.assign("greeting", `user-${serial++}`) === null) throw new Error("A user was not assigned.");
    }
    if (isDown) await letTimePass();
    else await deliver();
  }
}

/** After an outage a batch may wait for its next attempt, so time must pass. */
async function deliver(): Promise<void> {
  const delivered = client.flush();
  await letTimePass();
  await delivered;
}

/** Runs everything that waits for a timer: retries, polls, the log's minute. */
async function letTimePass(): Promise<void> {
  await nextTurn();
  for (const task of [...schedule.pending]) task.fire();
  await nextTurn();
}

async function answer(url: string): Promise<Response> {
  if (isDown) throw new TypeError("fetch failed");
  if (url.endsWith("/v1/config"))
    return new Response(JSON.stringify(sampleConfig()), { headers: { etag: '"1"' } });
  batches++;
  return new Response('{"accepted":100,"config_version":1,"rejected":[]}', { status: 202 });
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
