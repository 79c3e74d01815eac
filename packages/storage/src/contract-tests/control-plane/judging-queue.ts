import { addDays, type JudgementTask } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { FEBRUARY, JANUARY, NO_USAGE, NOW, newOrg, ODD_TEXT } from "./fixtures.ts";
import {
  claimOf,
  DAY,
  drawnCalls,
  drawnOf,
  FAILED,
  HOUR_MS,
  newSeries,
  POSTPONED,
  planOf,
  SCORED,
  settle,
  USAGE,
} from "./judging-fixtures.ts";

export function judgingQueueContract(engine: () => Engine): void {
  describe("judging plans", () => plans(engine));
  describe("pending judgements", () => {
    claiming(engine);
    settling(engine);
    retrying(engine);
  });
}

const keysOf = (tasks: readonly JudgementTask[]) =>
  tasks.map(({ eventId, isRepeat }) => `${eventId}${isRepeat ? " again" : ""}`);

function plans(engine: () => Engine): void {
  test("are created once a day, with their draws, by the first process", async () => {
    const { planes } = engine();
    const series = await newSeries(planes[0]);
    const made = await Promise.all(
      planes.map(({ judgements }, i) => judgements.putPlan(planOf(series), drawnCalls(250 + i))),
    );
    expect(made.toSorted()).toEqual([false, true]);
    expect(await planes[0].judgements.countPending(series.orgId)).toBe(250 + made.indexOf(true));
    expect(await planes[1].judgements.listPlannedDays(series)).toEqual([DAY]);
  });

  test("keep the judge version of the first plan for each version of the metric", async () => {
    const [{ judgements }] = engine().planes;
    const series = await newSeries(engine().planes[0]);
    const next = { ...series, metricVersion: 2 };
    expect(await judgements.findJudgeVersion(series)).toBeNull();
    await judgements.putPlan(planOf(series), []);
    const earlier = { day: addDays(DAY, -1), plannedAt: NOW + 1, judgeVersion: "judge@2" };
    await judgements.putPlan(planOf(series, earlier), []);
    await judgements.putPlan(planOf(next, { judgeVersion: ODD_TEXT }), []);
    expect(await judgements.findJudgeVersion(series)).toBe("judge@1");
    expect(await judgements.findJudgeVersion(next)).toBe(ODD_TEXT);
    expect(await judgements.findJudgeVersion({ ...series, metric: "other" })).toBeNull();
    expect(await judgements.listPlannedDays(series)).toEqual([addDays(DAY, -1), DAY]);
  });

  test("do not exist for another org", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(1));
    const stranger = { ...series, orgId: await newOrg(plane) };
    expect(await plane.judgements.findJudgeVersion(stranger)).toBeNull();
    expect(await plane.judgements.listPlannedDays(stranger)).toEqual([]);
    expect(await plane.judgements.countPending(stranger.orgId)).toBe(0);
    const foreign = planOf(stranger, { metricVersion: 9 });
    await expect(plane.judgements.putPlan(foreign, [])).rejects.toThrow(/foreign key/i);
  });

  test("leave nothing behind when a draw cannot be stored", async () => {
    const [{ judgements }] = engine().planes;
    const series = await newSeries(engine().planes[0]);
    const broken = [...drawnCalls(120), drawnOf({ eventId: "of no arm", arm: null as never })];
    await expect(judgements.putPlan(planOf(series), broken)).rejects.toThrow(/null/i);
    expect(await judgements.countPending(series.orgId)).toBe(0);
    expect(await judgements.putPlan(planOf(series), drawnCalls(1))).toBe(true);
  });
}

