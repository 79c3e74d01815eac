import { randomUUID } from "node:crypto";
import { addDays, type DrawnCall } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { JANUARY, NOW, newExperiment, newOrg, ODD_TEXT, readAll } from "./fixtures.ts";
import {
  claimOf,
  DAY,
  drawnCalls,
  drawnOf,
  FAILED,
  HOUR_MS,
  labelOf,
  newSeries,
  planOf,
  SCORED,
  settle,
  USAGE,
} from "./judging-fixtures.ts";

export function judgementContract(engine: () => Engine): void {
  describe("judgements", () => {
    listing(engine);
    scored(engine);
    ofUnits(engine);
    early(engine);
    summing(engine);
    removing(engine);
  });
}

function listing(engine: () => Engine): void {
  test("are listed in pages, last changed first, repeats of one timestamp included", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    const other = { ...series, metric: "other" };
    await plane.judgements.putPlan(planOf(series), drawnCalls(4, { isRepeated: true }));
    await plane.judgements.putPlan(planOf(other, { plannedAt: NOW - 1 }), drawnCalls(2));
    const claimed = await claimOf(plane, series);
    const task = claimed.find(({ metric }) => metric === series.metric);
    await settle(plane, task, { at: NOW + 1, outcome: FAILED });
    const all = await readAll(3, (page) =>
      plane.judgements.list({
        ...page,
        series: { orgId: series.orgId, experimentId: series.experimentId },
      }),
    );
    const keys = all.map(({ metric, eventId, isRepeat }) => JSON.stringify([metric, eventId, isRepeat]));
    expect(new Set(keys).size).toBe(10);
    expect(all[0]).toMatchObject({ eventId: task?.eventId, isRepeat: task?.isRepeat, state: "failed" });
    expect(all.slice(8).map(({ metric }) => metric)).toEqual(["other", "other"]);
    const pending = await readAll(2, (page) => plane.judgements.list({ ...page, series, state: "pending" }));
    expect(pending).toHaveLength(7);
    const stranger = { orgId: await newOrg(plane), experimentId: series.experimentId };
    expect(await plane.judgements.list({ series: stranger, limit: 9 })).toEqual({
      items: [],
      nextCursor: null,
    });
    await expect(plane.judgements.list({ series, limit: 1, cursor: "e30" })).rejects.toMatchObject({
      kind: "invalid-query",
    });
  });

  test("are found by event, in every series of the experiment, without repeats", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane, { metric: "a" });
    await plane.judgements.putPlan(planOf(series), drawnCalls(3, { isRepeated: true }));
    await plane.judgements.putPlan(planOf({ ...series, metricVersion: 2 }), drawnCalls(1));
    await plane.judgements.putPlan(planOf({ ...series, metric: "b" }), drawnCalls(1));
    const elsewhere = await newExperiment(plane, series.orgId);
    await plane.judgements.putPlan(planOf({ ...series, experimentId: elsewhere.id }), drawnCalls(1));
    const wanted = ["e0", ...Array.from({ length: 1_200 }, () => randomUUID()), "e2"];
    const { orgId, experimentId } = series;
    const found = await plane.judgements.listOfEvents(orgId, experimentId, wanted);
    expect(found.map(({ metric, metricVersion, eventId }) => [metric, metricVersion, eventId])).toEqual([
      ["a", 1, "e0"],
      ["a", 1, "e2"],
      ["a", 2, "e0"],
      ["b", 1, "e0"],
    ]);
    expect(found.some(({ isRepeat }) => isRepeat)).toBe(false);
    expect(await plane.judgements.listOfEvents(orgId, experimentId, [])).toEqual([]);
    expect(await plane.judgements.listOfEvents(await newOrg(plane), experimentId, wanted)).toEqual([]);
  });
}

