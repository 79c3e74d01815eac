import { randomUUID } from "node:crypto";
import type { ExperimentStatus, Removal } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import {
  configOf,
  exclusionOf,
  guardLookOf,
  holdbackReportOf,
  NOW,
  newExperiment,
  newOrg,
  nextOf,
  ODD_TEXT,
  replayOf,
  versionOf,
} from "./fixtures.ts";

export function experimentLifeContract(engine: () => Engine): void {
  describe("experiment names", () => names(engine));
  describe("experiments that are shipped", () => shipping(engine));
  describe("experiments that are archived", () => archival(engine));
  describe("experiments that are removed", () => removal(engine));
}

function names(engine: () => Engine): void {
  const taken = { kind: "experiment-name-taken" };

  test("are unique in an org, for new experiments and for new versions", async () => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const [orgId, other] = [await newOrg(plane), await newOrg(plane)];
    const one = await newExperiment(plane, orgId);
    const two = await newExperiment(plane, orgId);
    const config = configOf({ name: one.config.name });
    await expect(newExperiment(plane, orgId, { config })).rejects.toMatchObject(taken);
    await expect(experiments.putVersion(nextOf(two, { config }))).rejects.toMatchObject(taken);
    expect(await experiments.get(orgId, two.id)).toEqual(two);
    await expect(newExperiment(plane, other, { config })).resolves.toMatchObject({ orgId: other });
  });

  test("from before a rename still work, newest first, in their org only", async () => {
    const [plane, second] = engine().planes;
    const [orgId, stranger] = [await newOrg(plane), await newOrg(plane)];
    const [one, other] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    const two = await plane.experiments.putVersion(nextOf(one));
    expect(await plane.experiments.listFormerNames(orgId)).toEqual(new Map());
    const three = await plane.experiments.putVersion(nextOf(two, { config: { name: ODD_TEXT } }));
    const four = await second.experiments.putVersion(nextOf(three, { config: { name: "renamed" } }));
    const names = new Map([[one.id, [ODD_TEXT, one.config.name]]]);
    expect(await plane.experiments.listFormerNames(orgId)).toEqual(names);
    expect(await second.experiments.listFormerNames(orgId, one.id)).toEqual(names);
    expect(await plane.experiments.listFormerNames(orgId, other.id)).toEqual(new Map());
    expect(await plane.experiments.listFormerNames(stranger)).toEqual(new Map());
    for (const name of ["renamed", ODD_TEXT, one.config.name])
      expect(await plane.experiments.find(orgId, name)).toEqual(four);
    expect(await plane.experiments.find(stranger, ODD_TEXT)).toBeNull();
    await expect(newExperiment(plane, stranger, { config: one.config })).resolves.toBeDefined();
  });

  test("are at most ten", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    let experiment = await newExperiment(plane, orgId);
    for (let rename = 0; rename < 12; rename++)
      experiment = await plane.experiments.putVersion({
        ...nextOf(experiment, { config: { name: `name ${rename}` } }),
        at: NOW + rename,
      });
    expect((await plane.experiments.listFormerNames(orgId)).get(experiment.id)).toEqual(
      Array.from({ length: 10 }, (_, i) => `name ${10 - i}`),
    );
    expect(await plane.experiments.find(orgId, "name 0")).toBeNull();
  });

  test("can be taken back, and then are no longer former names", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const one = await newExperiment(plane, orgId, { config: configOf({ name: "one" }) });
    const two = await plane.experiments.putVersion(nextOf(one, { config: { name: "two" } }));
    await plane.experiments.putVersion(nextOf(two, { config: { name: "one" } }));
    expect(await plane.experiments.listFormerNames(orgId)).toEqual(new Map([[one.id, ["two"]]]));
  });

  test.each<{ status: ExperimentStatus; isTaken: boolean }>([
    { status: "running", isTaken: true },
    { status: "draft", isTaken: false },
    { status: "stopped", isTaken: false },
    { status: "archived", isTaken: false },
  ])("of an experiment that was renamed and is now $status: taken $isTaken", async ({ status, isTaken }) => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const orgId = await newOrg(plane);
    const one = await newExperiment(plane, orgId);
    const name = one.config.name;
    await experiments.putVersion(nextOf(one, { config: { name: "renamed", status } }));
    const [two, three] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    const rename = () => experiments.putVersion(nextOf(two, { config: { name } }));
    if (isTaken) {
      await expect(rename()).rejects.toMatchObject(taken);
      await expect(newExperiment(plane, orgId, { config: configOf({ name }) })).rejects.toMatchObject(taken);
      expect(await experiments.get(orgId, two.id)).toEqual(two);
      expect((await experiments.find(orgId, name))?.id).toBe(one.id);
      return;
    }
    await rename();
    expect((await experiments.find(orgId, name))?.id).toBe(two.id);
    expect(await experiments.listFormerNames(orgId)).toEqual(new Map([[two.id, [two.config.name]]]));
    await experiments.putVersion(nextOf(three, { config: { name: two.config.name } })).catch(() => undefined);
    expect((await experiments.find(orgId, two.config.name))?.id).toBe(two.id);
  });

  test("that a process of the previous version left with two experiments belong to the current one", async () => {
    const { planes, execute } = engine();
    const [{ experiments }] = planes;
    const orgId = await newOrg(planes[0]);
    const one = await newExperiment(planes[0], orgId);
    const two = await newExperiment(planes[0], orgId, { config: configOf({ name: "one" }) });
    await execute(`insert into former_names values ('${orgId}', 'one', '${one.id}', ${NOW})`);
    expect((await experiments.find(orgId, "one"))?.id).toBe(two.id);
    await experiments.putVersion(nextOf(two, { config: { name: "two" } }));
    expect((await experiments.find(orgId, "one"))?.id).toBe(two.id);
    expect(await experiments.listFormerNames(orgId)).toEqual(new Map([[two.id, ["one"]]]));
  });

  test("go to only one of two processes", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    for (let round = 0; round < 5; round++) {
      const config = configOf();
      const writes = await Promise.allSettled(planes.map((plane) => newExperiment(plane, orgId, { config })));
      expect(writes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect(writes.find(({ status }) => status === "rejected")).toMatchObject({ reason: taken });
    }
  });
}

