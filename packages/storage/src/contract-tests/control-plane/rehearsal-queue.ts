import type { Rehearsal } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { JANUARY, NOW, newOrg, ODD_TEXT } from "./fixtures.ts";
import {
  answerAll,
  answered,
  claimOf,
  keysOf,
  LEASE,
  newRehearsal,
  postponed,
  preferred,
  rehearsalPlan,
  settlementOf,
  textsOf,
} from "./rehearsal-fixtures.ts";

export function rehearsalQueueContract(engine: () => Engine): void {
  describe("requests of rehearsals", () => {
    claiming(engine);
    spending(engine);
    settling(engine);
  });
}

function claiming(engine: () => Engine): void {
  test("asks for all answers of an input before those of the next, and for each once", async () => {
    const [first, second] = engine().planes;
    const rehearsal = await newRehearsal(first);
    const tasks = await claimOf(first, rehearsal, { limit: 3 });
    expect(keysOf(tasks)).toEqual(["answer 0 0", "answer 0 1", "answer 1 0"]);
    expect(tasks[2]).toMatchObject({ itemId: "item-1", position: 99, attempts: 0, answers: [] });
    expect(tasks[2]?.rehearsal).toMatchObject({ id: rehearsal.id, plan: rehearsal.plan });
    expect(keysOf(await claimOf(second, rehearsal, { kinds: ["judgement"] }))).toEqual([]);
    expect(keysOf(await claimOf(second, rehearsal))).toEqual(["answer 1 1", "answer 2 0", "answer 2 1"]);
    expect(await claimOf(second, rehearsal)).toEqual([]);
    expect((await first.rehearsals.find(rehearsal.orgId, rehearsal.id))?.state).toBe("running");
  });

  test("by two processes at once never gives one request to both", async () => {
    const { planes } = engine();
    const rehearsal = await newRehearsal(planes[0], { inputs: 20 });
    const claims = await Promise.all(
      [0, 1, 0, 1].map((plane) => claimOf(planes[plane as 0 | 1], rehearsal, { limit: 10 })),
    );
    expect(claims.map(({ length }) => length)).toEqual([10, 10, 10, 10]);
    expect(new Set(claims.flatMap(keysOf)).size).toBe(40);
  });

  test("again gives what was released, or whose lease ended; a renewed lease holds", async () => {
    const [{ rehearsals }] = engine().planes;
    const [first] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 1 });
    const tasks = await claimOf(first, rehearsal);
    await rehearsals.release([tasks[0]!]);
    const again = await claimOf(first, rehearsal);
    expect(keysOf(again)).toEqual(["answer 0 0"]);
    await rehearsals.renew([again[0]!.claim], LEASE + 60_000);
    expect(keysOf(await claimOf(first, rehearsal, { now: LEASE + 1, leaseUntil: LEASE + 2 }))).toEqual([
      "answer 0 1",
    ]);
    await rehearsals.releaseAll();
    expect(keysOf(await claimOf(first, rehearsal))).toEqual(["answer 0 0", "answer 0 1"]);
    expect(await rehearsals.settleAll([settlementOf(tasks[0], answered("late"))])).toEqual([
      { isMine: false, isInputFinished: false },
    ]);
  });

  test("does not open more inputs than are judged soon", async () => {
    const [first] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 500 });
    let opened = 0;
    for (let more = 1; more > 0; opened += more)
      more = (await claimOf(first, rehearsal, { limit: 100 })).length;
    expect(opened).toBe(300);
  });
}

