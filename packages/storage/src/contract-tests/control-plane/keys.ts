import { randomUUID } from "node:crypto";
import type { StoredKey } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { membershipOf, NOW, newMember, newOrg } from "./fixtures.ts";

export function keyContract(engine: () => Engine): void {
  describe("keys", () => {
    keys(engine);
    origins(engine);
    uses(engine);
    epochs(engine);
  });
}

const keyOf = (orgId: string, overrides: Partial<StoredKey> = {}): StoredKey => ({
  orgId,
  scope: "secret",
  hash: randomUUID(),
  sealed: "sealed",
  createdAt: NOW,
  allowedOrigins: null,
  ...overrides,
});

function keys(engine: () => Engine): void {
  test("are found by hash and by scope, in their own org only", async () => {
    const [{ keys: store }, second] = engine().planes;
    const [orgId, other] = [await newOrg(second), await newOrg(second)];
    const secret = keyOf(orgId);
    const publishable = keyOf(orgId, { scope: "publishable", sealed: null, createdAt: NOW + 1 });
    await store.rotate(secret);
    await store.rotate(publishable);
    expect(await second.keys.findByHash(secret.hash)).toEqual(secret);
    expect(await second.keys.find(orgId, "publishable")).toEqual(publishable);
    expect(await second.keys.list(orgId)).toEqual(
      [publishable, secret].map((key) => ({ ...key, lastUsedAt: null, lastBrowserUseAt: null })),
    );
    expect(await second.keys.find(other, "secret")).toBeNull();
    expect(await second.keys.list(other)).toEqual([]);
  });

  test("replace their scope's previous key on rotation", async () => {
    const [{ keys: store }, second] = engine().planes;
    const orgId = await newOrg(second);
    const [before, after] = [keyOf(orgId), keyOf(orgId, { createdAt: NOW + 1 })];
    await store.rotate(before);
    await store.rotate(after);
    expect(await store.findByHash(before.hash)).toBeNull();
    expect(await store.list(orgId)).toEqual([{ ...after, lastUsedAt: null, lastBrowserUseAt: null }]);
  });
}

function origins(engine: () => Engine): void {
  test("keep the allowed origins of the publishable key, across its rotation, and count their change", async () => {
    const [{ keys: store }, second] = engine().planes;
    const [orgId, other] = [await newOrg(second), await newOrg(second)];
    const [publishable, secret] = [keyOf(orgId, { scope: "publishable" }), keyOf(orgId)];
    const elsewhere = keyOf(other, { scope: "publishable" });
    for (const key of [publishable, secret, elsewhere]) await store.rotate(key);
    const before = await second.keys.getEpoch();
    const allowedOrigins = ["https://app.example", "http://localhost:3000"];
    await store.putAllowedOrigins(orgId, allowedOrigins);
    expect(await second.keys.getEpoch()).toBe(before + 1);
    expect(await second.keys.findByHash(publishable.hash)).toEqual({ ...publishable, allowedOrigins });
    expect(await second.keys.find(orgId, "secret")).toEqual(secret);
    expect(await second.keys.find(other, "publishable")).toEqual(elsewhere);
    const next = keyOf(orgId, { scope: "publishable", createdAt: NOW + 1 });
    await store.rotate(next);
    expect(await second.keys.list(orgId)).toMatchObject([{ ...next, allowedOrigins }, secret]);
    await store.putAllowedOrigins(orgId, null);
    expect(await second.keys.findByHash(next.hash)).toEqual(next);
  });
}