function claiming(engine: () => Engine): void {
  test("are claimed by day and order, each with the judge's input", async () => {
    const [first, second] = engine().planes;
    const series = await newSeries(first);
    const [a, b, c] = [drawnOf({ order: 1 }), drawnOf({ order: 2, isRepeated: true }), drawnOf({ order: 3 })];
    await first.judgements.putPlan(planOf(series), [c, { ...a, hasFailed: true }]);
    await first.judgements.putPlan(planOf(series, { day: addDays(DAY, -1) }), [b]);
    const tasks = await claimOf(second, series, { claim: "mine" });
    expect(tasks.slice(0, 2).map(({ isRepeat }) => isRepeat)).toEqual(expect.arrayContaining([true, false]));
    expect(tasks.map(({ eventId }) => eventId)).toEqual([b.eventId, b.eventId, a.eventId, c.eventId]);
    expect(tasks[2]).toEqual({
      ...series,
      ...{ eventId: a.eventId, isRepeat: false, claim: "mine", judgeVersion: "judge@1", userId: ODD_TEXT },
      ...{ unitId: null, occurredAt: NOW - HOUR_MS, day: DAY, hasFailed: true, attempts: 0, drawnAt: NOW },
    });
    expect(tasks[3]?.hasFailed).toBe(false);
  });

  test("are claimed up to the limit, from all experiments unless one is named", async () => {
    const [{ judgements }] = engine().planes;
    const day = addDays(DAY, -9_000);
    const both = [await newSeries(engine().planes[0]), await newSeries(engine().planes[0])];
    for (const series of both) await judgements.putPlan(planOf(series, { day }), drawnCalls(2));
    const claim = { now: NOW, leaseUntil: NOW + HOUR_MS, limit: 3, claim: "all" };
    const tasks = await judgements.claim(claim);
    expect(keysOf(tasks)).toEqual(["e0", "e0", "e1"]);
    expect(new Set(tasks.map(({ orgId }) => orgId))).toEqual(new Set(both.map(({ orgId }) => orgId)));
    expect(await judgements.claim({ ...claim, limit: 1 })).toMatchObject([{ eventId: "e1", day }]);
  });

  test("go to only one process, however many claim at once", async () => {
    const { planes } = engine();
    const series = await newSeries(planes[0]);
    await planes[0].judgements.putPlan(planOf(series), drawnCalls(60));
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, i) => claimOf(planes[i % 2]!, series, { limit: 7 })),
    );
    const keys = claims.flatMap(keysOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBe(56);
  });

  test("can be claimed again only after the lease, which ends the first claim", async () => {
    const [first, second] = engine().planes;
    const series = await newSeries(first);
    await first.judgements.putPlan(planOf(series), drawnCalls(1));
    const leaseUntil = NOW + HOUR_MS;
    const [lost] = await claimOf(first, series, { leaseUntil });
    expect(await claimOf(second, series, { now: leaseUntil - 1 })).toEqual([]);
    const [taken] = await claimOf(second, series, { now: leaseUntil, leaseUntil: leaseUntil + HOUR_MS });
    expect(keysOf([taken!])).toEqual(["e0"]);
    expect(await settle(first, lost)).toBe(false);
    await first.judgements.release([lost!]);
    expect(await claimOf(first, series, { now: leaseUntil })).toEqual([]);
    expect(await first.usage.get(series.orgId, JANUARY)).toEqual(NO_USAGE);
    expect(await settle(second, taken)).toBe(true);
  });

  test("stay with a claim while it is renewed; settled ones stay settled", async () => {
    const [first, second] = engine().planes;
    const series = await newSeries(first);
    await first.judgements.putPlan(planOf(series), drawnCalls(3));
    const leaseUntil = NOW + HOUR_MS;
    const held = await claimOf(first, series, { leaseUntil, limit: 2 });
    expect(await settle(first, held[0])).toBe(true);
    await first.judgements.renew([held[0]!.claim, "unknown"], leaseUntil + HOUR_MS);
    await first.judgements.renew([], leaseUntil);
    expect(keysOf(await claimOf(second, series, { now: leaseUntil, leaseUntil }))).toHaveLength(1);
    const later = { now: leaseUntil + HOUR_MS, leaseUntil: leaseUntil + 2 * HOUR_MS };
    expect(keysOf(await claimOf(second, series, later))).toContain(keysOf([held[1]!])[0]);
    await first.judgements.renew([held[0]!.claim], leaseUntil + 9 * HOUR_MS);
    expect(await settle(first, held[1])).toBe(false);
  });

  test("can be settled after the lease, unless another claim took over", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(1));
    const [task] = await claimOf(plane, series, { leaseUntil: NOW + 1 });
    expect(await settle(plane, task, { at: NOW + HOUR_MS })).toBe(true);
  });

  test("count as leased in every process until the lease ends or they are made or released", async () => {
    const { planes } = engine();
    const series = await newSeries(planes[0]);
    const { orgId, experimentId } = series;
    const hasLease = (at: number) => planes[1].judgements.hasLease(orgId, experimentId, at);
    await planes[0].judgements.putPlan(planOf(series), drawnCalls(2));
    expect(await hasLease(NOW)).toBe(false);
    const [made, left] = await claimOf(planes[0], series, { now: NOW, leaseUntil: NOW + HOUR_MS });
    expect([await hasLease(NOW), await hasLease(NOW + HOUR_MS)]).toEqual([true, false]);
    expect(await planes[1].judgements.hasLease(await newOrg(planes[0]), experimentId, NOW)).toBe(false);
    await settle(planes[0], made);
    expect(await hasLease(NOW)).toBe(true);
    await planes[0].judgements.release([left!]);
    expect(await hasLease(NOW)).toBe(false);
  });

  test("are released without an attempt, and can be claimed at once", async () => {
    const [first, second] = engine().planes;
    const series = await newSeries(first);
    await first.judgements.putPlan(planOf(series), drawnCalls(3));
    const [done, ...rest] = await claimOf(first, series);
    await settle(first, done);
    await first.judgements.release([done!, ...rest]);
    const again = await claimOf(second, series);
    expect(again.map(({ eventId, attempts }) => [eventId, attempts])).toEqual([
      ["e1", 0],
      ["e2", 0],
    ]);
    expect(await settle(first, rest[0])).toBe(false);
  });

  test("are all released after a crash, and postponed ones stay postponed", async () => {
    const [{ judgements }] = engine().planes;
    const series = await newSeries(engine().planes[0]);
    await judgements.putPlan(planOf(series), drawnCalls(3));
    const all = await judgements.countPending(null);
    const [done, later] = await claimOf(engine().planes[0], series);
    await settle(engine().planes[0], done);
    await settle(engine().planes[0], later, { outcome: { ...POSTPONED, notBefore: NOW + HOUR_MS } });
    await judgements.releaseAll();
    expect(keysOf(await claimOf(engine().planes[0], series))).toEqual(["e2"]);
    expect(await judgements.countPending(null)).toBe(all - 1);
  });
}

