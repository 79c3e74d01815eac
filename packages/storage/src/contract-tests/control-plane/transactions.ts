import { type ControlStores, DomainError } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import {
  entryOf,
  FEBRUARY,
  JANUARY,
  membershipOf,
  NO_USAGE,
  NOW,
  newExperiment,
  newOrg,
  versionOf,
} from "./fixtures.ts";

export function transactionContract(engine: () => Engine): void {
  describe("transaction", () => {
    test("commits the writes of all stores and returns the work's value", async () => {
      const [first, second] = engine().planes;
      const orgId = await newOrg(first);
      const value = await first.transaction(async (stores) => {
        await stores.usage.putEvents({ orgId, month: JANUARY, events: 7 });
        await stores.audit.record(entryOf(orgId));
        return (await stores.usage.get(orgId, JANUARY)).events;
      });
      expect(value).toBe(7);
      expect(await second.usage.get(orgId, JANUARY)).toMatchObject({ events: 7 });
      expect((await second.audit.list(orgId, { limit: 10 })).items).toHaveLength(1);
    });

    test.each([
      { name: "an error in the work", fail: () => Promise.reject(new Error("stop")), error: "stop" },
      {
        name: "a database error",
        fail: (stores: ControlStores) => stores.audit.record(entryOf("no such org")),
        error: /foreign key/i,
      },
    ])("leaves nothing behind after $name", async ({ fail, error }) => {
      const [first, second] = engine().planes;
      const orgId = await newOrg(first);
      const membership = membershipOf();
      const version = versionOf(orgId);
      const failing = first.transaction(async (stores) => {
        await stores.people.putMembership(membership, NOW);
        await stores.orgs.bumpConfigVersion(orgId);
        await stores.experiments.create(version);
        await stores.experiments.claimBuckets(orgId, version.id, { version: 1, buckets: [1], now: NOW });
        await stores.usage.putEvents({ orgId, month: JANUARY, events: 7 });
        await stores.audit.record(entryOf(orgId));
        await fail(stores);
      });
      await expect(failing).rejects.toThrow(error);
      expect(await second.people.findAccess(membership)).toBeNull();
      expect(await second.orgs.find(orgId)).toMatchObject({ configVersion: 1 });
      expect(await second.experiments.find(orgId, version.id)).toBeNull();
      expect(await second.experiments.listClaims(version.id)).toEqual(new Set());
      expect(await second.usage.get(orgId, JANUARY)).toEqual(NO_USAGE);
      expect(await second.audit.list(orgId, { limit: 10 })).toEqual({ items: [], nextCursor: null });
      expect(await first.orgs.find(orgId)).not.toBeNull();
    });

    test("leaves nothing behind when the name is taken, and passes on the domain error", async () => {
      const [first] = engine().planes;
      const orgId = await newOrg(first);
      const { config } = await newExperiment(first, orgId);
      const failing = first.transaction(async (stores) => {
        await stores.orgs.bumpConfigVersion(orgId);
        await newExperiment(stores, orgId, { config });
      });
      await expect(failing).rejects.toBeInstanceOf(DomainError);
      await expect(failing).rejects.toMatchObject({ kind: "experiment-name-taken" });
      expect(await first.orgs.find(orgId)).toMatchObject({ configVersion: 1 });
    });

    test("keeps transactions of one process apart", async () => {
      const [first] = engine().planes;
      const orgId = await newOrg(first);
      const failing = first.transaction(async (stores) => {
        await stores.usage.putEvents({ orgId, month: JANUARY, events: 1 });
        throw new Error("stop");
      });
      const passing = first.transaction((stores) =>
        stores.usage.putEvents({ orgId, month: FEBRUARY, events: 2 }),
      );
      await expect(failing).rejects.toThrow("stop");
      await passing;
      expect(await first.usage.get(orgId, JANUARY)).toEqual(NO_USAGE);
      expect(await first.usage.get(orgId, FEBRUARY)).toMatchObject({ events: 2 });
    });
  });
}
