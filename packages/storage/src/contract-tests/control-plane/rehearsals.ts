import { randomUUID } from "node:crypto";
import { changeOrder, type Rehearsal, type RehearsalPick, type RehearsedExperiment } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { membershipOf, NOW, newExperiment, newMember, newOrg, ODD_TEXT } from "./fixtures.ts";
import {
  answerAll,
  claimOf,
  keysOf,
  newRehearsal,
  preferred,
  settlementOf,
  textsOf,
} from "./rehearsal-fixtures.ts";

export function rehearsalContract(engine: () => Engine): void {
  describe("rehearsals", () => {
    stored(engine);
    picked(engine);
    followed(engine);
    ofOneUser(engine);
    forgetting(engine);
  });
}

function stored(engine: () => Engine): void {
  test("are listed newest first, for their org", async () => {
    const [first, second] = engine().planes;
    const older = await newRehearsal(first, { inputs: 0 });
    const { orgId } = older;
    const newer = await newRehearsal(first, { overrides: { orgId, createdAt: NOW + 1 }, inputs: 600 });
    expect(newer).toMatchObject({ inputs: 600, state: "running", spentUsd: 0, hasTexts: true, fault: null });
    expect(await second.rehearsals.find(orgId, newer.id)).toEqual(newer);
    expect((await second.rehearsals.list(orgId, { limit: 10 })).items).toEqual([newer, older]);
    expect(await second.rehearsals.countOpen(orgId)).toBe(2);
    const stranger = await newOrg(first);
    expect(await first.rehearsals.find(stranger, newer.id)).toBeNull();
    expect(await first.rehearsals.listInputs(stranger, newer.id, { after: -1, limit: 9 })).toEqual([]);
    await expect(first.rehearsals.lock(stranger, newer.id)).rejects.toThrow(/No rehearsal/);
    const inputs = await second.rehearsals.listInputs(orgId, newer.id, { after: 598, limit: 9 });
    expect(inputs).toMatchObject([{ place: 599, itemId: "item-599", position: -499, characters: 30 }]);
  });

  test("pause, go on and end, which forgets the fault", async () => {
    const [{ rehearsals }] = engine().planes;
    const rehearsal = await newRehearsal(engine().planes[0]);
    const { orgId, id } = rehearsal;
    await rehearsals.setFault(rehearsal, ODD_TEXT, NOW + 1);
    await rehearsals.move(rehearsal, { state: "paused", endedBecause: null, at: NOW + 2 });
    expect(await rehearsals.find(orgId, id)).toMatchObject({
      ...{ state: "paused", fault: ODD_TEXT, changedAt: NOW + 2, endedAt: null },
    });
    expect(await claimOf(engine().planes[0], rehearsal)).toEqual([]);
    await rehearsals.move(rehearsal, { state: "running", endedBecause: null, at: NOW + 3 });
    expect(await rehearsals.find(orgId, id)).toMatchObject({ state: "running", fault: null });
    await rehearsals.move(rehearsal, { state: "done", endedBecause: "enough", at: NOW + 4 });
    expect(await rehearsals.find(orgId, id)).toMatchObject({ endedBecause: "enough", endedAt: NOW + 4 });
    expect(await rehearsals.countOpen(orgId)).toBe(0);
    await rehearsals.move(rehearsal, { state: "stopped", endedBecause: null, at: NOW + 5 });
    expect(await claimOf(engine().planes[0], rehearsal)).toEqual([]);
  });

  test("are served in turn, except those of deleted orgs", async () => {
    const [first] = engine().planes;
    const membership = membershipOf();
    const { orgId } = await newMember(first, membership);
    const [a, b, gone] = [
      await newRehearsal(first),
      await newRehearsal(first),
      await newRehearsal(first, { overrides: { orgId } }),
    ];
    const order = changeOrder(NOW + 1, "deleted");
    await first.people.putOrg(
      { externalId: membership.externalOrgId, name: "", order, isDeleted: true },
      NOW,
    );
    const running = async () => {
      const ids = (await first.rehearsals.listRunning(10_000)).map(({ id }) => id);
      return [a, b, gone].map(({ id }) => ids.indexOf(id));
    };
    await claimOf(first, a, { now: NOW });
    await claimOf(first, b, { now: NOW + 1 });
    const [ofA = -1, ofB = -1, ofGone] = await running();
    expect(ofA).toBeGreaterThanOrEqual(0);
    expect(ofB).toBeGreaterThan(ofA);
    expect(ofGone).toBe(-1);
    await claimOf(first, a, { now: NOW + 2 });
    const [nextOfA = -1, nextOfB = -1] = await running();
    expect(nextOfA).toBeGreaterThan(nextOfB);
    expect(await first.rehearsals.removeOfDeletedOrgs()).toBeGreaterThanOrEqual(1);
    expect(await first.rehearsals.find(gone.orgId, gone.id)).toBeNull();
    expect(await first.rehearsals.find(a.orgId, a.id)).not.toBeNull();
  });
}