function spending(engine: () => Engine): void {
  /** Each answer is estimated at a dollar and a little, since its arm bounds it to a million tokens. */
  const withBudget = (budgetUsd: number, inputs = 10) =>
    newRehearsal(engine().planes[0], { plan: { budgetUsd }, inputs });

  test("stops claiming where estimates reach the budget, and goes on when less was spent", async () => {
    const [first, second] = engine().planes;
    const rehearsal = await withBudget(3.5);
    const tasks = await claimOf(first, rehearsal);
    expect(tasks).toHaveLength(4);
    expect(await claimOf(second, rehearsal)).toEqual([]);
    const cheap = { usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.25 } };
    await first.rehearsals.settleAll([settlementOf(tasks[0], answered("a"), cheap)]);
    expect(await claimOf(second, rehearsal, { kinds: ["answer"] })).toHaveLength(1);
  });

  test("ends the rehearsal when the budget is spent and nothing is in flight", async () => {
    const [first] = engine().planes;
    const rehearsal = await withBudget(1.5);
    const tasks = await claimOf(first, rehearsal);
    expect(tasks).toHaveLength(2);
    await answerAll(first, tasks.slice(0, 1));
    expect(await claimOf(first, rehearsal)).toEqual([]);
    expect((await first.rehearsals.find(rehearsal.orgId, rehearsal.id))?.state).toBe("running");
    await answerAll(first, tasks.slice(1));
    expect(await claimOf(first, rehearsal)).toEqual([]);
    expect(await first.rehearsals.find(rehearsal.orgId, rehearsal.id)).toMatchObject({
      ...{ state: "done", endedBecause: "budget", endedAt: NOW, spentUsd: 2 },
    });
  });

  test("keeps what waiting judgements need from further answers", async () => {
    const [first] = engine().planes;
    const rehearsal = await withBudget(1.5);
    const free = { usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } };
    const tasks = await claimOf(first, rehearsal);
    await first.rehearsals.settleAll(
      tasks.map((task) => settlementOf(task, answered(`by ${task.arm}`), free)),
    );
    const expensive = await claimOf(first, rehearsal, { limit: 1, kinds: ["answer"] });
    expect(expensive).toHaveLength(1);
    await first.rehearsals.settleAll([
      settlementOf(expensive[0], postponed(NOW), { usage: { ...free.usage, costUsd: 1.4995 } }),
    ]);
    expect(await claimOf(first, rehearsal, { kinds: ["answer"] })).toEqual([]);
    expect(await claimOf(first, rehearsal, { kinds: ["judgement"] })).toHaveLength(1);
  });

  test("does not count what a killed process held, once its lease ended", async () => {
    const [first] = engine().planes;
    const rehearsal = await withBudget(1.5);
    expect(await claimOf(first, rehearsal)).toHaveLength(2);
    expect(await claimOf(first, rehearsal)).toEqual([]);
    expect(await claimOf(first, rehearsal, { now: LEASE + 1, leaseUntil: LEASE + 2 })).toHaveLength(2);
  });

  test("an answer whose cost is unknown counts with its estimate, and a failed request without one not at all", async () => {
    const [first] = engine().planes;
    const rehearsal = await withBudget(100);
    const [a, b] = await claimOf(first, rehearsal);
    const unknown = { usage: { inputTokens: null, outputTokens: null, costUsd: null } };
    await first.rehearsals.settleAll([
      settlementOf(a, answered("a"), unknown),
      settlementOf(b, postponed(NOW + 9), { usage: null }),
    ]);
    const { spentUsd } = (await first.rehearsals.find(rehearsal.orgId, rehearsal.id)) as Rehearsal;
    expect(spentUsd).toBeGreaterThan(1);
    expect(spentUsd).toBeLessThan(1.01);
  });
}

