import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newOrg, ODD_TEXT, readAll } from "./fixtures.ts";
import {
  claimOf,
  drawnCalls,
  drawnOf,
  FAILED,
  HOUR_MS,
  labelOf,
  newSeries,
  planOf,
  SCORED,
  settle,
} from "./judging-fixtures.ts";

export function labelContract(engine: () => Engine): void {
  describe("labels", () => {
    storing(engine);
    listing(engine);
  });
  describe("calls without a label", () => waiting(engine));
}

/** Creates a series of four scored calls, `e0` to `e3`; the judge gives the second 0.25, the third 0.5 and so on. */
async function scoredSeries(engine: () => Engine) {
  const [plane] = engine().planes;
  const series = await newSeries(plane);
  await plane.judgements.putPlan(planOf(series), drawnCalls(4));
  for (const [i, task] of (await claimOf(plane, series)).entries())
    await settle(plane, task, { outcome: { ...SCORED, score: i / 4 } });
  return series;
}

function storing(engine: () => Engine): void {
  test("are listed with the judge's score, and replace an earlier label of the same call", async () => {
    const [first, second] = engine().planes;
    const series = await scoredSeries(engine);
    const label = labelOf(series, { eventId: "e1", score: 1 / 3 });
    await first.judgements.putLabel(label);
    const beside = { arm: "control", judgeScore: 0.25, judgeReason: ODD_TEXT };
    expect(await second.judgements.listCompared(series)).toEqual([{ ...label, ...beside }]);
    const other = { ...label, score: 1, note: null, labelledBy: "u2", labelledAt: NOW + 1 };
    await second.judgements.putLabel(other);
    expect(await first.judgements.listCompared(series)).toEqual([{ ...other, ...beside }]);
    expect(await first.judgements.findLabel(series, "e1")).toEqual(other);
    expect(await first.judgements.findLabel(series, "e2")).toBeNull();
    expect(await first.judgements.findLabel({ ...series, metricVersion: 2 }, "e1")).toBeNull();
    const { items } = await first.judgements.list({ series, limit: 9 });
    expect(items.map(({ labelScore }) => labelScore).filter((score) => score !== null)).toEqual([1]);
  });

  test.each([
    { before: true, after: false, isDrawn: true },
    { before: false, after: true, isDrawn: true },
    { before: false, after: false, isDrawn: false },
  ])("of a drawn call ($before, then $after) stay drawn: $isDrawn", async (given) => {
    const [{ judgements }] = engine().planes;
    const series = await scoredSeries(engine);
    await judgements.putLabel(labelOf(series, { isDrawn: given.before }));
    await judgements.putLabel(labelOf(series, { isDrawn: given.after }));
    expect(await judgements.listCompared(series)).toMatchObject([{ isDrawn: given.isDrawn }]);
  });

  test("that come at once are all stored, several of one call too", async () => {
    const [{ judgements }] = engine().planes;
    const series = await scoredSeries(engine);
    const ids = ["e0", "e1", "e1", "e2"];
    await Promise.all(
      ids.map((eventId, i) => judgements.putLabel(labelOf(series, { eventId, score: i / 4 }))),
    );
    const compared = await judgements.listCompared(series);
    expect(compared.map(({ eventId }) => eventId)).toEqual(["e0", "e1", "e2"]);
  });

  test("accept a note with characters that databases refuse", async () => {
    const [{ judgements }] = engine().planes;
    const series = await scoredSeries(engine);
    await judgements.putLabel(labelOf(series, { note: "a\0b\ud83d" }));
    expect(await judgements.listCompared(series)).toMatchObject([{ note: "ab\ufffd" }]);
  });
}