const pickOf = (overrides: Partial<RehearsalPick> = {}): RehearsalPick => ({
  ...{ place: 0, arm: 1, repeat: 0, preference: "treatment" },
  ...{ pickedBy: "person", pickedByName: ODD_TEXT, pickedAt: NOW + 7, ...overrides },
});

function picked(engine: () => Engine): void {
  test("pairs of different answers that were judged in both orders can be picked in", async () => {
    const [first, second] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 4 });
    const { orgId, id } = rehearsal;
    const tasks = await claimOf(first, rehearsal);
    await answerAll(first, tasks, ({ place, arm }) => (place === 3 ? "the same" : `${place} by ${arm}`));
    expect(await first.rehearsals.listJudgedPairs(orgId, id)).toEqual([]);
    const judgements = await claimOf(first, rehearsal, { kinds: ["judgement"] });
    const settled = judgements.filter(({ place, first: shown }) => place < 2 || shown === "control");
    await first.rehearsals.settleAll(settled.map((task) => settlementOf(task, preferred("tie"))));
    const pairs = await second.rehearsals.listJudgedPairs(orgId, id);
    expect(pairs.toSorted((a, b) => a.place - b.place)).toEqual([
      { place: 0, arm: 1, repeat: 0 },
      { place: 1, arm: 1, repeat: 0 },
    ]);
    const stranger = await newOrg(first);
    expect(await first.rehearsals.listJudgedPairs(stranger, id)).toEqual([]);
    const records = await first.rehearsals.listRecords(orgId, id, { after: 2, through: 3 });
    expect(records.map(({ kind, attempts }) => [kind, attempts])).toEqual([
      ...[0, 1].map(() => ["answer", 1]),
      ...[0, 1].map(() => ["judgement", 0]),
    ]);
    expect(await second.rehearsals.findPair(orgId, id, 1)).toMatchObject({
      input: { place: 1, itemId: "item-1" },
      records: [{ text: "1 by 0" }, { text: "1 by 1" }, { preference: "tie" }, { preference: "tie" }],
    });
    expect(await first.rehearsals.findPair(orgId, id, 4)).toBeNull();
    expect(await first.rehearsals.findPair(stranger, id, 1)).toBeNull();
  });

  test("the latest pick of a pair counts, and each one changes the rehearsal", async () => {
    const [{ rehearsals }] = engine().planes;
    const rehearsal = await newRehearsal(engine().planes[0]);
    const { orgId, id } = rehearsal;
    const picks = [pickOf(), pickOf({ place: 1, preference: "tie" })];
    for (const pick of picks) await rehearsals.putPick(rehearsal, pick);
    expect(await rehearsals.listPicks(orgId, id)).toEqual(picks);
    const again = pickOf({ preference: "control", pickedBy: "other", pickedAt: NOW + 8 });
    await rehearsals.putPick(rehearsal, again);
    expect(await rehearsals.listPicks(orgId, id)).toEqual([again, picks[1]]);
    expect((await rehearsals.find(orgId, id))?.changedAt).toBe(rehearsal.changedAt + 3);
    const stranger = await newOrg(engine().planes[0]);
    await rehearsals.putPick({ orgId: stranger, id }, pickOf({ place: 2 }));
    await rehearsals.putPick(rehearsal, pickOf({ place: 9 }));
    expect(await rehearsals.listPicks(stranger, id)).toEqual([]);
    expect(await rehearsals.listPicks(orgId, id)).toHaveLength(2);
  });
}

function ofOneUser(engine: () => Engine): void {
  test("a user's inputs are found in every rehearsal of the org, page by page", async () => {
    const [first] = engine().planes;
    const one = await newRehearsal(first, { inputs: 2 });
    const { orgId } = one;
    const other = await newRehearsal(first, { inputs: 2, overrides: { orgId } });
    const ids = [one.id, other.id].toSorted();
    const user = { orgId, userId: "user-1" };
    const places = ids.map((rehearsalId) => ({ rehearsalId, place: 1 }));
    const { rehearsals } = first;
    expect(await rehearsals.listUserPlaces(user, { after: null, limit: 9 })).toEqual(places);
    expect(await rehearsals.listUserPlaces(user, { after: null, limit: 1 })).toEqual(places.slice(0, 1));
    const [after = null] = places;
    expect(await rehearsals.listUserPlaces(user, { after, limit: 9 })).toEqual(places.slice(1));
    const before = after && { ...after, place: 0 };
    expect(await rehearsals.listUserPlaces(user, { after: before, limit: 9 })).toEqual(places);
    const stranger = { orgId: await newOrg(first), userId: "user-1" };
    for (const nobody of [stranger, { orgId, userId: "user-1\0" }])
      expect(await rehearsals.listUserPlaces(nobody, { after: null, limit: 9 })).toEqual([]);
  });
}