function scored(engine: () => Engine): void {
  test("are read by event id for analyses, with the second score and a drawn label", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    const ids = ["B", "a", "c-d", "cc", "é", "漢", "🧪"];
    const calls = ids.map((eventId, order) =>
      drawnOf({ eventId, order, isRepeated: eventId === "a" || eventId === "B" }),
    );
    const [late, open] = [
      drawnOf({ eventId: "late", occurredAt: NOW }),
      drawnOf({ eventId: "z", order: 99 }),
    ];
    await plane.judgements.putPlan(planOf(series), [...calls.toReversed(), late]);
    for (const task of await claimOf(plane, series, { limit: 20 })) {
      const score = task.isRepeat ? 0.5 : 1 / 3;
      const outcome = task.isRepeat && task.eventId === "B" ? FAILED : { ...SCORED, score };
      await settle(plane, task, { outcome });
    }
    await plane.judgements.putPlan(planOf(series, { day: addDays(DAY, 1) }), [open]);
    await plane.judgements.putLabel(labelOf(series, { eventId: "a", score: 0.25 }));
    await plane.judgements.putLabel(labelOf(series, { eventId: "B", isDrawn: false }));
    await plane.judgements.putLabel(labelOf(series, { eventId: "cc", score: null }));
    const range = { until: NOW, limit: 4 };
    const page = await plane.judgements.listScored(series, { ...range, after: null });
    const rest = await plane.judgements.listScored(series, { ...range, after: page.at(-1)?.eventId ?? "" });
    const call = {
      ...{ userId: ODD_TEXT, arm: "control", occurredAt: NOW - HOUR_MS, probability: 0.1 + 0.2 },
      ...{ score: 1 / 3, repeatScore: null, answerLength: 42, isCut: false, label: null },
    };
    const expected = ids.map((eventId) => ({ ...call, eventId }));
    expected[1] = { ...call, eventId: "a", ...({ repeatScore: 0.5, label: 0.25 } as object) };
    expect([...page, ...rest]).toEqual(expected);
    expect(page).toHaveLength(4);
    const stranger = { ...series, orgId: await newOrg(plane) };
    expect(await plane.judgements.listScored(stranger, { ...range, after: null })).toEqual([]);
  });
}

function ofUnits(engine: () => Engine): void {
  test("of units keep the unit, and are scored as the unit's", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), [
      drawnOf({ eventId: "e1", userId: "ann", unitId: "c1", occurredAt: NOW }),
    ]);
    const [candidate] = await plane.judgements.listUnlabelled(series, { occurredFrom: 0, perArm: 1 });
    expect(candidate).toMatchObject({ eventId: "e1", unitId: "c1" });
    const [task] = await claimOf(plane, series);
    expect(task).toMatchObject({ userId: "ann", unitId: "c1", occurredAt: NOW });
    await settle(plane, task, { outcome: { ...SCORED, isCut: true } });
    const range = { until: NOW + 1, after: null, limit: 9 };
    expect(await plane.judgements.listScored(series, range)).toMatchObject([{ userId: "c1", isCut: true }]);
    const { items } = await plane.judgements.list({ series, limit: 9 });
    expect(items).toMatchObject([{ userId: "ann", unitId: "c1" }]);
    await plane.judgements.eraseUsers([{ orgId: series.orgId, userId: "ann" }]);
    expect(await plane.judgements.listScored(series, range)).toEqual([]);
  });
}

function early(engine: () => Engine): void {
  const noCalls = ({ calls: _, ...plan }: ReturnType<typeof planOf>) => plan;
  const idsOf = (calls: readonly { readonly eventId: string }[]) => calls.map(({ eventId }) => eventId);

  test("made early do not count in an analysis until the day's plan draws them, and are not repeated", async () => {
    const [{ judgements }] = engine().planes;
    const series = await newSeries(engine().planes[0]);
    const plan = noCalls(planOf(series));
    const [e0, e1, e2] = drawnCalls(3) as [DrawnCall, DrawnCall, DrawnCall];
    expect(await judgements.putEarly(plan, [e0, e1], 2)).toBe(2);
    // Adds neither the same judgements again nor more than the limit.
    expect(await judgements.putEarly(plan, [e0, e1, e2], 2)).toBe(2);
    expect(await judgements.listPlannedDays(series)).toEqual([]);
    expect(await judgements.findJudgeVersion(series)).toBe("judge@1");
    const [task] = await claimOf({ judgements }, series);
    await settle({ judgements }, task);
    const range = { until: NOW, limit: 9, after: null };
    expect(await judgements.listScored(series, range)).toEqual([]);
    // Both can be labeled, including the one that still waits for its score.
    const unlabelled = await judgements.listUnlabelled(series, { occurredFrom: 0, perArm: 9 });
    expect(idsOf(unlabelled)).toEqual(["e0", "e1"]);
    const [summary] = await judgements.summarize({ orgId: series.orgId, since: NOW });
    expect(summary).toMatchObject({ backlog: 1, arms: { control: { scored: 1, pending: 1, failed: 0 } } });

    expect(await judgements.putPlan(planOf(series), [e0, e2])).toBe(true);
    expect(await judgements.putEarly(plan, [e1, drawnOf()], 9)).toBeNull();
    expect(await judgements.listPlannedDays(series)).toEqual([DAY]);
    expect(await judgements.listScored(series, range)).toMatchObject([
      { eventId: "e0", probability: e0.probability, score: SCORED.score },
    ]);
    const [after] = await judgements.summarize({ orgId: series.orgId, since: NOW });
    expect(after).toMatchObject({ backlog: 2, arms: { control: { scored: 1, pending: 2, failed: 0 } } });
    const listed = await judgements.listOfEvents(series.orgId, series.experimentId, ["e0", "e1", "e2"]);
    expect(listed.map(({ eventId, probability, state }) => [eventId, probability, state])).toEqual([
      ["e0", e0.probability, "scored"],
      ["e1", 0, "pending"],
      ["e2", e2.probability, "pending"],
    ]);
  });

  test("made early by two processes at once are made once", async () => {
    const { planes } = engine();
    const series = await newSeries(planes[0]);
    const plan = noCalls(planOf(series));
    await Promise.all(planes.map(({ judgements }) => judgements.putEarly(plan, drawnCalls(2), 2)));
    expect(await planes[0].judgements.countPending(series.orgId)).toBe(2);
  });
}