function settling(engine: () => Engine): void {
  test("are settled once, and the month counts each score that the judge was asked for", async () => {
    const { planes } = engine();
    const [plane] = planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(1, { isRepeated: true }));
    await plane.usage.putEvents({ orgId: series.orgId, month: JANUARY, events: 7 });
    const [task, repeat] = await claimOf(plane, series);
    const settled = await Promise.all([0, 1, 2].map((i) => settle(planes[i % 2]!, task)));
    expect(settled.toSorted()).toEqual([false, false, true]);
    expect(await plane.usage.get(series.orgId, JANUARY)).toEqual({ events: 7, judgeEvaluations: 1 });
    await settle(plane, repeat, { month: FEBRUARY });
    expect(await plane.usage.get(series.orgId, FEBRUARY)).toEqual({ events: 0, judgeEvaluations: 1 });
    expect(await plane.judgements.countPending(series.orgId)).toBe(0);
  });

  test("count each score once when many are settled at the same time", async () => {
    const { planes } = engine();
    const series = await newSeries(planes[0]);
    await planes[0].judgements.putPlan(planOf(series), drawnCalls(10));
    const tasks = await claimOf(planes[0], series);
    const attempts = [...tasks, ...tasks].map((task, i) => settle(planes[i % 2]!, task));
    expect((await Promise.all(attempts)).filter((isSettled) => isSettled)).toHaveLength(10);
    expect(await planes[0].usage.get(series.orgId, JANUARY)).toMatchObject({ judgeEvaluations: 10 });
  });

  test("are settled in groups across orgs and months, without lost claims", async () => {
    const [plane] = engine().planes;
    const [one, two] = [await newSeries(plane), await newSeries(plane)];
    for (const series of [one, two]) await plane.judgements.putPlan(planOf(series), drawnCalls(3));
    const tasks = [...(await claimOf(plane, one)), ...(await claimOf(plane, two))];
    await settle(plane, tasks[4]);
    const months = [JANUARY, FEBRUARY, JANUARY, JANUARY, JANUARY, JANUARY];
    const outcomes = [SCORED, SCORED, SCORED, SCORED, SCORED, FAILED];
    const settlements = tasks.map((task, i) => ({
      task,
      settled: { outcome: outcomes[i]!, usage: USAGE, at: NOW, month: months[i]! },
    }));
    expect(await plane.judgements.settleAll(settlements)).toEqual([true, true, true, true, false, true]);
    expect(await plane.usage.get(one.orgId, JANUARY)).toMatchObject({ judgeEvaluations: 2 });
    expect(await plane.usage.get(one.orgId, FEBRUARY)).toMatchObject({ judgeEvaluations: 1 });
    expect(await plane.usage.get(two.orgId, JANUARY)).toMatchObject({ judgeEvaluations: 2 });
    const [summary] = await plane.judgements.summarize({ orgId: two.orgId, since: 0 });
    expect(summary).toMatchObject({ evaluations: 2, costUsd: 3 * USAGE.costUsd!, backlog: 0 });
  });

  test.each([
    { name: "a failure", settled: { outcome: FAILED } },
    { name: "a postponement", settled: { outcome: POSTPONED } },
    { name: "a score without a request to a judge", settled: { usage: null } },
  ])("do not count as an evaluation of the month for $name", async ({ settled }) => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(1));
    const [task] = await claimOf(plane, series);
    expect(await settle(plane, task, settled)).toBe(true);
    expect(await plane.usage.get(series.orgId, JANUARY)).toEqual(NO_USAGE);
  });

  test("keep the score, and add up the usage of all attempts", async () => {
    const [first, second] = engine().planes;
    const series = await newSeries(first);
    await first.judgements.putPlan(planOf(series), drawnCalls(1));
    const [one] = await claimOf(first, series);
    await settle(first, one, { outcome: POSTPONED, usage: { ...USAGE, costUsd: null } });
    expect((await first.judgements.list({ series, limit: 9 })).items).toMatchObject([
      { state: "pending", attempts: 1, cause: "timed-out", detail: ODD_TEXT, costUsd: null, judgedAt: null },
    ]);
    expect(await claimOf(second, series, { now: NOW + HOUR_MS - 1 })).toEqual([]);
    const later = { now: NOW + HOUR_MS, leaseUntil: NOW + 2 * HOUR_MS };
    const [two] = await claimOf(second, series, later);
    expect(two).toMatchObject({ eventId: "e0", attempts: 1 });
    await settle(second, two, { outcome: { ...POSTPONED, isAttempt: false }, usage: null });
    const [three] = await claimOf(second, series, later);
    expect(three).toMatchObject({ attempts: 1 });
    await settle(second, three, { at: NOW + HOUR_MS });
    expect((await first.judgements.list({ series, limit: 9 })).items).toEqual([
      {
        ...series,
        ...{
          eventId: "e0",
          isRepeat: false,
          judgeVersion: "judge@1",
          userId: ODD_TEXT,
          unitId: null,
          arm: "control",
        },
        ...{ occurredAt: NOW - HOUR_MS, probability: 0.1 + 0.2, state: "scored", score: 1, reason: ODD_TEXT },
        ...{ cause: null, detail: null, attempts: 2, inputTokens: 200, outputTokens: 20, costUsd: 0.25 },
        ...{ judgedAt: NOW + HOUR_MS, labelScore: null },
      },
    ]);
  });

  test("leave nothing of the group behind when the transaction fails", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(2));
    const tasks = await claimOf(plane, series);
    const failing = plane.transaction(async (stores) => {
      for (const task of tasks) await settle(stores, task);
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    expect(await plane.usage.get(series.orgId, JANUARY)).toEqual(NO_USAGE);
    expect(await settle(plane, tasks[0])).toBe(true);
  });

  test("accept a reason and a detail with characters that databases refuse", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(2));
    const [one, two] = await claimOf(plane, series);
    const text = "a\0b\ud83d";
    await settle(plane, one, { outcome: { ...SCORED, reason: text } });
    await settle(plane, two, { outcome: { ...FAILED, detail: text } });
    const { items } = await plane.judgements.list({ series, limit: 9 });
    expect(items.map(({ reason, detail }) => reason ?? detail)).toEqual(["ab\ufffd", "ab\ufffd"]);
  });
}

