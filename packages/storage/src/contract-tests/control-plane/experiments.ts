import { randomUUID } from "node:crypto";
import { DEFAULT_PLAN, type ExperimentConfig, type ExperimentStatus, type Judge } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import {
  configOf,
  HALVES,
  membershipOf,
  NOW,
  newExperiment,
  newMember,
  newOrg,
  nextOf,
  ODD_TEXT,
  versionOf,
} from "./fixtures.ts";

/** Fields that metrics of older versions do not have. */
const LATER = { acceptFrom: null, displayName: null, unit: null };

export function experimentContract(engine: () => Engine): void {
  describe("experiments", () => reading(engine));
  describe("experiment versions", () => versions(engine));
  describe("experiments for the nightly run", () => nightly(engine));
}

function reading(engine: () => Engine): void {
  test("are created at version 1 and read back unchanged", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const version = versionOf(orgId, { config: configOf({ name: ODD_TEXT }) });
    const created = await first.experiments.create(version);
    expect(created).toEqual({
      id: version.id,
      orgId,
      version: 1,
      config: version.config,
      bucketMap: HALVES,
      servedAt: null,
      createdAt: NOW,
      updatedAt: NOW,
      isDemo: false,
    });
    expect(await second.experiments.get(orgId, version.id)).toEqual(created);
    expect(await second.experiments.lock(orgId, version.id)).toEqual(created);
    expect(await second.experiments.find(orgId, version.id)).toEqual(created);
    expect(await second.experiments.find(orgId, ODD_TEXT)).toEqual(created);
    expect(await second.experiments.list(orgId)).toEqual([created]);
  });

  test("return their org by id only, not by name", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const [experiment, elsewhere] = [await newExperiment(first, orgId), await newExperiment(first, other)];
    expect(await second.experiments.findOrgId(experiment.id)).toBe(orgId);
    expect(await second.experiments.findOrgId(elsewhere.id)).toBe(other);
    expect(await second.experiments.findOrgId(experiment.config.name)).toBeNull();
  });

  test("from before target effects and accepted sources existed are read with the defaults", async () => {
    const [plane] = engine().planes;
    const old = [
      { name: "spent", kind: "mean", cap: 5 },
      { name: "bought", kind: "binary", cap: 5 },
      { name: "new", kind: "mean", cap: "p99.9", targetEffect: 0.2 },
    ] as unknown as ExperimentConfig["metrics"];
    const { config } = await newExperiment(plane, await newOrg(plane), {
      config: configOf({ metrics: old }),
    });
    expect(config.metrics).toEqual([
      { name: "spent", kind: "mean", cap: 5, targetEffect: 0.05, ...LATER, judge: null },
      { name: "bought", kind: "binary", cap: null, targetEffect: 0.05, ...LATER, judge: null },
      { name: "new", kind: "mean", cap: "p99.9", targetEffect: 0.2, ...LATER, judge: null },
    ]);
  });

  test.each<{ name: string; stored: unknown; judge: Judge | null }>([
    { name: "none", stored: null, judge: null },
    { name: "one without a rubric", stored: { model: "m" }, judge: null },
    {
      name: "one from before scales and sample rates",
      stored: { rubric: ODD_TEXT },
      judge: { rubric: ODD_TEXT, scale: "pass_fail", sampleRate: 0.1 },
    },
    {
      name: "a complete one",
      stored: { rubric: "r", scale: "1-5", sampleRate: 0.5 },
      judge: { rubric: "r", scale: "1-5", sampleRate: 0.5 },
    },
  ])("read a metric's judge in today's form when it is $name", async ({ stored, judge }) => {
    const [plane] = engine().planes;
    const metrics = [
      { name: "quality", kind: "ratio", cap: null, targetEffect: 0.2, judge: stored },
    ] as unknown as ExperimentConfig["metrics"];
    const { config } = await newExperiment(plane, await newOrg(plane), { config: configOf({ metrics }) });
    expect(config.metrics).toMatchObject([{ judge }]);
  });

  test("from before decisions are read without one, and keep a stored one", async () => {
    const { planes, execute } = engine();
    const [plane] = planes;
    const orgId = await newOrg(plane);
    const decision = { outcome: "won", variant: "treatment", note: ODD_TEXT } as const;
    const config = configOf({ status: "stopped", decision });
    const decided = await newExperiment(plane, orgId, { config });
    expect((await planes[1].experiments.get(orgId, decided.id)).config).toEqual(config);
    const { id } = await newExperiment(plane, orgId, {
      config: { ...config, name: "old", decision: undefined!, plan: undefined! },
    });
    expect((await plane.experiments.get(orgId, id)).config).toMatchObject({
      decision: null,
      plan: DEFAULT_PLAN,
    });
    await execute(`update experiment_versions set config = '{"metrics":[]}' where experiment_id = '${id}'`);
    expect((await plane.experiments.get(orgId, id)).config).toEqual({
      metrics: [],
      shippedVariant: null,
      qaUsers: {},
      holds: [],
      holdback: null,
      guard: null,
      rollout: null,
      plan: DEFAULT_PLAN,
      tags: [],
      decision: null,
      assignment: "assay",
      flagKey: null,
      visibility: "client",
      unit: "user",
    });
  });

  test("show their creator while that user exists", async () => {
    const [first, second] = engine().planes;
    const ada = await newMember(first);
    const { orgId } = ada;
    const [externalUserId, nameless] = ["known", "nameless"].map((name) => `${name}-${randomUUID()}`) as [
      string,
      string,
    ];
    const [known, unnamed] = await Promise.all(
      [externalUserId, nameless].map((external) => newMember(first, { externalUserId: external })),
    );
    const update = { order: 9e15, email: "ada@example.com", isDeleted: false };
    await first.people.putUser({ ...update, externalId: externalUserId, name: ODD_TEXT }, NOW);
    await first.people.putUser({ ...update, externalId: nameless, name: null }, NOW);
    const one = await newExperiment(first, orgId, { by: known!.userId });
    const two = await newExperiment(first, orgId, { by: unnamed!.userId });
    const three = await newExperiment(first, orgId, { by: "nobody" });
    await first.experiments.putVersion(nextOf(one, { by: unnamed!.userId }));
    await newExperiment(first, await newOrg(first), { by: known!.userId });
    const creators = [
      [one.id, { id: known!.userId, name: ODD_TEXT }],
      [two.id, { id: unnamed!.userId, name: "ada@example.com" }],
    ] as const;
    const { experiments } = second;
    expect(await experiments.listCreators(orgId)).toEqual(new Map(creators));
    expect(await experiments.listCreators(orgId, two.id)).toEqual(new Map([creators[1]]));
    expect(await experiments.listCreators(orgId, three.id)).toEqual(new Map());
    expect(await experiments.listCreators(await newOrg(first), one.id)).toEqual(new Map());
    await first.people.putUser(
      { ...update, order: 9.1e15, externalId: nameless, name: null, isDeleted: true },
      NOW,
    );
    expect(await experiments.listCreators(orgId)).toEqual(new Map([creators[0]]));
  });

  test("are found by id before another with that id as its name", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const { id } = await newExperiment(plane, orgId);
    await newExperiment(plane, orgId, { config: configOf({ name: id }) });
    expect((await plane.experiments.find(orgId, id))?.id).toBe(id);
  });

  test("are listed newest first", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    for (const age of [2, 1, 3]) await newExperiment(plane, orgId, { at: NOW - age });
    expect((await plane.experiments.list(orgId)).map(({ createdAt }) => NOW - createdAt)).toEqual([1, 2, 3]);
  });

  test("do not exist for another org", async () => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const [owner, stranger] = [await newOrg(plane), await newOrg(plane)];
    const mine = await newExperiment(plane, owner);
    const notFound = { kind: "experiment-not-found" };
    await expect(experiments.get(stranger, mine.id)).rejects.toMatchObject(notFound);
    await expect(experiments.lock(stranger, mine.id)).rejects.toMatchObject(notFound);
    await expect(experiments.listVersions(stranger, mine.id)).rejects.toMatchObject(notFound);
    await expect(experiments.putVersion({ ...nextOf(mine), orgId: stranger })).rejects.toMatchObject(
      notFound,
    );
    expect(await experiments.find(stranger, mine.id)).toBeNull();
    expect(await experiments.find(stranger, mine.config.name)).toBeNull();
    expect(await experiments.list(stranger)).toEqual([]);
    const claim = { version: 1, buckets: [1], now: NOW };
    expect(await experiments.claimBuckets(stranger, mine.id, claim)).toBe(false);
    expect(await experiments.markServed(stranger, mine.id, { version: 1, now: NOW })).toBe(false);
    expect(await experiments.get(owner, mine.id)).toEqual(mine);
    expect(await experiments.listClaims(mine.id)).toEqual(new Set());
  });

  test("give experiment-not-found, null or false when they do not exist", async () => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const [orgId, id] = [await newOrg(plane), randomUUID()];
    await expect(experiments.get(orgId, id)).rejects.toMatchObject({ kind: "experiment-not-found" });
    await expect(experiments.lock(orgId, id)).rejects.toMatchObject({ kind: "experiment-not-found" });
    expect(await experiments.find(orgId, id)).toBeNull();
    expect(await experiments.claimBuckets(orgId, id, { version: 1, buckets: [1], now: NOW })).toBe(false);
  });
}

