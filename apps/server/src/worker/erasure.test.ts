import type { AuditEntry, ControlStores, Erasure } from "@assay/domain";
import { pino } from "pino";
import { expect, test } from "vitest";
import { erasureTask } from "./erasure.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const encode = (body: unknown) => new TextEncoder().encode(JSON.stringify(body));

/** A world with the open requests, rows and dead letters given; each user's rows go when they are erased. */
function makeWorld(open: readonly Erasure[]) {
  const world = {
    now: NOW,
    open: [...open],
    /** Ids of the users whose events are stored. */
    stored: [] as string[],
    letters: [] as { orgId: string; receivedAt: number; body: Uint8Array }[],
    isDrained: true,
    isDown: false,
    isFull: false,
    /** Users by call of the event store. */
    erased: [] as (readonly string[])[],
    audited: [] as AuditEntry[],
  };
  const stores = {
    erasures: {
      put: async (erasure: Erasure) => void world.open.push(erasure),
      list: async () => world.open,
      remove: async (erasure: Erasure) => {
        const at = world.open.findIndex((one) => one.requestedAt === erasure.requestedAt);
        return at >= 0 && world.open.splice(at, 1).length > 0;
      },
    },
    audit: { record: async (entry: AuditEntry) => void world.audited.push(entry) },
    judgements: { eraseUsers: async () => 0 },
    datasets: { eraseUsers: async () => 0 },
    picks: { eraseUsers: async () => 0 },
    rehearsals: { eraseUsers: async () => 0 },
    waitingTraces: { eraseUsers: async () => 0 },
    exclusions: { eraseUsers: async () => 0 },
    experiments: { eraseQaUsers: async () => 0 },
    orgs: { lock: async () => {} },
  };
  const deps = {
    control: {
      ...stores,
      withLock: <T>(_name: string, work: () => Promise<T>) => work(),
      transaction: <T>(work: (stores: ControlStores) => Promise<T>) => work(stores as never),
    },
    events: {
      async eraseUsers(erasures: readonly Erasure[]) {
        if (world.isDown) throw new Error("down");
        const users = erasures.map(({ userId }) => userId);
        world.erased.push(users);
        const before = world.stored.length;
        world.stored = world.stored.filter((userId) => !users.includes(userId));
        return before - world.stored.length;
      },
    },
    queue: {
      newestSequence: async () => 1,
      isDrainedTo: async () => world.isDrained,
      async rewriteBuried(rewrite: (header: never, body: Uint8Array) => Uint8Array | null) {
        if (world.isFull) throw new Error("full");
        let rewritten = 0;
        for (const letter of world.letters) {
          const body = rewrite(letter as never, letter.body);
          if (body === null) continue;
          letter.body = body;
          rewritten += 1;
        }
        return rewritten;
      },
    },
    sealer: { fingerprint: (text: string) => `fingerprint of ${text}` },
    clock: { now: () => world.now },
    newId: () => "id",
    log: pino({ level: "silent" }),
    // Ends the wait for a queue that never drains.
    stopping: AbortSignal.abort(),
  };
  return { world, run: erasureTask(deps as never) };
}

const requestOf = (userId: string, requestedAt = NOW): Erasure => ({ orgId: "org", userId, requestedAt });

test("a request is applied at once, and complete when a later pass finds nothing more", async () => {
  const { world, run } = makeWorld([requestOf("ann")]);
  world.stored = ["ann", "bob"];
  await run();
  expect([world.stored, world.audited]).toEqual([["bob"], []]);
  world.now += HOUR_MS;
  await run();
  expect(world.open).toEqual([]);
  const fingerprint = 'fingerprint of ["user","org","ann"]';
  expect(world.audited).toMatchObject([
    { action: "user.erased", orgId: "org", targetId: fingerprint, actor: { id: "system" } },
  ]);
  expect(JSON.stringify({ ...world.audited[0], targetId: "" })).not.toContain("ann");
});