function shipping(engine: () => Engine): void {
  test("are read back with this status, and are stopped for a process of the previous version", async () => {
    const { planes } = engine();
    const [{ experiments }] = planes;
    const orgId = await newOrg(planes[0]);
    const one = await newExperiment(planes[0], orgId);
    const shipped = await experiments.putVersion(
      nextOf(one, { config: { status: "shipped", shippedVariant: "treatment" } }),
    );
    expect(shipped.config).toEqual({ ...one.config, status: "shipped", shippedVariant: "treatment" });
    expect(await planes[1].experiments.get(orgId, one.id)).toEqual(shipped);
    const isNightly = async (stoppedSince: number) =>
      (await experiments.listForNightly(stoppedSince)).some(({ id }) => id === one.id);
    expect([await isNightly(shipped.updatedAt), await isNightly(shipped.updatedAt + 1)]).toEqual([
      true,
      false,
    ]);
    const stopped = await experiments.putVersion(
      nextOf(shipped, { config: { status: "stopped", shippedVariant: null } }),
    );
    expect(stopped.config).toEqual({ ...one.config, status: "stopped" });
    // A process of the previous version keeps the unknown field when it starts the experiment again.
    await experiments.putVersion(
      nextOf(stopped, { config: { status: "running", shippedVariant: "treatment" } }),
    );
    expect((await planes[1].experiments.get(orgId, one.id)).config).toEqual(one.config);
  });
}

function archival(engine: () => Engine): void {
  test("are read back with this status, and are stopped for a process of the previous version", async () => {
    const { planes, execute } = engine();
    const [{ experiments }] = planes;
    const orgId = await newOrg(planes[0]);
    const decision = { outcome: "won", variant: "treatment", note: ODD_TEXT } as const;
    const one = await newExperiment(planes[0], orgId);
    const stopped = await experiments.putVersion(nextOf(one, { config: { status: "stopped", decision } }));
    const archived = await experiments.putVersion(nextOf(stopped, { config: { status: "archived" } }));
    expect(archived.config).toEqual({ ...one.config, status: "archived", decision });
    expect(await planes[1].experiments.get(orgId, one.id)).toEqual(archived);
    expect((await experiments.listVersions(orgId, one.id)).map(({ config }) => config.status)).toEqual([
      "archived",
      "stopped",
      "running",
    ]);
    // This is what a process of the previous version reads.
    await execute(`update experiment_versions set config = replace(config, '"isArchived"', '"unknown"')`);
    expect((await experiments.get(orgId, one.id)).config).toMatchObject({ status: "stopped", decision });
  });
}

