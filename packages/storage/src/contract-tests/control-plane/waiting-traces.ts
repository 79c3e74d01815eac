import {
  type CallFact,
  type DueTrace,
  factKey,
  type ScopeCalls,
  type SettledDue,
  type TraceFact,
  type TraceOrigin,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newOrg, ODD_TEXT } from "./fixtures.ts";

const PATIENCE = { quietMs: 1_000, maxMs: 3_000 };
const DAY = 86_400_000;

let count = 0;
const newTrace = (orgId: string): TraceOrigin => ({
  ...{ orgId, traceId: String(++count).padStart(32, "0"), keyPrefix: "svc_sk_abc", client: null },
});

const call = (number: number, change: Partial<CallFact> = {}): CallFact => ({
  ...{
    kind: "call",
    spanId: String(number).padStart(16, "0"),
    userId: null,
    at: NOW,
    fields: { model: "m" },
  },
  ...{ scope: "scope 1.0", isStream: false, hasUsage: true },
  ...change,
});
const settled = (trace: DueTrace, outcomes: SettledDue["outcomes"]): SettledDue => ({
  ...{ trace, outcomes, wholes: new Map() },
});
const user = (userId: string): TraceFact => ({ kind: "user", userId, rank: 0 });

export function waitingTraceContract(engine: () => Engine): void {
  /** Lists the due traces of an org, through another process. */
  const dueOf = async (orgId: string, now: number) =>
    (await engine().planes[1].waitingTraces.listDue(now, 1_000, 1e9)).filter(
      (trace) => trace.orgId === orgId,
    );

  describe("waiting traces", () => {
    test("are due once they were quiet, with every fact once, as it was given", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const trace = newTrace(orgId);
      const facts = [
        call(1, { fields: { prompt: `nul\0 ${ODD_TEXT}` } }),
        user("nul\0 and \ud800"),
        user(ODD_TEXT),
      ];
      // Twice at the same time, which shares a transaction, and once later.
      const add = () => waitingTraces.add([{ ...trace, facts }], NOW, PATIENCE);
      await Promise.all([add(), add()]);
      await add();
      expect(await dueOf(orgId, NOW + 999)).toEqual([]);
      const [due] = await dueOf(orgId, NOW + 1_000);
      expect(due).toMatchObject(trace);
      const sorted = [...facts].sort((one, other) => (factKey(one) < factKey(other) ? -1 : 1));
      const found = [...(due?.facts ?? [])].sort((one, other) => (factKey(one) < factKey(other) ? -1 : 1));
      expect(found).toEqual(sorted.map((fact) => JSON.parse(JSON.stringify(fact))));
      expect(due?.isWhole).toBe(true);
    });

    test("wait for more, but not for ever, and repetitions are nothing new", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const trace = newTrace(orgId);
      for (let at = 0; at <= 2_900; at += 580)
        await waitingTraces.add([{ ...trace, facts: [call(at)] }], NOW + at, PATIENCE);
      expect(await dueOf(orgId, NOW + 2_999)).toEqual([]);
      expect(await dueOf(orgId, NOW + 3_000)).toHaveLength(1);
      const quiet = newTrace(orgId);
      await waitingTraces.add([{ ...quiet, facts: [call(1)] }], NOW, PATIENCE);
      await waitingTraces.add([{ ...quiet, facts: [call(1)] }], NOW + 900, PATIENCE);
      expect((await dueOf(orgId, NOW + 1_000)).map(({ traceId }) => traceId)).toEqual([quiet.traceId]);
    });

    test("are due again when they grew, also while they were settled", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const trace = newTrace(orgId);
      const add = (fact: TraceFact, at: number) =>
        waitingTraces.add([{ ...trace, facts: [fact] }], at, PATIENCE);
      await add(call(1), NOW);
      const [first] = await dueOf(orgId, NOW + 1_000);
      await add(call(2), NOW + 1_000);
      if (first === undefined) throw new Error("The trace is not due.");
      await waitingTraces.settle([settled(first, new Map([[factKey(call(1)), "event"]]))]);
      const [second] = await dueOf(orgId, NOW + 2_000);
      expect(second?.facts).toHaveLength(2);
      if (second === undefined) throw new Error("The trace is not due again.");
      expect(await waitingTraces.countCalls(orgId)).toMatchObject([{ outcome: "waiting", calls: 2 }]);
      const decided = new Map([
        [factKey(call(1)), "event"],
        [factKey(call(2)), "no-user"],
      ] as const);
      await waitingTraces.settle([settled(second, decided)]);
      expect(await dueOf(orgId, NOW + 9_000)).toEqual([]);
      const outcomes = (await waitingTraces.countCalls(orgId)).map(({ outcome, calls }) => [outcome, calls]);
      expect(outcomes).toEqual([
        ["event", 1],
        ["no-user", 1],
      ]);
    });

    test("are read in portions, and a trace that is too large in part", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const long = NOW - 99 * DAY;
      const [large, second, third] = [newTrace(orgId), newTrace(orgId), newTrace(orgId)];
      for (const [at, trace] of [large, second, third].entries())
        await waitingTraces.add([{ ...trace, facts: [call(1)] }], long + at, PATIENCE);
      for (let at = 0; at < 3; at++)
        await waitingTraces.add([{ ...large, facts: [call(at + 2)] }], long + at - 100, PATIENCE);
      const read = async (maxSize: number) =>
        (await waitingTraces.listDue(long + DAY, 1_000, maxSize)).map(({ traceId, facts, isWhole }) => ({
          ...{ traceId, facts: facts.length, isWhole },
        }));
      const whole = (trace: TraceOrigin, facts = 1) => ({ traceId: trace.traceId, facts, isWhole: true });
      // A fact here has about 1.2 KB.
      expect(await read(4_000)).toEqual([{ traceId: large.traceId, facts: 3, isWhole: false }]);
      expect(await read(7_000)).toEqual([whole(large, 4), whole(second)]);
      expect(await read(1e9)).toEqual([whole(large, 4), whole(second), whole(third)]);
    });

    test("of any number are kept, grow and are counted", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const traces = Array.from({ length: 317 }, () => newTrace(orgId));
      const add = (facts: readonly TraceFact[], at: number) =>
        waitingTraces.add(
          traces.map((trace) => ({ ...trace, facts })),
          at,
          PATIENCE,
        );
      const settleAll = async (now: number, facts: readonly CallFact[]) => {
        const due = await dueOf(orgId, now);
        expect(due.map(({ facts }) => facts.length)).toEqual(traces.map(() => facts.length));
        const outcomes = new Map(facts.map((fact) => [factKey(fact), "event"] as const));
        await waitingTraces.settle(due.map((trace) => settled(trace, outcomes)));
        return (await waitingTraces.countCalls(orgId)).map(({ outcome, calls }) => [outcome, calls]);
      };
      await add([call(1)], NOW);
      expect(await settleAll(NOW + 1_000, [call(1)])).toEqual([["event", 317]]);
      await add([call(1)], NOW + 1_000);
      expect(await dueOf(orgId, NOW + 9_000)).toEqual([]);
      await add([call(2)], NOW + 1_000);
      await add([call(2)], NOW + 1_500);
      expect(await dueOf(orgId, NOW + 1_999)).toEqual([]);
      expect(await settleAll(NOW + 2_000, [call(1), call(2)])).toEqual([["event", 634]]);
    });

    test("that fail to be added make no other fail", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const trace = newTrace(orgId);
      const results = await Promise.allSettled(
        [newTrace("no org"), trace].map((one) =>
          waitingTraces.add([{ ...one, facts: [call(1)] }], NOW, PATIENCE),
        ),
      );
      expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
      expect((await dueOf(orgId, NOW + 1_000)).map(({ traceId }) => traceId)).toEqual([trace.traceId]);
    });

    test("are counted by instrumentation, each org's for itself", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const [orgId, stranger] = [await newOrg(stores), await newOrg(stores)];
      const facts = [call(1), call(2, { isStream: true, hasUsage: false }), call(3), user("ann")];
      await waitingTraces.add([{ ...newTrace(orgId), facts }], NOW, PATIENCE);
      const row = (change: Partial<ScopeCalls>): ScopeCalls => ({
        ...{ scope: "scope 1.0", isStream: false, hasUsage: true, outcome: "waiting", calls: 2 },
        ...change,
      });
      expect(await waitingTraces.countCalls(orgId)).toEqual([
        row({}),
        row({ isStream: true, hasUsage: false, calls: 1 }),
      ]);
      expect(await waitingTraces.countCalls(stranger)).toEqual([]);
    });

    test("count a call in pieces once: it lacks nothing until it is over", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const begun = (number: number): TraceFact => ({
        ...{ kind: "begun", spanId: String(number).padStart(16, "0"), scope: "pieces 2.0" },
      });
      const facts = [1, 2, 3].flatMap((number) => [begun(number), begun(number)]);
      await waitingTraces.add([{ ...newTrace(orgId), facts }], NOW, PATIENCE);
      const row = { scope: "pieces 2.0", isStream: false, hasUsage: true, outcome: "waiting", calls: 3 };
      expect(await waitingTraces.countCalls(orgId)).toEqual([row]);
      const [trace] = await dueOf(orgId, NOW + 1_000);
      if (trace === undefined) throw new Error("The trace is not due.");
      const outcomes = new Map([
        [factKey(begun(1)), "event"],
        [factKey(begun(2)), "event"],
        [factKey(begun(3)), "unfinished"],
      ] as const);
      const wholes = new Map([
        [factKey(begun(1)), { isStream: true, hasUsage: false }],
        [factKey(begun(2)), { isStream: false, hasUsage: true }],
      ]);
      await waitingTraces.settle([{ trace, outcomes, wholes }]);
      expect(await waitingTraces.countCalls(orgId)).toEqual([
        { ...row, outcome: "event", calls: 1 },
        { ...row, outcome: "unfinished", calls: 1 },
        { ...row, isStream: true, hasUsage: false, outcome: "event", calls: 1 },
      ]);
    });

    test("have a newest call, without those around calls, and a newest evaluation, each org's for itself", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const [orgId, stranger] = [await newOrg(stores), await newOrg(stores)];
      expect(await waitingTraces.findNewest(orgId)).toEqual({ call: null, evaluation: null });
      const evaluation = (flag: string, isLogged: boolean): TraceFact => ({
        ...{ kind: "evaluation", spanId: null, variant: "v", userId: "ann", at: NOW, flag, isLogged },
      });
      const [old, newer, newest] = [newTrace(orgId), newTrace(orgId), newTrace(orgId)];
      const add = (trace: TraceOrigin, facts: readonly TraceFact[], at: number) =>
        waitingTraces.add([{ ...trace, facts }], at, PATIENCE);
      await add(old, [call(1), evaluation("first", false)], NOW);
      await add(newer, [call(2), call(3), evaluation("second", true)], NOW + 1);
      await add(newest, [user("ann")], NOW + 2);
      await add(newTrace(stranger), [call(9), evaluation("foreign", true)], NOW + 3);
      const due = (await dueOf(orgId, NOW + 9_000)).find(({ traceId }) => traceId === newer.traceId);
      if (due === undefined) throw new Error("The trace is not due.");
      const outcomes = new Map([
        [factKey(call(2)), "event"],
        [factKey(call(3)), "outer-call"],
      ] as const);
      await waitingTraces.settle([{ trace: due, outcomes, wholes: new Map() }]);
      expect(await waitingTraces.findNewest(orgId)).toMatchObject({
        call: { traceId: newer.traceId, fact: { spanId: call(2).spanId }, outcome: "event" },
        evaluation: { traceId: newer.traceId, fact: { flag: "second", isLogged: true } },
      });
    });

    test("are removed a day after they began, once settled, and what was lost is counted", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const orgId = await newOrg(stores);
      const long = NOW - 9 * DAY;
      const [old, due, young] = [newTrace(orgId), newTrace(orgId), newTrace(orgId)];
      await waitingTraces.add([{ ...old, facts: [call(1), call(2), call(3)] }], long, PATIENCE);
      const [first] = await dueOf(orgId, long + 1_000);
      if (first === undefined) throw new Error("The trace is not due.");
      const outcomes = new Map([
        [factKey(call(1)), "event"],
        [factKey(call(2)), "no-user"],
        [factKey(call(3)), "outer-call"],
      ] as const);
      await waitingTraces.settle([settled(first, outcomes)]);
      await waitingTraces.add([{ ...due, facts: [call(1)] }], long, PATIENCE);
      await waitingTraces.add([{ ...young, facts: [call(1)] }], long + DAY, PATIENCE);
      expect((await waitingTraces.expire(long + DAY)).get("no-user")).toBe(1);
      expect((await dueOf(orgId, NOW)).map(({ traceId }) => traceId)).toEqual([due.traceId, young.traceId]);
      expect(await waitingTraces.countCalls(orgId)).toMatchObject([{ outcome: "waiting", calls: 2 }]);
    });

    test("of a user are erased as a whole, those that began later are not", async () => {
      const [{ waitingTraces, ...stores }] = engine().planes;
      const [orgId, stranger] = [await newOrg(stores), await newOrg(stores)];
      const [named, other, later, foreign] = [
        newTrace(orgId),
        newTrace(orgId),
        newTrace(orgId),
        newTrace(stranger),
      ];
      await waitingTraces.add([{ ...named, facts: [call(1, { userId: "a\0b" }), call(2)] }], NOW, PATIENCE);
      await waitingTraces.add([{ ...other, facts: [user("bob")] }], NOW, PATIENCE);
      await waitingTraces.add([{ ...later, facts: [user("a\0b")] }], NOW + 10, PATIENCE);
      await waitingTraces.add([{ ...foreign, facts: [user("a\0b")] }], NOW, PATIENCE);
      expect(await waitingTraces.eraseUsers([{ orgId, userId: "a\0b", requestedAt: NOW + 5 }])).toBe(1);
      const left = (await dueOf(orgId, NOW + 5_000)).map(({ traceId }) => traceId).sort();
      expect(left).toEqual([other.traceId, later.traceId]);
      expect(await dueOf(stranger, NOW + 5_000)).toHaveLength(1);
    });
  });
}
