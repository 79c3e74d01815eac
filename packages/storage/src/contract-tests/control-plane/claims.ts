import { type BucketMap, type ControlPlane, dealBuckets, type Experiment } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { BUCKETS, NOW, newExperiment, newOrg, nextOf } from "./fixtures.ts";

export function claimContract(engine: () => Engine): void {
  describe("bucket claims", () => claims(engine));
  describe("serving", () => serving(engine));
  describe("lock", () => locking(engine));
}

function claims(engine: () => Engine): void {
  test("are stored once each, thousands at a time, however often they are made", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const { id } = await newExperiment(first, orgId);
    const many = Array.from({ length: 3_000 }, (_, bucket) => bucket);
    expect(
      await first.experiments.claimBuckets(orgId, id, { version: 1, buckets: [5, 5, 999_999], now: NOW }),
    ).toBe(true);
    expect(await second.experiments.claimBuckets(orgId, id, { version: 1, buckets: many, now: NOW })).toBe(
      true,
    );
    expect(await first.experiments.claimBuckets(orgId, id, { version: 1, buckets: [], now: NOW })).toBe(true);
    expect(await first.experiments.listClaims(id)).toEqual(new Set([...many, 999_999]));
  });

  test.each([0, 1, 3])("are all refused under version %i when the latest is 2", async (version) => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const one = await newExperiment(plane, orgId);
    await plane.experiments.putVersion(nextOf(one));
    expect(await plane.experiments.claimBuckets(orgId, one.id, { version, buckets: [1], now: NOW })).toBe(
      false,
    );
    expect(await plane.experiments.listClaims(one.id)).toEqual(new Set());
  });
}

function serving(engine: () => Engine): void {
  test("keeps its first timestamp, also across versions", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const one = await newExperiment(first, orgId);
    expect(await first.experiments.markServed(orgId, one.id, { version: 1, now: NOW + 1 })).toBe(true);
    expect(await second.experiments.markServed(orgId, one.id, { version: 1, now: NOW + 2 })).toBe(true);
    const two = await second.experiments.putVersion(nextOf(one));
    expect(two.servedAt).toBe(NOW + 1);
  });

  test("is refused under a version that is not the latest", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const one = await newExperiment(plane, orgId);
    await plane.experiments.putVersion(nextOf(one));
    expect(await plane.experiments.markServed(orgId, one.id, { version: 1, now: NOW })).toBe(false);
    expect((await plane.experiments.get(orgId, one.id)).servedAt).toBeNull();
  });
}

function locking(engine: () => Engine): void {
  test.each([
    {
      name: "claims",
      attempt: ({ experiments }: ControlPlane, { orgId, id }: Experiment) =>
        experiments.claimBuckets(orgId, id, { version: 1, buckets: [1], now: NOW }),
    },
    {
      name: "serves",
      attempt: ({ experiments }: ControlPlane, { orgId, id }: Experiment) =>
        experiments.markServed(orgId, id, { version: 1, now: NOW }),
    },
  ])(
    "is exclusive until its transaction ends: a process that $name in the meantime is refused",
    async ({ attempt }) => {
      const [first, second] = engine().planes;
      const one = await newExperiment(first, await newOrg(first));
      const attempts: Promise<boolean>[] = [];
      await first.transaction(async ({ experiments }) => {
        const locked = await experiments.lock(one.orgId, one.id);
        attempts.push(attempt(second, one));
        // Many more round trips than the attempt would need without the lock.
        for (let trip = 0; trip < 30; trip++) await experiments.listClaims(one.id);
        await experiments.putVersion(nextOf(locked));
      });
      expect(await Promise.all(attempts)).toEqual([false]);
      expect(await first.experiments.listClaims(one.id)).toEqual(new Set());
      expect((await first.experiments.get(one.orgId, one.id)).servedAt).toBeNull();
    },
  );

  test("admits one writer at a time, so that no version is lost", async () => {
    const { planes } = engine();
    const one = await newExperiment(planes[0], await newOrg(planes[0]));
    const writers = Array.from({ length: 10 }, (_, i) =>
      planes[i % 2]!.transaction(async ({ experiments }) =>
        experiments.putVersion(nextOf(await experiments.lock(one.orgId, one.id))),
      ),
    );
    const written = (await Promise.all(writers)).map(({ version }) => version);
    expect(written.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test("never changes a claimed bucket's owner while two processes claim and reassign buckets", async () => {
    const [first, second] = engine().planes;
    const one = await newExperiment(first, await newOrg(first));
    const promised = new Map<number, string | null>();
    const refusals = { count: 0 };
    const redealing = redeal(second, one);
    await Promise.all([
      redealing.done,
      ...[first, second, first].map((plane, claimer) =>
        claimUntil(redealing.isDone, { plane, experiment: one, claimer, promised, refusals }),
      ),
    ]);
    const { bucketMap, version } = await first.experiments.get(one.orgId, one.id);
    expect(version).toBe(REDEALS + 1);
    expect(refusals.count).toBeGreaterThan(0);
    expect(await first.experiments.listClaims(one.id)).toEqual(new Set(promised.keys()));
    expect([...promised].map(([bucket]) => [bucket, ownerOf(bucketMap, bucket)])).toEqual([...promised]);
  });
}

const REDEALS = 30;

/** Changes the weights back and forth as fast as possible; only claimed buckets keep their owner. */
function redeal(plane: ControlPlane, { orgId, id }: Experiment) {
  const state = { isDone: false };
  const run = async () => {
    for (let round = 0; round < REDEALS; round++) {
      await plane.transaction(async ({ experiments }) => {
        const locked = await experiments.lock(orgId, id);
        const bucketMap = dealBuckets({
          bucketCount: BUCKETS,
          current: locked.bucketMap,
          claimed: await experiments.listClaims(id),
          weights: [
            { variant: "control", weight: round % 2 },
            { variant: "treatment", weight: 1 - (round % 2) },
          ],
          coverage: 1,
        });
        await experiments.putVersion(nextOf(locked, { bucketMap }));
      });
    }
    state.isDone = true;
  };
  return { done: run(), isDone: () => state.isDone };
}

interface Claiming {
  readonly plane: ControlPlane;
  readonly experiment: Experiment;
  readonly claimer: number;
  readonly promised: Map<number, string | null>;
  readonly refusals: { count: number };
}

/** Claims as `/v1/assign` does: reads a version, and returns the bucket's owner in it once the claim succeeds. */
async function claimUntil(isDone: () => boolean, claiming: Claiming): Promise<void> {
  const { experiments } = claiming.plane;
  const { orgId, id } = claiming.experiment;
  for (let step = claiming.claimer; !isDone(); step += 7) {
    const bucket = (step * 31) % BUCKETS;
    const { version, bucketMap } = await experiments.get(orgId, id);
    const isClaimed = await experiments.claimBuckets(orgId, id, { version, buckets: [bucket], now: NOW });
    if (!isClaimed) claiming.refusals.count += 1;
    else if (!claiming.promised.has(bucket)) claiming.promised.set(bucket, ownerOf(bucketMap, bucket));
    else expect(ownerOf(bucketMap, bucket)).toBe(claiming.promised.get(bucket));
  }
}

const ownerOf = (map: BucketMap, bucket: number): string | null =>
  map.find(({ start, end }) => start <= bucket && bucket < end)?.variant ?? null;
