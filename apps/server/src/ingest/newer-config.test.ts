import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changeOrder, createConfig, createMetric, firstVersion } from "@assay/domain";
import { openLmdbQueue } from "@assay/storage";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createBucketClaims } from "../config/bucket-claims.ts";
import { createConfigWaits } from "../config/config-waits.ts";
import { createSnapshots, type Snapshots } from "../config/snapshots.ts";
import { createMetrics } from "../metrics.ts";
import { assignSticky } from "../planes/ingest/assign.ts";
import { findOther } from "../planes/ingest/config.ts";
import { noChanges } from "../test-support/change-feeds.ts";
import { openTestControlPlane } from "../test-support/control-plane.ts";
import { noTracing } from "../tracing/tracing.ts";
import { acceptBatch } from "./accept-batch.ts";
import { createAllowance } from "./allowance.ts";

const NOW = Date.UTC(2026, 0, 2);
const clock = { now: () => NOW };
let plane: Awaited<ReturnType<typeof openTestControlPlane>>;
let orgId: string;
/** Of this process, which hears nothing from others. */
let snapshots: Snapshots;

beforeAll(async () => {
  plane = await openTestControlPlane({
    engine: "SQLite",
    open: async () => ({ databaseUrl: null, drop: async () => {} }),
  });
});
afterAll(() => plane.stop());

beforeEach(async () => {
  const { orgs, people, experiments } = plane.control;
  const who = { externalUserId: crypto.randomUUID(), externalOrgId: crypto.randomUUID() };
  const owner = { role: "owner", isRemoved: false, order: changeOrder(NOW, "token") } as const;
  await people.putMembership({ ...who, ...owner }, NOW);
  orgId = (await people.findAccess(who))!.orgId;
  snapshots = createSnapshots({ orgs, experiments, isShared: true }, noChanges);
  await snapshots.get(orgId);
});

/** What another process does: the experiment is in the database, and this process's snapshot is older. */
async function createElsewhere(name: string): Promise<number> {
  const { experiments, orgs } = plane.control;
  const metric = createMetric({
    ...{ name: "bought", kind: "binary", category: "business" },
    ...{ methodDefault: "auto", metricVersion: 1, sharedOrgWide: false },
  });
  const allocation = [
    { variant: "control", weight: 1 },
    { variant: "treatment", weight: 1 },
  ];
  const config = createConfig({ name, salt: name, bucketCount: 100, allocation, metrics: [metric] });
  const id = crypto.randomUUID();
  await experiments.create({ ...firstVersion(config), id, orgId, version: 1, at: NOW, by: "ada" });
  await orgs.bumpConfigVersion(orgId);
  return (await orgs.find(orgId))!.configVersion;
}

test("events of an experiment that another process has just created are accepted by the newer config", async () => {
  const configVersion = await createElsewhere("fresh");
  const dir = mkdtempSync(join(tmpdir(), "assay-queue-"));
  const queue = await openLmdbQueue({ dir });
  onTestFinished(async () => {
    await queue.close();
    rmSync(dir, { recursive: true });
  });
  const event = { event_id: "e1", type: "exposure", experiment_id: "fresh", user_id: "u1" };
  const rows = [{ ...event, timestamp: new Date(NOW).toISOString() }];
  const answer = await acceptBatch(
    { orgId, provenance: { source: "secret", keyPrefix: null, client: null } },
    { rows, body: Buffer.from(JSON.stringify(rows)) },
    {
      snapshots,
      clock,
      claims: createBucketClaims({ control: plane.control, snapshots, clock }),
      queue,
      metrics: createMetrics({
        ...{ queue, control: plane.control, now: clock.now },
        checkDependencies: async () => [],
        build: { version: "test", role: "all" },
      }),
      allowance: createAllowance({
        isShared: true,
        plans: { isEnforced: false, inForce: () => "free" },
        publicShare: 1,
        clock,
        countNow: async () => ({ events: 0, isExact: true }),
      }),
      tracing: noTracing,
    },
  );
  expect(answer).toMatchObject({ accepted: 1, refused: [], configVersion });
  expect(await queue.claim(10, 1_000)).toMatchObject([{ orgId, configVersion }]);
});

test("assign knows an experiment that another process has just created", async () => {
  const configVersion = await createElsewhere("fresh");
  const claims = createBucketClaims({ control: plane.control, snapshots, clock });
  const assigned = await assignSticky(
    orgId,
    { experiment_id: "fresh", user_id: "u1" },
    { snapshots, claims, clock },
  );
  expect(assigned).toMatchObject({ configVersion });
  expect(["control", "treatment"]).toContain(assigned.variant);
});

test("a client that waits and already has a change of another process does not get an older config", async () => {
  const configVersion = await createElsewhere("fresh");
  const elsewhere = createSnapshots({ ...plane.control, isShared: true }, noChanges);
  const known = (await elsewhere.get(orgId)).configs.secret.etags.plain;
  const find = async () => {
    const { etags, body, gzipped } = (await snapshots.get(orgId)).configs.secret;
    return { etags, body: () => body, gzipped: () => gzipped };
  };
  const wait = { orgId, known, waitMs: 50, gone: new AbortController().signal };
  const answer = await findOther(find, wait, { snapshots, configWaits: createConfigWaits(snapshots) });
  expect(answer.etags.plain).toBe(known);
  expect((await snapshots.get(orgId)).configVersion).toBe(configVersion);
});