function followed(engine: () => Engine): void {
  test("experiments that come from a rehearsal are remembered until they are deleted", async () => {
    const [first, second] = engine().planes;
    const { orgId, id: rehearsalId } = await newRehearsal(first);
    const row = { metric: "preference", treatment: ODD_TEXT, controlValue: null } as const;
    const by = { startedBy: "person", startedByName: ODD_TEXT };
    const made: RehearsedExperiment[] = [];
    for (const startedAt of [NOW, NOW + 1]) {
      const { id: experimentId } = await newExperiment(first, orgId);
      const rows = [{ ...row, effect: 0.1, ciLow: -0.1, ciHigh: 0.3 }];
      const experiment = { experimentId, rehearsalId, rows, startedAt, ...by };
      await first.rehearsals.putExperiment(orgId, experiment);
      made.unshift(experiment);
    }
    expect(await second.rehearsals.listExperiments(orgId, 9)).toEqual(made);
    expect(await second.rehearsals.listExperiments(orgId, 1)).toEqual(made.slice(0, 1));
    expect(await first.rehearsals.listExperiments(await newOrg(first), 9)).toEqual([]);
    await first.experiments.remove(orgId, made[0]?.experimentId ?? "");
    expect(await first.rehearsals.listExperiments(orgId, 9)).toEqual(made.slice(1));
  });
}

function forgetting(engine: () => Engine): void {
  test("an erased user's inputs go with their answers and judgements, and the rest goes on", async () => {
    const [first] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 2 });
    const { orgId, id } = rehearsal;
    const tasks = await claimOf(first, rehearsal, { limit: 2 });
    await answerAll(first, tasks);
    const stranger = await newOrg(first);
    expect(await first.rehearsals.eraseUsers([{ orgId: stranger, userId: "user-0" }])).toBe(0);
    expect(await first.rehearsals.eraseUsers([{ orgId, userId: "user-0\0" }])).toBe(0);
    const held = await claimOf(first, rehearsal, { kinds: ["judgement"] });
    await first.rehearsals.putPick(rehearsal, pickOf());
    const before = (await first.rehearsals.find(orgId, id)) as Rehearsal;
    expect(await first.rehearsals.eraseUsers([{ orgId, userId: "user-0" }])).toBe(1 + 4 + 1);
    expect(await first.rehearsals.listPicks(orgId, id)).toEqual([]);
    expect(await first.rehearsals.find(orgId, id)).toMatchObject({ inputs: 1, spentUsd: 2 });
    expect(((await first.rehearsals.find(orgId, id)) as Rehearsal).changedAt).toBeGreaterThan(
      before.changedAt,
    );
    expect(await first.rehearsals.settleAll([settlementOf(held[0], preferred("tie"))])).toMatchObject([
      { isMine: false },
    ]);
    const { items } = await first.rehearsals.listPairs(orgId, id, { limit: 9, maxCharacters: 9 });
    expect(items).toEqual([]);
    expect(keysOf(await claimOf(first, rehearsal))).toEqual(["answer 1 0", "answer 1 1"]);
  });

  test("texts go while numbers stay, and an open rehearsal stops", async () => {
    const [first] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 1 });
    const { orgId, id } = rehearsal;
    await answerAll(first, await claimOf(first, rehearsal));
    const listed = async () => {
      const found = await first.rehearsals.listWithTexts({ after: "", limit: 10_000 });
      return found.some((one) => one.id === id);
    };
    expect(await listed()).toBe(true);
    await first.rehearsals.forgetTexts({ orgId: randomUUID(), id }, NOW + 9);
    expect(await listed()).toBe(true);
    await first.rehearsals.forgetTexts(rehearsal, NOW + 9);
    expect(await listed()).toBe(false);
    expect(await first.rehearsals.find(orgId, id)).toMatchObject({
      ...{ hasTexts: false, state: "stopped", endedAt: NOW + 9 },
    });
    expect(await textsOf(first, rehearsal)).toMatchObject([
      { text: null, length: 6 },
      { text: null, length: 6 },
    ]);
  });
}