function listing(engine: () => Engine): void {
  test("are listed in pages, newest first, and can be filtered by their difference from the judge", async () => {
    const [{ judgements, ...stores }] = engine().planes;
    const series = await scoredSeries(engine);
    const scores = [0.5, 0.5, null, 0.25];
    for (const [i, score] of scores.entries())
      await judgements.putLabel(labelOf(series, { eventId: `e${i}`, score, labelledAt: NOW + (i >> 1) }));
    const idsOf = async (differsBy?: number) => {
      const asked = differsBy === undefined ? { series } : { series, differsBy };
      return (await readAll(1, (page) => judgements.listLabels({ ...asked, ...page }))).map(
        ({ eventId }) => eventId,
      );
    };
    const all = await idsOf();
    expect([all.slice(0, 2).sort(), all.slice(2).sort()]).toEqual([
      ["e2", "e3"],
      ["e0", "e1"],
    ]);
    expect((await idsOf(0.25)).sort()).toEqual(["e0", "e3"]);
    expect(await idsOf(0.5)).toEqual([]);
    const compared = await judgements.listCompared(series);
    expect(compared.map(({ eventId, score }) => [eventId, score])).toEqual([
      ["e0", 0.5],
      ["e1", 0.5],
      ["e3", 0.25],
    ]);
    const stranger = { ...series, orgId: await newOrg(stores) };
    expect(await judgements.listCompared(stranger)).toEqual([]);
    expect(await judgements.listLabels({ series: stranger, limit: 9 })).toMatchObject({ items: [] });
  });
}

function waiting(engine: () => Engine): void {
  test("are the scored ones, by order, up to a limit per arm", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    const { judgements } = plane;
    const treatment = { arm: "treatment", isRepeated: true };
    const calls = [
      ...drawnCalls(6).map((call) => ({ ...call, hasFailed: call.eventId === "e4" })),
      ...[0.5, 1.5, 2.5].map((order) => drawnOf({ eventId: `t${order}`, order: order * 2, ...treatment })),
      drawnOf({ eventId: "old", order: 0, occurredAt: NOW - 2 * HOUR_MS }),
      drawnOf({ eventId: "failed", order: 1 }),
    ];
    await judgements.putPlan(planOf(series), calls.toReversed());
    for (const task of await claimOf(plane, series, { limit: 99 }))
      await settle(plane, task, task.eventId === "failed" ? { outcome: FAILED } : {});
    await judgements.putPlan(planOf({ ...series, metricVersion: 2 }), drawnCalls(2));
    await judgements.putLabel(labelOf(series, { eventId: "e2" }));
    await judgements.putLabel(labelOf(series, { eventId: "e3", score: null }));
    await judgements.putLabel(labelOf({ ...series, metricVersion: 2 }, { eventId: "e4" }));
    const range = { occurredFrom: NOW - HOUR_MS, perArm: 3 };
    const waiting = await judgements.listUnlabelled(series, range);
    expect(waiting.filter(({ arm }) => arm === "control").map(({ eventId }) => eventId)).toEqual([
      "e0",
      "e1",
      "e4",
    ]);
    expect(waiting.filter(({ arm }) => arm === "treatment")).toHaveLength(3);
    expect(waiting.map(({ order }) => order)).toEqual([0, 1, 1, 3, 4, 5]);
    for (const { eventId } of [...calls, { eventId: "unknown" }])
      expect(await judgements.isUnlabelled(series, eventId, range), eventId).toBe(
        waiting.some((call) => call.eventId === eventId),
      );
    const first = {
      ...{ eventId: "e0", unitId: null, arm: "control" },
      ...{ occurredAt: NOW - HOUR_MS, order: 0, hasFailed: false },
    };
    expect(waiting[0]).toEqual(first);
    expect(waiting.filter(({ hasFailed }) => hasFailed).map(({ eventId }) => eventId)).toEqual(["e4"]);
    const stranger = { ...series, orgId: await newOrg(plane) };
    expect(await judgements.listUnlabelled(stranger, range)).toEqual([]);
    expect(await judgements.isUnlabelled(stranger, first.eventId, range)).toBe(false);
  });
}