function retrying(engine: () => Engine): void {
  test("can be retried after failing, with zero attempts and the same costs", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    const other = { ...series, metricVersion: 2 };
    for (const each of [series, other]) await plane.judgements.putPlan(planOf(each), drawnCalls(2));
    for (const task of await claimOf(plane, series))
      await settle(plane, task, { outcome: task.eventId === "e0" ? FAILED : SCORED });
    const now = NOW + HOUR_MS;
    expect(await plane.judgements.retryFailed(series, now)).toBe(1);
    expect(await plane.judgements.retryFailed(series, now)).toBe(0);
    const [task, ...rest] = await claimOf(plane, series, { now });
    expect(rest).toEqual([]);
    expect(task).toMatchObject({ eventId: "e0", metricVersion: 1, attempts: 0, drawnAt: now });
    await settle(plane, task);
    const { items } = await plane.judgements.list({ series, state: "scored", limit: 9 });
    expect(items.map(({ costUsd, attempts }) => [costUsd, attempts])).toEqual(
      expect.arrayContaining([
        [0.5, 1],
        [0.25, 1],
      ]),
    );
  });

  test("are not retried for another org", async () => {
    const [plane] = engine().planes;
    const series = await newSeries(plane);
    await plane.judgements.putPlan(planOf(series), drawnCalls(1));
    await settle(plane, (await claimOf(plane, series))[0], { outcome: FAILED });
    const stranger = { ...series, orgId: await newOrg(plane) };
    expect(await plane.judgements.retryFailed(stranger, NOW)).toBe(0);
  });
}