function settling(engine: () => Engine): void {
  test("asks for judgements in both orders once both answers are there, and ends when all are made", async () => {
    const [first, second] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 1 });
    const { orgId, id } = rehearsal;
    const [control, treatment] = await claimOf(first, rehearsal);
    await answerAll(first, [control!]);
    expect(await claimOf(first, rehearsal)).toEqual([]);
    await answerAll(second, [treatment!], () => ODD_TEXT);
    const judgements = await claimOf(second, rehearsal);
    expect(keysOf(judgements)).toEqual(["judgement 0 1 control", "judgement 0 1 treatment"]);
    expect(judgements[0]?.answers).toEqual(["0 by 0", ODD_TEXT.replaceAll("\0", "").toWellFormed()]);
    const settlings = await first.rehearsals.settleAll([
      settlementOf(judgements[0], preferred("treatment")),
      settlementOf(judgements[1], preferred("tie")),
    ]);
    expect(settlings).toEqual([
      { isMine: true, isInputFinished: false },
      { isMine: true, isInputFinished: true },
    ]);
    expect((await first.usage.get(orgId, JANUARY)).judgeEvaluations).toBe(2);
    expect(await claimOf(first, rehearsal)).toEqual([]);
    expect(await first.rehearsals.find(orgId, id)).toMatchObject({
      state: "done",
      endedBecause: "completed",
    });
    expect(await first.rehearsals.progress(orgId, id)).toEqual({
      finishedInputs: 1,
      counts: [
        { kind: "answer", pending: 0, done: 2, failed: 0, costUsd: 2 },
        { kind: "judgement", pending: 0, done: 2, failed: 0, costUsd: 2 },
        { kind: "score", pending: 0, done: 0, failed: 0, costUsd: 0 },
      ],
    });
    const records = await second.rehearsals.listRecords(orgId, id, { after: -1, through: 0 });
    expect(records).toMatchObject([
      {
        kind: "answer",
        arm: 0,
        state: "done",
        length: 6,
        latencyMs: 12,
        inputTokens: 10,
        outputTokens: null,
      },
      { kind: "answer", arm: 1 },
      { kind: "judgement", arm: 1, first: "control", preference: "treatment" },
      { kind: "judgement", arm: 1, first: "treatment", preference: "tie", costUsd: 1 },
    ]);
    expect(await textsOf(second, rehearsal)).toMatchObject([{ text: "0 by 0" }, {}, {}, {}]);
    const stranger = await newOrg(first);
    expect(await textsOf(first, { orgId: stranger, id })).toEqual([]);
    expect(await first.rehearsals.listRecords(stranger, id, { after: -1, through: 0 })).toEqual([]);
    expect((await first.rehearsals.progress(stranger, id)).finishedInputs).toBe(0);
  });

  test("two processes that settle both answers at once leave two judgements", async () => {
    const { planes } = engine();
    const rehearsal = await newRehearsal(planes[0], { inputs: 8 });
    const tasks = await claimOf(planes[0], rehearsal, { limit: 16 });
    await Promise.all(tasks.map((task) => answerAll(planes[task.arm as 0 | 1], [task])));
    expect(await claimOf(planes[0], rehearsal, { limit: 40 })).toHaveLength(16);
  });

  test("equal answers tie without a judge", async () => {
    const [first] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 1 });
    const settlings = await answerAll(first, await claimOf(first, rehearsal), () => "same");
    expect(settlings.map(({ isInputFinished }) => isInputFinished)).toEqual([false, true]);
    const texts = await textsOf(first, rehearsal);
    expect(texts.map(({ preference }) => preference)).toEqual([null, null, "tie", "tie"]);
    expect((await first.usage.get(rehearsal.orgId, JANUARY)).judgeEvaluations).toBe(0);
  });

  test("a score needs only its own answer; a failed answer is not judged", async () => {
    const [first] = engine().planes;
    const { judge } = rehearsalPlan();
    const plan = { judge: { ...judge, mode: "score" as const }, repeats: 2 };
    const rehearsal = await newRehearsal(first, { inputs: 1, plan });
    const [a, b] = await claimOf(first, rehearsal, { limit: 2 });
    const failed = { kind: "failed", cause: "refused", detail: "No." } as const;
    await first.rehearsals.settleAll([settlementOf(a, answered("a")), settlementOf(b, failed)]);
    const next = await claimOf(first, rehearsal, { kinds: ["score"] });
    expect(next).toMatchObject([{ kind: "score", arm: 0, repeat: 0, answers: ["a"] }]);
    await first.rehearsals.settleAll([
      settlementOf(next[0], { kind: "scored", score: 0.5, reason: "Fair." }),
    ]);
    const texts = await textsOf(first, rehearsal);
    expect(texts).toMatchObject([{}, { state: "failed", cause: "refused", detail: "No." }, { score: 0.5 }]);
  });

  test("pairs are paged in their order, and a page of long texts ends early", async () => {
    const [first] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 9 });
    const { orgId, id } = rehearsal;
    const text = "x".repeat(100);
    await answerAll(first, await claimOf(first, rehearsal, { limit: 10 }), () => text);
    const page = (more: object) =>
      first.rehearsals.listPairs(orgId, id, { limit: 3, maxCharacters: 1_000, ...more });
    const places = ({ items }: Awaited<ReturnType<typeof page>>) => items.map(({ input }) => input.place);
    const one = await page({});
    expect(places(one)).toEqual([0, 1, 2]);
    const two = await page({ cursor: one.nextCursor });
    expect([places(two), two.nextCursor]).toEqual([[3, 4], null]);
    expect(places(await page({ maxCharacters: 300 }))).toEqual([0, 1]);
    await expect(page({ cursor: "nonsense" })).rejects.toThrow(/cursor/);
  });

  test("a postponed request waits, and counts as an attempt only when the endpoint was reached", async () => {
    const [first] = engine().planes;
    const rehearsal = await newRehearsal(first, { inputs: 1 });
    const [a, b] = await claimOf(first, rehearsal);
    await first.rehearsals.settleAll([
      settlementOf(a, postponed(NOW + 5, false)),
      settlementOf(b, postponed(NOW + 5)),
    ]);
    expect(await claimOf(first, rehearsal, { now: NOW + 4 })).toEqual([]);
    const again = await claimOf(first, rehearsal, { now: NOW + 5 });
    expect(again.map(({ attempts }) => attempts)).toEqual([0, 1]);
  });
}
