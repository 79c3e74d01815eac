import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, changeOrder, DomainError } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { scriptedChanges } from "../test-support/change-feeds.ts";
import { createKeyRing, hashKey, type KeyRing } from "./key-ring.ts";

const dir = mkdtempSync(join(tmpdir(), "assay-key-ring-"));
const control = openSqliteControlPlane({ file: join(dir, "control.sqlite"), newId: randomUUID });
let orgId = "";
beforeAll(async () => {
  await control.migrate();
  orgId = await makeOrg("one");
});
afterAll(async () => {
  await control.close();
  rmSync(dir, { recursive: true });
});

async function makeOrg(externalOrgId: string): Promise<string> {
  const member = { externalOrgId, externalUserId: "somebody" };
  const order = changeOrder(1, "token");
  await control.people.putMembership({ ...member, order, role: "owner", isRemoved: false }, 1);
  return (await control.people.findAccess(member))?.orgId ?? "";
}

/** Rotates behind the key ring's back, as another process does. */
async function rotateElsewhere(raw: string, org = orgId): Promise<void> {
  await control.keys.rotate({ orgId: org, scope: "secret", hash: hashKey(raw), sealed: null, createdAt: 1 });
}

const holderOf = (raw: string) => ({
  ...{ orgId, scope: "secret", prefix: raw.slice(0, 12), hash: hashKey(raw) },
  allowedOrigins: null,
});

/** What lies between the key ring and its control plane: counts, holds up and breaks the questions for the epoch. */
interface Line {
  reads: number;
  loads: number;
  answer: (read: () => Promise<number>) => Promise<number>;
}

const asIs: Line["answer"] = (read) => read();
const never: Line["answer"] = () => new Promise(() => {});

function overLine(line: Line, isShared: boolean): Pick<ControlPlane, "keys" | "isShared"> {
  const { keys } = control;
  const getEpoch = () => {
    line.reads += 1;
    return line.answer(() => keys.getEpoch());
  };
  const findByHash = (hash: string) => {
    line.loads += 1;
    return keys.findByHash(hash);
  };
  return { isShared, keys: { ...boundMethods(keys), getEpoch, findByHash } };
}

function boundMethods({ rotate, putAllowedOrigins, find, list, recordUses }: ControlPlane["keys"]) {
  return { rotate, putAllowedOrigins, find, list, recordUses };
}

let line: Line;
let changes: ReturnType<typeof scriptedChanges>;
/** Of a process whose watch is not current. */
let ring: KeyRing;
beforeEach(() => {
  line = { reads: 0, loads: 0, answer: asIs };
  changes = scriptedChanges();
  changes.setCurrent(false);
  ring = createKeyRing(overLine(line, true), changes.feed);
});

test("a known key answers at once where no other process writes", async () => {
  const alone = createKeyRing(overLine(line, false), changes.feed);
  await rotateElsewhere("key-1");
  expect(await alone.resolve("key-1")).toEqual(holderOf("key-1"));
  expect(alone.resolve("key-1")).toEqual(holderOf("key-1"));
  expect(line.reads).toBe(0);
});

test("peek finds known keys alone, also among keys that begin alike, and none that may have been rotated", async () => {
  const alone = createKeyRing(overLine(line, false), changes.feed);
  const other = await makeOrg("begins-alike");
  const [own, alike] = ["svc_sk_abcdeFGH", "svc_sk_abcdeZZZ"];
  await rotateElsewhere(own);
  await rotateElsewhere(alike, other);
  expect(alone.peek(own)).toBeNull();
  await alone.resolve(own);
  await alone.resolve(alike);
  for (let turn = 0; turn < 2; turn++) {
    expect(alone.peek(own)).toEqual(holderOf(own));
    for (const raw of [
      "svc_sk_abcdeFGX",
      "svc_sk_abcdeXGH",
      "svc_sk_abcdeFG",
      "svc_sk_abcdeFGHI",
      "svc_sk_abcde",
    ])
      expect(alone.peek(raw)).toBeNull();
    expect(alone.peek(alike)).toMatchObject({ orgId: other, hash: hashKey(alike) });
  }
  alone.forget(orgId);
  expect(alone.peek(own)).toBeNull();
  expect(alone.peek(alike)).toMatchObject({ orgId: other });
});

test("a rotation elsewhere holds from the next request on, old key and new", async () => {
  for (let turn = 0; turn < 50; turn++) {
    await rotateElsewhere(`turn-${turn}`);
    expect(await ring.resolve(`turn-${turn - 1}`)).toBeNull();
    expect(await ring.resolve(`turn-${turn}`)).toEqual(holderOf(`turn-${turn}`));
  }
});

