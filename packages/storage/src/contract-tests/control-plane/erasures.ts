import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { JANUARY, NOW, newOrg, ODD_TEXT } from "./fixtures.ts";
import {
  claimOf,
  drawnCalls,
  drawnOf,
  labelOf,
  newSeries,
  planOf,
  SCORED,
  settle,
  USAGE,
} from "./judging-fixtures.ts";

export function erasureContract(engine: () => Engine): void {
  describe("erasures", () => requests(engine));
  describe("the erasure of a user's judgements", () => judgements(engine));
}

function requests(engine: () => Engine): void {
  const openOf = async (orgId: string) =>
    (await engine().planes[1].erasures.list()).filter((erasure) => erasure.orgId === orgId);

  test("are kept until they are complete, each with its unchanged id", async () => {
    const [{ erasures, ...stores }] = engine().planes;
    const orgId = await newOrg(stores);
    const ids = [
      "a/b?c#%2F",
      "nul\0 and \u0001",
      "🙂".repeat(256),
      '"',
      ODD_TEXT.slice(0, 200),
      "ann",
      "Ann",
    ];
    const asked = ids.map((userId, i) => ({ orgId, userId, requestedAt: NOW + i }));
    for (const erasure of asked.toReversed()) await erasures.put(erasure);
    expect(await openOf(orgId)).toEqual(asked);
    for (const erasure of asked) expect(await erasures.remove(erasure)).toBe(true);
    expect(await openOf(orgId)).toEqual([]);
  });

  test("of the same user are merged; the latest request counts", async () => {
    const [{ erasures, ...stores }] = engine().planes;
    const [orgId, other] = [await newOrg(stores), await newOrg(stores)];
    const first = { orgId, userId: "ann", requestedAt: NOW };
    const second = { ...first, requestedAt: NOW + 1 };
    for (const erasure of [first, second, first, { ...first, orgId: other }]) await erasures.put(erasure);
    expect(await openOf(orgId)).toEqual([second]);
    expect(await erasures.remove(first)).toBe(false);
    expect(await openOf(orgId)).toEqual([second]);
    expect(await erasures.remove(second)).toBe(true);
    expect(await erasures.remove(second)).toBe(false);
    expect(await openOf(other)).toEqual([{ ...first, orgId: other }]);
    await erasures.remove({ ...first, orgId: other });
  });
}

const ANN = "ann/🙂";

function judgements(engine: () => Engine): void {
  /** A series with scored calls of Ann and Bob, each with a label and one with a repeat, and a pending call of both. */
  async function judgedSeries() {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    const ofBob = drawnCalls(2, { userId: "bob" });
    const ofAnn = [
      drawnOf({ eventId: "a0", userId: ANN, order: 2, isRepeated: true }),
      drawnOf({ eventId: "a1", userId: ANN, order: 3, arm: "treatment" }),
    ];
    const pending = [ANN, "bob"].map((userId) => drawnOf({ eventId: `later ${userId}`, userId, order: 9 }));
    await plane.judgements.putPlan(planOf(series), [...ofBob, ...ofAnn, ...pending]);
    for (const task of await claimOf(plane, series, { limit: 5 })) await settle(plane, task);
    for (const eventId of ["e0", "a0", "a1"]) await plane.judgements.putLabel(labelOf(series, { eventId }));
    return series;
  }

  test("removes draws, scores, repeats and labels, only of that user and org", async () => {
    const [first, second] = engine().planes;
    const [series, elsewhere] = [await judgedSeries(), await judgedSeries()];
    const { orgId } = series;
    const before = await first.judgements.summarize({ ...elsewhere, since: NOW });
    expect(await first.judgements.eraseUsers([{ orgId, userId: ANN }])).toBe(4);

    const { items } = await second.judgements.list({ series, limit: 99 });
    expect(new Set(items.map(({ userId }) => userId))).toEqual(new Set(["bob"]));
    expect(items).toHaveLength(3);
    const { items: labels } = await second.judgements.listLabels({ series, limit: 99 });
    expect(labels.map(({ eventId }) => eventId)).toEqual(["e0"]);
    expect(await second.judgements.findLabel(series, "a0")).toBeNull();
    const [summary] = await second.judgements.summarize({ orgId, since: NOW });
    expect(summary?.arms).toEqual({
      control: { pending: 1, scored: 2, failed: 0, labels: 1 },
      treatment: { pending: 0, scored: 0, failed: 0, labels: 0 },
    });
    // Paid judgements still count after the erasure.
    expect(summary).toMatchObject({ evaluations: 5, costUsd: 5 * (USAGE.costUsd ?? 0) });
    expect(await second.usage.get(orgId, JANUARY)).toMatchObject({ judgeEvaluations: 5 });
    expect(await first.judgements.eraseUsers([{ orgId, userId: ANN }])).toBe(0);
    expect(await first.judgements.summarize({ ...elsewhere, since: NOW })).toEqual(before);
  });

  test("ignores a score that arrives too late", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(1, { userId: ANN }));
    const [task] = await claimOf(plane, series);
    expect(await plane.judgements.eraseUsers([{ orgId: series.orgId, userId: ANN }])).toBe(1);
    expect(await settle(plane, task, { outcome: SCORED })).toBe(false);
    expect((await plane.judgements.list({ series, limit: 9 })).items).toEqual([]);
  });

  test("removes a label that a person gave during the erasure", async () => {
    const [plane] = engine().planes;
    const series = await judgedSeries();
    await plane.judgements.eraseUsers([{ orgId: series.orgId, userId: ANN }]);
    await plane.judgements.putLabel(labelOf(series, { eventId: "a1" }));
    await plane.judgements.eraseUsers([{ orgId: series.orgId, userId: ANN }]);
    expect(await plane.judgements.findLabel(series, "a1")).toBeNull();
    expect(await plane.judgements.findLabel(series, "e0")).not.toBeNull();
  });

  test("removes nobody for an id that no database can hold, and several users at once", async () => {
    const [plane] = engine().planes;
    const series = await judgedSeries();
    const users = ["nobody", "ann\0/🙂", "bob", ANN].map((userId) => ({ orgId: series.orgId, userId }));
    expect(await plane.judgements.eraseUsers(users.slice(0, 2))).toBe(0);
    expect(await plane.judgements.eraseUsers(users)).toBe(7);
    expect((await plane.judgements.list({ series, limit: 9 })).items).toEqual([]);
  });
}