function versions(engine: () => Engine): void {
  test("list no QA user who was erased, in any experiment of the org", async () => {
    const [first, second] = engine().planes;
    const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
    const listing = (...treatment: readonly string[]) =>
      configOf({ qaUsers: { treatment, control: ["bob"] } });
    const one = await newExperiment(first, orgId, { config: listing("ann", ODD_TEXT) });
    const archived = nextOf(one, { config: { status: "archived", qaUsers: { treatment: [ODD_TEXT] } } });
    await first.experiments.putVersion(archived);
    const untouched = await newExperiment(first, orgId, { config: listing("anna") });
    const theirs = await newExperiment(first, stranger, { config: listing("ann") });
    expect(await second.experiments.eraseQaUsers(orgId, ["ann", ODD_TEXT])).toBe(2);
    const [latest, oldest] = await first.experiments.listVersions(orgId, one.id);
    expect(latest?.config).toEqual({ ...archived.config, qaUsers: { treatment: [] } });
    expect(oldest?.config).toEqual({ ...one.config, qaUsers: { treatment: [], control: ["bob"] } });
    expect(await first.experiments.get(orgId, untouched.id)).toEqual(untouched);
    expect(await first.experiments.get(stranger, theirs.id)).toEqual(theirs);
    expect(await first.experiments.eraseQaUsers(orgId, ["ann", ODD_TEXT])).toBe(0);
  });

  test("are all kept and listed newest first", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const one = await newExperiment(first, orgId);
    const changed = [{ start: 0, end: 100, variant: null }];
    const two = await first.experiments.putVersion(
      nextOf(one, { bucketMap: changed, config: { salt: "2" } }),
    );
    const three = await second.experiments.putVersion(nextOf(two));
    expect(two).toMatchObject({ version: 2, bucketMap: changed, createdAt: NOW, updatedAt: NOW + 1000 });
    expect(await first.experiments.get(orgId, one.id)).toEqual(three);
    expect(await first.experiments.list(orgId)).toEqual([three]);
    const after = async (version: number) =>
      (await second.experiments.listVersionsAfter(orgId, one.id, version)).map((found) => found.version);
    expect([await after(0), await after(1), await after(99)]).toEqual([[1, 2, 3], [2, 3], []]);
    expect(await first.experiments.listVersionsAfter(await newOrg(first), one.id, 0)).toEqual([]);
    expect(await first.experiments.listVersions(orgId, one.id)).toEqual([
      { ...three, createdBy: "grace" },
      { ...two, createdBy: "grace" },
      { ...one, createdBy: "ada" },
    ]);
  });

  test.each([1, 3])("must be consecutive: %i after 1 is refused and changes nothing", async (version) => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const orgId = await newOrg(plane);
    const one = await newExperiment(plane, orgId);
    await expect(experiments.putVersion(nextOf(one, { version }))).rejects.toMatchObject({
      kind: "version-mismatch",
    });
    expect(await experiments.listVersions(orgId, one.id)).toEqual([{ ...one, createdBy: "ada" }]);
  });

  test("allow only one of two processes to write a number", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    const one = await newExperiment(planes[0], orgId);
    const writes = await Promise.allSettled(planes.map((plane) => plane.experiments.putVersion(nextOf(one))));
    expect(writes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(writes.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { kind: "version-mismatch" },
    });
  });
}