function uses(engine: () => Engine): void {
  const useOf = ({ orgId, scope, hash }: StoredKey, usedAt: number, browserUseAt: number | null = null) => ({
    ...{ orgId, scope, hash, usedAt, browserUseAt },
  });

  test("keep their last use by any process, but not the use of a replaced key", async () => {
    const [{ keys: store }, second] = engine().planes;
    const orgId = await newOrg(second);
    const [secret, publishable] = [keyOf(orgId), keyOf(orgId, { scope: "publishable" })];
    const lastUses = async () =>
      Object.fromEntries((await store.list(orgId)).map(({ scope, lastUsedAt }) => [scope, lastUsedAt]));
    await store.rotate(secret);
    await store.rotate(publishable);
    await store.recordUses([]);
    await store.recordUses([useOf(secret, NOW + 2), useOf(publishable, NOW + 1)]);
    expect(await lastUses()).toEqual({ secret: NOW + 2, publishable: NOW + 1 });
    await second.keys.recordUses([useOf(secret, NOW + 1), useOf(publishable, NOW + 3)]);
    expect(await lastUses()).toEqual({ secret: NOW + 2, publishable: NOW + 3 });
    const strangers = { ...secret, orgId: await newOrg(second) };
    await store.recordUses([useOf(strangers, NOW + 9), useOf({ ...secret, scope: "publishable" }, NOW + 9)]);
    expect(await lastUses()).toEqual({ secret: NOW + 2, publishable: NOW + 3 });
    await store.rotate(keyOf(orgId));
    await store.recordUses([useOf(secret, NOW + 9)]);
    expect(await lastUses()).toEqual({ secret: null, publishable: NOW + 3 });
  });

  test("keep the last use by a web page apart, until the key is replaced", async () => {
    const [{ keys: store }, second] = engine().planes;
    const orgId = await newOrg(second);
    const key = keyOf(orgId, { scope: "publishable" });
    const lastUses = async () => {
      const [listed] = await store.list(orgId);
      return [listed?.lastUsedAt, listed?.lastBrowserUseAt];
    };
    await store.rotate(key);
    await store.recordUses([useOf(key, NOW + 1)]);
    expect(await lastUses()).toEqual([NOW + 1, null]);
    await store.recordUses([useOf(key, NOW + 3, NOW + 2)]);
    expect(await lastUses()).toEqual([NOW + 3, NOW + 2]);
    await second.keys.recordUses([useOf(key, NOW + 5, NOW + 1)]);
    expect(await lastUses()).toEqual([NOW + 5, NOW + 2]);
    await store.rotate(keyOf(orgId, { scope: "publishable" }));
    await store.recordUses([useOf(key, NOW + 9, NOW + 9)]);
    expect(await lastUses()).toEqual([null, null]);
  });

  test("keep the latest use when two processes record uses at once", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    const pair = [keyOf(orgId), keyOf(orgId, { scope: "publishable" })];
    for (const key of pair) await planes[0].keys.rotate(key);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        planes[i % 2]!.keys.recordUses(
          (i % 4 < 2 ? pair : pair.toReversed()).map((key) => useOf(key, NOW + i)),
        ),
      ),
    );
    const listed = await planes[0].keys.list(orgId);
    expect(listed.map(({ lastUsedAt }) => lastUsedAt)).toEqual([NOW + 19, NOW + 19]);
  });
}

function epochs(engine: () => Engine): void {
  test("increment the epoch on every rotation, in the same transaction", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const before = await second.keys.getEpoch();
    await first.keys.rotate(keyOf(orgId));
    expect(await second.keys.getEpoch()).toBe(before + 1);
    const failing = first.transaction(async (stores) => {
      await stores.keys.rotate(keyOf(orgId));
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    expect(await second.keys.getEpoch()).toBe(before + 1);
  });

  test("increment the epoch once per rotation when many run at once", async () => {
    const { planes } = engine();
    const orgIds = [await newOrg(planes[0]), await newOrg(planes[0])];
    const before = await planes[0].keys.getEpoch();
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => planes[i % 2]!.keys.rotate(keyOf(orgIds[i % 2]!))),
    );
    expect(await planes[1].keys.getEpoch()).toBe(before + 10);
  });

  test("of a deleted org become invalid, which increments the epoch", async () => {
    const [first, second] = engine().planes;
    const membership = membershipOf();
    const { orgId } = await newMember(first, membership);
    const [key, other] = [keyOf(orgId), keyOf(await newOrg(first))];
    await first.keys.rotate(key);
    await first.keys.rotate(other);
    const before = await first.keys.getEpoch();
    const deletion = { externalId: membership.externalOrgId, order: 5, name: null, isDeleted: true };
    await first.people.putOrg(deletion, NOW);
    expect(await second.keys.findByHash(key.hash)).toBeNull();
    expect(await second.keys.findByHash(other.hash)).toEqual(other);
    expect(await second.keys.getEpoch()).toBe(before + 1);
    await first.people.putOrg(deletion, NOW);
    await first.people.putOrg({ ...deletion, order: 4 }, NOW);
    expect(await second.keys.getEpoch()).toBe(before + 1);
  });
}
