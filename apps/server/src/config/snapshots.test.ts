import { changeOrder, firstVersion } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noChanges } from "../test-support/change-feeds.ts";
import { openTestControlPlane } from "../test-support/control-plane.ts";
import { createSnapshots } from "./snapshots.ts";

const NOW = Date.UTC(2026, 0, 2);
let plane: Awaited<ReturnType<typeof openTestControlPlane>>;
beforeAll(async () => {
  plane = await openTestControlPlane({
    engine: "SQLite",
    open: async () => ({ databaseUrl: null, drop: async () => {} }),
  });
});
afterAll(() => plane.stop());

/**
 * The snapshots of a process that gets no notifications, with its own org; `counted` counts how often the database was
 * read.
 */
async function openSnapshots(isShared: boolean) {
  const { orgs, people, experiments } = plane.control;
  const who = { externalUserId: crypto.randomUUID(), externalOrgId: crypto.randomUUID() };
  await people.putMembership(
    { ...who, order: changeOrder(NOW, "token"), role: "owner", isRemoved: false },
    NOW,
  );
  const { orgId } = (await people.findAccess(who))!;
  let looks = 0;
  const counted = {
    ...orgs,
    find: (id: string) => {
      looks += 1;
      return orgs.find(id);
    },
  };
  const snapshots = createSnapshots({ orgs: counted, experiments, isShared }, noChanges);
  return { orgId, snapshots, looks: () => looks };
}

test("somebody who misses something gets what another process has made meanwhile", async () => {
  const { orgId, snapshots } = await openSnapshots(true);
  const before = await snapshots.get(orgId);
  await plane.control.orgs.bumpConfigVersion(orgId);
  expect((await snapshots.findNewer(before))?.configVersion).toBe(before.configVersion + 1);
  expect(snapshots.peek(orgId)?.configVersion).toBe(before.configVersion + 1);
});

test("what does not exist is looked for a few times a second at most", async () => {
  const { orgId, snapshots, looks } = await openSnapshots(true);
  const before = await snapshots.get(orgId);
  const loading = looks();
  const startedAt = performance.now();
  let asked = 0;
  for (; asked < 200; asked += 1) expect(await snapshots.findNewer(before)).toBeNull();
  const allowed = 1 + Math.floor((performance.now() - startedAt) / 100);
  expect(looks() - loading).toBeGreaterThan(0);
  expect(looks() - loading).toBeLessThanOrEqual(allowed);
});

test("a process that is alone on its database knows everything already", async () => {
  const { orgId, snapshots, looks } = await openSnapshots(false);
  const before = await snapshots.get(orgId);
  const loading = looks();
  expect(await snapshots.findNewer(before)).toBeNull();
  expect(looks()).toBe(loading);
});

test("an experiment that is deleted while its versions are read does no harm", async () => {
  const { orgId } = await openSnapshots(false);
  const { orgs, experiments } = plane.control;
  const allocation = ["control", "treatment"].map((variant) => ({ variant, weight: 1 }));
  const content = firstVersion({ name: "gone", salt: "s", bucketCount: 10, allocation, metrics: [] });
  const one = { ...content, id: crypto.randomUUID(), orgId, at: NOW, by: "ada" };
  await experiments.create({ ...one, version: 1 });
  await experiments.putVersion({ ...one, version: 2 });
  const deleting = {
    ...experiments,
    async listVersionsAfter(...asked: Parameters<typeof experiments.listVersionsAfter>) {
      await experiments.remove(orgId, one.id);
      return experiments.listVersionsAfter(...asked);
    },
  };
  const snapshots = createSnapshots({ orgs, experiments: deleting, isShared: false }, noChanges);
  expect((await snapshots.get(orgId)).experiments.has("gone")).toBe(true);
  snapshots.invalidate(orgId);
  expect((await snapshots.get(orgId)).experiments.has("gone")).toBe(false);
});