test("passes go on when the clock, which was ahead, is set right", async () => {
  const { world, run } = makeWorld([requestOf("ann")]);
  world.now += 24 * HOUR_MS;
  await run();
  world.now = NOW + MINUTE_MS;
  world.open.push(requestOf("bob", world.now));
  await run();
  expect(world.erased.at(-1)).toContain("bob");
});

test("requests of one hour share a pass", async () => {
  const { world, run } = makeWorld([requestOf("ann")]);
  await run();
  world.open.push(requestOf("bob", NOW + MINUTE_MS));
  world.now += HOUR_MS - 1;
  await run();
  expect(world.erased).toEqual([["ann"]]);
  world.open.push(requestOf("eve", NOW + HOUR_MS - 1));
  world.now += 1;
  await run();
  // Those of a while ago apart from the young one: what is found of it keeps none of them open.
  expect(world.erased).toEqual([["ann"], ["ann", "bob"], ["eve"]]);
  expect(world.open.map(({ userId }) => userId)).toEqual(["eve"]);
});

test.each<{ name: string; bringBack: (world: ReturnType<typeof makeWorld>["world"]) => void }>([
  { name: "its rows came back", bringBack: (world) => world.stored.push("ann") },
  {
    name: "a dead letter had its rows",
    bringBack: (world) =>
      world.letters.push({ orgId: "org", receivedAt: NOW, body: encode([{ user_id: "ann" }]) }),
  },
  {
    name: "what was queued could not be stored yet",
    bringBack: (world) => {
      world.isDrained = false;
    },
  },
])("a request stays open while $name", async ({ bringBack }) => {
  const { world, run } = makeWorld([requestOf("ann")]);
  await run();
  bringBack(world);
  world.now += HOUR_MS;
  await run();
  expect([world.stored, world.open.length, world.audited]).toEqual([[], 1, []]);
  world.isDrained = true;
  world.now += HOUR_MS;
  await run();
  expect([world.open.length, world.audited.length]).toEqual([0, 1]);
});

test("dead letters lose the rows of that user of that org that were received up to the request", async () => {
  const { world, run } = makeWorld([requestOf("ann"), requestOf("bob", NOW + 5)]);
  const rows = encode([{ user_id: "ann" }, { user_id: "bob" }, { user_id: "eve" }]);
  const unreadable = new TextEncoder().encode("{");
  world.letters = [
    { orgId: "org", receivedAt: NOW, body: rows },
    { orgId: "org", receivedAt: NOW + 1, body: rows },
    { orgId: "org", receivedAt: NOW + 6, body: rows },
    { orgId: "other", receivedAt: NOW, body: rows },
    { orgId: "org", receivedAt: NOW, body: unreadable },
    { orgId: "org", receivedAt: NOW + 6, body: unreadable },
  ];
  await run();
  const left = world.letters.map(({ body }) => new TextDecoder().decode(body));
  const all = new TextDecoder().decode(rows);
  const eve = '{"user_id":"eve"}';
  expect(left).toEqual([`[null,null,${eve}]`, `[{"user_id":"ann"},null,${eve}]`, all, all, "[]", "{"]);
});

test("a pass that fails is tried again at once", async () => {
  const { world, run } = makeWorld([requestOf("ann")]);
  world.stored = ["ann"];
  world.isDown = true;
  await expect(run()).rejects.toThrow("down");
  world.isDown = false;
  await run();
  expect(world.stored).toEqual([]);
});

test("stored rows go although dead letters cannot be rewritten, and the request stays open", async () => {
  const { world, run } = makeWorld([requestOf("ann", NOW - HOUR_MS)]);
  world.stored = ["ann", "bob"];
  world.isFull = true;
  await expect(run()).rejects.toThrow("full");
  expect([world.stored, world.open.length]).toEqual([["bob"], 1]);
  world.isFull = false;
  await run();
  expect(world.open).toEqual([]);
});

test("nothing is asked of the engines while nothing is to be erased", async () => {
  const { world, run } = makeWorld([]);
  world.isDown = true;
  await run();
  world.open.push(requestOf("ann"));
  await expect(run()).rejects.toThrow("down");
});