test("a request that comes while the epoch is read waits for the next read", async () => {
  await rotateElsewhere("old");
  await ring.resolve("old");
  const gates: (() => void)[] = [];
  line.answer = async (read) => {
    const epoch = await read();
    await new Promise<void>((open) => gates.push(open));
    return epoch;
  };
  const before = ring.resolve("old");
  await expect.poll(() => gates.length).toBe(1);
  await rotateElsewhere("new");
  const after = ring.resolve("old");
  gates[0]?.();
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.();
  expect(await before).toEqual(holderOf("old"));
  expect(await after).toBeNull();
});

test("requests that come together cost two questions at most, and known keys no look-up", async () => {
  await rotateElsewhere("busy");
  await ring.resolve("busy");
  Object.assign(line, { reads: 0, loads: 0 });
  const answers = await Promise.all(Array.from({ length: 500 }, () => ring.resolve("busy")));
  expect(new Set(answers).size).toBe(1);
  expect([line.reads, line.loads]).toEqual([2, 0]);
});

test("a key that was unknown is found once it is made elsewhere", async () => {
  expect(await ring.resolve("later")).toBeNull();
  await rotateElsewhere("later");
  expect(await ring.resolve("later")).toEqual(holderOf("later"));
});

test("another org's rotation leaves a key its holder, by which its rate is counted", async () => {
  await rotateElsewhere("steady");
  const holder = await ring.resolve("steady");
  await rotateElsewhere("other", await makeOrg("two"));
  expect(await ring.resolve("steady")).toBe(holder);
});

test("a change of the allowed origins elsewhere holds from the next request on", async () => {
  const [raw, allowedOrigins] = ["public", ["https://app.example"]];
  const key = { orgId, scope: "publishable", hash: hashKey(raw), sealed: null, createdAt: 1 } as const;
  await control.keys.rotate(key);
  const before = await ring.resolve(raw);
  expect(before).toMatchObject({ scope: "publishable", allowedOrigins: null });
  for (const origins of [allowedOrigins, [...allowedOrigins, "http://localhost"], null]) {
    await control.keys.putAllowedOrigins(orgId, origins);
    expect(await ring.resolve(raw)).toEqual({ ...before, allowedOrigins: origins });
  }
});

test("while the control plane refuses, known keys work, and what changed meanwhile holds as soon as it answers", async () => {
  await rotateElsewhere("known");
  await ring.resolve("known");
  line.answer = async () => {
    throw new DomainError("storage-unavailable", "down");
  };
  expect(await ring.resolve("known")).toEqual(holderOf("known"));
  await rotateElsewhere("newer");
  line.answer = asIs;
  expect(await ring.resolve("known")).toBeNull();
});

test("while it is silent, one request waits a second, the others not at all", async () => {
  await rotateElsewhere("patient");
  await ring.resolve("patient");
  line.answer = never;
  const start = performance.now();
  expect(await ring.resolve("patient")).toEqual(holderOf("patient"));
  expect(performance.now() - start).toBeGreaterThan(900);
  expect(ring.resolve("patient")).toEqual(holderOf("patient"));
  await rotateElsewhere("after");
  line.answer = asIs;
  await expect.poll(() => ring.resolve("patient")).toBeNull();
});

test("a fault that is not an outage lets nobody in", async () => {
  await rotateElsewhere("strict");
  await ring.resolve("strict");
  line.answer = async () => {
    await sleep(1);
    throw new Error("a bug");
  };
  await expect(ring.resolve("strict")).rejects.toThrow("a bug");
});

test("while the feed is current nothing is asked for a known key, and a rotation elsewhere counts once it is told", async () => {
  changes.setCurrent(true);
  await rotateElsewhere("current-1");
  expect(await ring.resolve("current-1")).toEqual(holderOf("current-1"));
  expect(await ring.resolve("current-2")).toBeNull();
  await rotateElsewhere("current-2");
  expect([ring.resolve("current-1"), ring.resolve("current-2")]).toEqual([holderOf("current-1"), null]);
  expect([line.reads, line.loads]).toEqual([0, 2]);
  changes.tell("keys", orgId);
  expect(await ring.resolve("current-1")).toBeNull();
  expect(await ring.resolve("current-2")).toEqual(holderOf("current-2"));
  await rotateElsewhere("current-3");
  changes.tell("keys", null);
  expect(await ring.resolve("current-2")).toBeNull();
  expect(line.reads).toBe(0);
});

test("a feed that is not current any more brings the questions back", async () => {
  changes.setCurrent(true);
  await rotateElsewhere("line-1");
  await ring.resolve("line-1");
  changes.setCurrent(false);
  await rotateElsewhere("line-2");
  expect(await ring.resolve("line-1")).toBeNull();
  expect(line.reads).toBe(1);
});
