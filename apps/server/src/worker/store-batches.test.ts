import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import {
  compileTimeline,
  createConfig,
  DomainError,
  type IngestQueue,
  type StoredEvent,
} from "@assay/domain";
import { openLmdbQueue } from "@assay/storage";
import { pino } from "pino";
import { Counter } from "prom-client";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OrgSnapshot, SnapshotExperiment } from "../config/snapshots.ts";
import { storeBatches } from "./store-batches.ts";

/** An experiment of one bucket that nobody owns. */
const CONFIG = {
  ...{ name: "exp", salt: "s", bucketCount: 1, metrics: [] },
  allocation: [{ variant: "control", weight: 1 }],
};

let dir: string;
let queue: IngestQueue;
let logged: string;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "assay-store-batches-"));
  queue = await openLmdbQueue({ dir });
  logged = "";
});
afterEach(async () => {
  await queue.close();
  rmSync(dir, { recursive: true, force: true });
});

const metrics = { storeFailures: new Counter({ name: "failures", help: "Failures.", registers: [] }) };
const log = pino(
  new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  }),
);

const timeline = compileTimeline([
  { id: "exp", config: createConfig(CONFIG), bucketMap: [{ start: 0, end: 1, variant: null }], updatedAt: 0 },
]);
const experiment = { timeline } as unknown as SnapshotExperiment;
const snapshotWith = (...ids: readonly string[]) =>
  ({ experiments: new Map(ids.map((id) => [id, experiment])) }) as unknown as OrgSnapshot;
const known = {
  peek: () => snapshotWith("exp"),
  get: async () => snapshotWith("exp"),
  invalidate: () => undefined,
};

const header = { orgId: "org", receivedAt: 1, rejected: [], experiments: { exp: "exp" } };
const eventOf = (id: string) => ({
  event_id: id,
  type: "exposure",
  experiment_id: "exp",
  user_id: "user",
  timestamp: 1,
  variant: "a",
});
const append = async (...bodies: readonly string[]) => {
  for (const body of bodies) await queue.append(header, Buffer.from(body));
};
const bodyOf = (id: string) => JSON.stringify({ events: [eventOf(id)] });

/** An event store that meets `fault` for as long as it names one, and remembers what it took. */
function storeWith(fault: (ids: readonly string[]) => Error | null) {
  const taken: string[] = [];
  const guardSums = {
    append: async (batch: readonly StoredEvent[]) => {
      const ids = batch.map(({ eventId }) => eventId);
      const error = fault(ids);
      if (error) throw error;
      taken.push(...ids);
    },
  };
  return { taken, guardSums };
}

const running = new AbortController().signal;
const down = () => new DomainError("storage-unavailable", "The event store does not answer.");

test("stores a group at once and takes it out of the queue", async () => {
  await append(bodyOf("1"), bodyOf("2"));
  const { taken, guardSums } = storeWith(() => null);
  const outcome = await storeBatches(await queue.claim(10, 1e6), running, {
    queue,
    guardSums,
    snapshots: known,
    log,
    metrics,
  });
  expect([taken, outcome.events, outcome.stored.length]).toEqual([["1", "2"], 2, 2]);
  expect((await queue.depth()).batches).toBe(0);
});

test("tries for as long as the store does not answer, and buries nothing", async () => {
  await append(bodyOf("1"));
  let absences = 4;
  const { taken, guardSums } = storeWith(() => (absences-- > 0 ? down() : null));
  await storeBatches(await queue.claim(10, 1e6), running, {
    queue,
    guardSums,
    snapshots: known,
    log,
    metrics,
  });
  expect(taken).toEqual(["1"]);
  expect([(await queue.depth()).batches, await queue.countBuried()]).toEqual([0, 0]);
});

test("buries the batch that cannot be read or stored alone, with a reason and without its words, and stores the others", async () => {
  await append(
    bodyOf("good 1"),
    '{"events": [{"event_id": "secret words',
    bodyOf("refused"),
    bodyOf("good 2"),
  );
  const { taken, guardSums } = storeWith((ids) =>
    ids.includes("refused") ? Object.assign(new TypeError("secret words"), { code: "117" }) : null,
  );
  const outcome = await storeBatches(await queue.claim(10, 1e6), running, {
    queue,
    guardSums,
    snapshots: known,
    log,
    metrics,
  });
  expect(taken).toEqual(["good 1", "good 2"]);
  expect([outcome.events, outcome.stored.length]).toEqual([2, 2]);
  expect((await queue.listBuried(10)).map(({ reason }) => reason)).toEqual([
    "TypeError 117",
    "SyntaxError: the body is not JSON",
  ]);
  expect((await queue.depth()).batches).toBe(0);
  expect(logged).toMatch(/dead letter/);
  expect(logged).not.toMatch(/secret/);
});

test("keeps in the queue what it could not store when the service stops", async () => {
  await append(bodyOf("1"));
  const stopping = new AbortController();
  const { guardSums } = storeWith(() => {
    stopping.abort();
    return down();
  });
  await storeBatches(await queue.claim(1, 1e6), stopping.signal, {
    queue,
    guardSums,
    snapshots: known,
    log,
    metrics,
  });
  expect([(await queue.depth()).batches, await queue.countBuried()]).toEqual([1, 0]);
});

test("does not store again what it stored when the queue does not take the ack", async () => {
  await append(bodyOf("1"));
  const { taken, guardSums } = storeWith(() => null);
  let refusals = 2;
  const ack: IngestQueue["ack"] = async (batches) => {
    if (refusals-- > 0) throw down();
    await queue.ack(batches);
  };
  const failing = new Proxy(queue, {
    get: (target, name) => (name === "ack" ? ack : Reflect.get(target, name).bind(target)),
  });
  await storeBatches(await queue.claim(1, 1e6), running, {
    queue: failing,
    guardSums,
    snapshots: known,
    log,
    metrics,
  });
  expect(taken).toEqual(["1"]);
  expect((await queue.depth()).batches).toBe(0);
});

test("reads the config again for a batch that names an experiment it does not know yet", async () => {
  await append(bodyOf("1"));
  let isStale = true;
  const snapshots = {
    peek: () => (isStale ? snapshotWith() : snapshotWith("exp")),
    get: async () => (isStale ? snapshotWith() : snapshotWith("exp")),
    invalidate: () => {
      isStale = false;
    },
  };
  const { taken, guardSums } = storeWith(() => null);
  await storeBatches(await queue.claim(1, 1e6), running, { queue, guardSums, snapshots, log, metrics });
  expect(taken).toEqual(["1"]);
});

test("buries a batch of an organization that this installation does not have", async () => {
  await append(bodyOf("1"));
  const unknown = { ...snapshotWith(), configVersion: 0 };
  const snapshots = { peek: () => unknown, get: async () => unknown, invalidate: () => undefined };
  const { taken, guardSums } = storeWith(() => null);
  await storeBatches(await queue.claim(1, 1e6), running, { queue, guardSums, snapshots, log, metrics });
  expect([taken, (await queue.depth()).batches]).toEqual([[], 0]);
  const [letter] = await queue.listBuried(10);
  expect(letter?.reason).toMatch(/^org-not-found: .*another installation uses the same queue/i);
});