function summing(engine: () => Engine): void {
  test("are summarized per series: pending, made, failed, labeled and cost", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane, { metric: "a" });
    const next = await newSeries(plane, { ...series, metricVersion: 2 });
    const { judgements } = plane;
    const yesterday = addDays(DAY, -1);
    await judgements.putPlan(planOf(series, { day: yesterday, plannedAt: NOW - 1 }), [
      ...drawnCalls(3),
      ...drawnCalls(2, { arm: "treatment" }).map((call) => ({ ...call, eventId: `t${call.order}` })),
    ]);
    const outcomes = [SCORED, FAILED, { ...FAILED, cause: "malformed-answer" as const }, SCORED, SCORED];
    for (const [i, task] of (await claimOf(plane, series)).entries()) {
      const at = i === 0 ? NOW - 24 * HOUR_MS : NOW;
      const usage = i === 4 ? null : { ...USAGE, costUsd: i === 3 ? null : 0.25 };
      await settle(plane, task, { outcome: outcomes[i]!, at, usage });
    }
    await judgements.putPlan(planOf(series, { judgeVersion: "judge@2", plannedAt: NOW + 5 }), [
      drawnOf({ eventId: "new", isRepeated: true }),
    ]);
    await judgements.putPlan(planOf(next), []);
    const [scoredCall] = (await judgements.list({ series, state: "scored", limit: 9 })).items;
    await judgements.putLabel(labelOf(series, { eventId: scoredCall!.eventId, labelledAt: NOW + 7 }));
    const { orgId, experimentId } = series;
    const summaries = await judgements.summarize({ orgId, experimentId, since: NOW });
    const [summary, empty] = summaries;
    const arms = { control: [1, 0, 0], treatment: [0, 0, 0] };
    for (const { arm, state } of (await judgements.list({ series, limit: 20 })).items)
      if (state !== "pending") arms[arm as keyof typeof arms][state === "scored" ? 1 : 2]! += 1;
    const countsOf = (arm: "control" | "treatment") => {
      const [pending, made, failed] = arms[arm];
      return { pending, scored: made, failed, labels: scoredCall!.arm === arm ? 1 : 0 };
    };
    expect(summary).toEqual({
      ...series,
      ...{ judgeVersion: "judge@1", firstDay: yesterday, lastDay: DAY },
      arms: { control: countsOf("control"), treatment: countsOf("treatment") },
      ...{ backlog: 2, oldestPendingAt: NOW + 5 },
      failures: expect.arrayContaining([
        { cause: "refused", count: 1 },
        { cause: "malformed-answer", count: 1 },
      ]),
      ...{ evaluations: 2, evaluationsSince: 1, costUsd: 0.75, costUsdSince: 0.5, unpriced: 1 },
      lastLabelledAt: NOW + 7,
    });
    expect(empty).toEqual({
      ...next,
      ...{
        judgeVersion: "judge@1",
        firstDay: DAY,
        lastDay: DAY,
        arms: {},
        backlog: 0,
        oldestPendingAt: null,
      },
      ...{ failures: [], evaluations: 0, evaluationsSince: 0, costUsd: 0, costUsdSince: 0, unpriced: 0 },
      lastLabelledAt: null,
    });
    expect(summaries).toHaveLength(2);
    expect(await judgements.summarize({ orgId, since: NOW })).toEqual(summaries);
    expect(await judgements.summarize({ orgId: await newOrg(plane), since: NOW })).toEqual([]);
  });
}

function removing(engine: () => Engine): void {
  test("are removed only with their own experiment", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    const kept = await newSeries(plane, { orgId: series.orgId });
    for (const each of [series, kept]) {
      await plane.judgements.putPlan(planOf(each), drawnCalls(2));
      await settle(plane, (await claimOf(plane, each))[0]);
      await plane.judgements.putLabel(labelOf(each));
    }
    const { orgId, experimentId } = series;
    expect(await plane.experiments.remove(orgId, experimentId)).toBe(true);
    expect(await plane.judgements.listPlannedDays(series)).toEqual([]);
    expect(await plane.judgements.summarize({ orgId, since: 0 })).toMatchObject([
      { ...kept, backlog: 1, evaluations: 1 },
    ]);
    expect(await plane.judgements.listCompared(kept)).toHaveLength(1);
    expect(await plane.usage.get(orgId, JANUARY)).toMatchObject({ judgeEvaluations: 2 });
  });
}