function removal(engine: () => Engine): void {
  test("the demo stays marked in later versions", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const demo = await first.experiments.create({ ...versionOf(orgId), isDemo: true });
    const next = await second.experiments.putVersion(nextOf(demo));
    expect([demo.isDemo, next.isDemo, (await newExperiment(first, orgId)).isDemo]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("lose everything stored about them, and nothing else is lost", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const { id, ...one } = await newExperiment(first, orgId);
    const other = await newExperiment(first, orgId);
    for (const experiment of [{ id, ...one }, other]) {
      const day = "2026-01-01";
      const about = { orgId, experimentId: experiment.id, windowTo: NOW };
      const claim = { version: 1, buckets: [1, 2], now: NOW };
      await first.experiments.claimBuckets(orgId, experiment.id, claim);
      await first.experiments.putVersion(nextOf(experiment));
      const run = { ...about, label: day, preliminary: false, computedAt: NOW, body: 1 };
      const summary = {
        srmStatus: "passed",
        worstRemark: null,
        rows: [],
        tradeoffs: [],
        decision: null,
      } as const;
      await first.results.put(run, summary);
      await first.results.putRevision(run, summary);
      await first.pipelineRuns.claim({ ...about, day, now: NOW, leaseUntil: NOW });
      await first.exclusions.append(orgId, experiment.id, exclusionOf());
      await first.replays.put(orgId, replayOf(experiment));
      await first.guardLooks.put(orgId, guardLookOf(experiment));
      await first.holdbackReports.put(orgId, holdbackReportOf(experiment));
    }
    expect(await second.experiments.remove(orgId, id)).toBe(true);
    expect(await first.experiments.find(orgId, id)).toBeNull();
    expect(await first.experiments.findOrgId(id)).toBeNull();
    expect(await first.experiments.listClaims(id)).toEqual(new Set());
    expect(await first.results.find(orgId, id)).toBeNull();
    expect(await first.pipelineRuns.find(id, "2026-01-01")).toBeNull();
    expect(await first.exclusions.list(orgId, id)).toEqual([]);
    expect(await first.replays.find(orgId, id)).toBeNull();
    expect(await first.guardLooks.find(orgId, id)).toBeNull();
    expect(await first.holdbackReports.find(orgId, id)).toBeNull();
    expect(await first.experiments.listVersions(orgId, other.id)).toHaveLength(2);
    expect(await first.experiments.listClaims(other.id)).toEqual(new Set([1, 2]));
    expect(await first.results.find(orgId, other.id)).toMatchObject({ label: "2026-01-01", revision: 2 });
    expect(await first.pipelineRuns.find(other.id, "2026-01-01")).not.toBeNull();
    expect(await first.exclusions.list(orgId, other.id)).toHaveLength(1);
    expect(await first.replays.find(orgId, other.id)).toEqual(replayOf(other));
    expect(await second.experiments.remove(orgId, id)).toBe(false);
  });

  test("cannot be removed by another org, and can be created again with the same id and name", async () => {
    const [plane] = engine().planes;
    const [orgId, stranger] = [await newOrg(plane), await newOrg(plane)];
    const version = versionOf(orgId);
    const one = await plane.experiments.create(version);
    expect(await plane.experiments.remove(stranger, one.id)).toBe(false);
    expect(await plane.experiments.get(orgId, one.id)).toEqual(one);
    expect(await plane.experiments.remove(orgId, one.id)).toBe(true);
    expect(await plane.experiments.create(version)).toEqual(one);
  });

  test("give up their former names", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const one = await newExperiment(plane, orgId);
    await plane.experiments.putVersion(nextOf(one, { config: { name: "renamed" } }));
    expect(await plane.experiments.remove(orgId, one.id)).toBe(true);
    expect(await plane.experiments.find(orgId, one.config.name)).toBeNull();
    expect(await plane.experiments.listFormerNames(orgId)).toEqual(new Map());
  });

  test("are remembered until they are forgotten, oldest first", async () => {
    const { planes } = engine();
    const [one, two] = [NOW + 1, NOW].map((removedAt) => ({
      ...{ orgId: randomUUID(), experimentId: randomUUID() },
      removedAt,
    })) as [Removal, Removal];
    for (const removal of [one, two]) await planes[0].experiments.putRemoval(removal);
    const { experiments } = planes[1];
    expect(await experiments.listRemovals()).toEqual([two, one]);
    await experiments.forgetRemovals(NOW + 1);
    expect(await experiments.listRemovals()).toEqual([one]);
    await experiments.forgetRemovals(NOW + 2);
    expect(await experiments.listRemovals()).toEqual([]);
  });

  test("are removed completely or not at all", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const one = await newExperiment(plane, orgId);
    const failing = plane.transaction(async (stores) => {
      await stores.experiments.remove(orgId, one.id);
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    expect(await plane.experiments.get(orgId, one.id)).toEqual(one);
  });
}