function nightly(engine: () => Engine): void {
  test.each<{ name: string; path: ExperimentStatus[]; listed: boolean }>([
    { name: "running", path: ["running"], listed: true },
    { name: "a draft", path: ["draft"], listed: false },
    { name: "stopped at the limit", path: ["draft", "draft", "stopped"], listed: true },
    { name: "stopped before the limit", path: ["draft", "stopped"], listed: false },
    { name: "stopped from the start", path: ["stopped"], listed: false },
    {
      name: "edited after it was stopped",
      path: ["running", "stopped", "stopped", "stopped"],
      listed: false,
    },
    { name: "running again", path: ["stopped", "running"], listed: true },
    { name: "stopped again", path: ["stopped", "running", "stopped"], listed: true },
    { name: "archived since it was stopped", path: ["draft", "draft", "stopped", "archived"], listed: true },
    { name: "archived, stopped before the bound", path: ["running", "stopped", "archived"], listed: false },
  ])("$name: $listed", async ({ path: [status, ...later], listed }) => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const orgId = await newOrg(plane);
    let experiment = await newExperiment(plane, orgId, { config: configOf({ status }) });
    for (const next of later) {
      experiment = await experiments.putVersion(nextOf(experiment, { config: { status: next } }));
    }
    const found = (await experiments.listForNightly(NOW + 2000)).filter(({ id }) => id === experiment.id);
    expect(found).toEqual(listed ? [experiment] : []);
  });

  test.each([
    { what: "none", holdback: null, listed: false },
    { what: "one that lasts", holdback: { percent: 5, from: NOW, to: null }, listed: true },
    {
      what: "one that ended at the bound",
      holdback: { percent: 5, from: NOW, to: NOW + 2000 },
      listed: true,
    },
    { what: "one that ended before", holdback: { percent: 5, from: NOW, to: NOW + 1999 }, listed: false },
  ])("with a holdback are listed: $what", async ({ holdback, listed }) => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const orgId = await newOrg(plane);
    const running = await newExperiment(plane, orgId, {
      config: configOf({ description: '"holdback":{"' }),
    });
    const shipped = await experiments.putVersion(
      nextOf(running, { config: { status: "shipped", shippedVariant: "treatment", holdback } }),
    );
    const list = async () =>
      (await experiments.listHoldbacks(NOW + 2000)).filter(({ id }) => id === shipped.id);
    expect(await list()).toEqual(listed ? [shipped] : []);
    const stopped = await experiments.putVersion(
      nextOf(shipped, { config: { status: "stopped", shippedVariant: null } }),
    );
    expect(await list()).toEqual(listed ? [stopped] : []);
  });

  test("the demo is skipped by the nightly run", async () => {
    const [plane] = engine().planes;
    const { experiments } = plane;
    const { id } = await experiments.create({ ...versionOf(await newOrg(plane)), isDemo: true });
    expect((await experiments.listForNightly(NOW)).filter((found) => found.id === id)).toEqual([]);
  });

  test("of a deleted org are skipped by the nightly run", async () => {
    const [{ experiments, people }] = engine().planes;
    const membership = membershipOf();
    const { orgId } = await newMember({ people }, membership);
    const { id } = await experiments.create(versionOf(orgId));
    const listed = async () => (await experiments.listForNightly(NOW)).some((found) => found.id === id);
    expect(await listed()).toBe(true);
    await people.putOrg({ externalId: membership.externalOrgId, order: 9, name: null, isDeleted: true }, NOW);
    expect(await listed()).toBe(false);
  });
}
