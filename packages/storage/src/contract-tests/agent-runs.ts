import { randomUUID } from "node:crypto";
import {
  AGENT_RUN_OUTCOMES,
  type AgentRunOutcome,
  type ArmMetric,
  DAY_MS,
  type EventStore,
  type ExperimentUnit,
  type MetricQuery,
  type RunField,
  type StoredEvent,
} from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runsByHand } from "./reference-runs.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const MINUTE_MS = 60_000;

const runMetric = (name: string, kind: MetricQuery["kind"], field: RunField): MetricQuery => ({
  ...{ name, kind, source: { event: "run", field }, windowDays: null, cap: null, acceptFrom: null },
});

/** Metrics with every value of runs, every kind that the value allows, a window and a cap. */
export const RUN_METRICS: readonly MetricQuery[] = [
  runMetric("turns", "mean", "turns"),
  runMetric("turns per run", "ratio", "turns"),
  runMetric("steps", "mean", "steps"),
  { ...runMetric("steps in an hour", "ratio", "steps"), windowDays: 1 / 24 },
  { ...runMetric("tool calls, capped", "mean", "tool_calls"), cap: 2 },
  runMetric("tool errors", "ratio", "tool_errors"),
  runMetric("duration", "quantile", "duration_ms"),
  runMetric("duration per run", "ratio", "duration_ms"),
  runMetric("cost", "mean", "cost_usd"),
  runMetric("cost per task done", "ratio", "cost_usd"),
  runMetric("done", "binary", "completed"),
  runMetric("share done", "ratio", "completed"),
  runMetric("handoffs", "ratio", "handoffs"),
];

const USERS = ["u1", "u2", "u3", "u4", "u5", "u6", "svc-test-1"];

/** Few users, runs and instants, so that ties, mixed runs and runs across an exposure are common; sums are exact in any order. */
export const someRunEvent: fc.Arbitrary<Partial<StoredEvent> & { readonly minutes: number }> = fc
  .record({
    type: fc.constantFrom("exposure", "model_call", "model_call", "tool_call", "run_end", "business_event"),
    userId: fc.constantFrom(...USERS),
    variant: fc.constantFrom(null, null, null, null, "b"),
    run: fc.constantFrom("r1", "r2", "r3", null),
    minutes: fc.integer({ min: 0, max: 400 }),
    costUsd: fc.constantFrom(0.25, 0.5, 2, 0, null),
    error: fc.constantFrom(true, false, false),
    agentName: fc.constantFrom("planner", "writer", "critic", null),
    completed: fc.constantFrom(true, true, false),
    markedTest: fc.constantFrom(null, null, null, null, null, null, true),
  })
  .map(({ type, userId, run, minutes, ...rest }) => {
    // Mostly one variant for each user, from early on.
    const arm = Number(userId.at(-1)) % 2 === 0 ? "a" : "b";
    const place = { type, userId, minutes, runId: run } as const;
    const { variant, markedTest, agentName, error, costUsd, completed } = rest;
    if (type === "exposure") {
      const isOther = userId === "u6" && variant !== null;
      const from = userId === "u5" ? 100 : 0;
      return { ...place, minutes: from + Math.floor(minutes / 40), variant: isOther ? variant : arm };
    }
    const sent = { ...place, variant: variant === null ? null : arm === "b" ? null : variant, markedTest };
    if (type === "model_call") return { ...sent, agentName, error, costUsd };
    if (type === "tool_call") return { ...sent, agentName, error, toolName: "search" };
    // An end without a run is refused.
    if (type === "run_end") return { ...sent, runId: run ?? "r1", completed };
    return { ...sent, businessMetric: "liked", value: 1 };
  });

/** Agents' runs, as values of their units and as units themselves. */
export function describeAgentRuns(storeOf: () => EventStore): void {
  describe("agents' runs", () => {
    const until = T0 + 7 * 60 * MINUTE_MS;
    const queryOf = (orgId: string, unit: ExperimentUnit) => ({
      ...{ ...wholeExperiment(orgId), unit, until, periodStarts: [], prices: [], metrics: RUN_METRICS },
      ...{ sample: { maxUsersPerArm: 100, preDays: 14 }, factsUntil: until, configuredModels: {} },
    });

    async function stored(events: readonly Partial<StoredEvent>[]) {
      const orgId = randomUUID();
      const all = events.map((event, i) => storedEvent({ eventId: `e${i}`, ...event, orgId }));
      // Three batches. Two of them are sent again, one in reverse order.
      const batches = [0, 1, 2].map((batch) => all.filter((_, i) => (i * 7) % 3 === batch));
      for (const batch of [...batches, batches[1]!.toReversed(), batches[0]!]) await storeOf().append(batch);
      return { orgId, all };
    }

    test.each(["user", "conversation", "run"] as const)(
      "of an experiment on a %s give what a plain computation gives",
      async (unit) => {
        const events = fc.sample(someRunEvent, { numRuns: 700, seed: 7 }).map(({ minutes, ...event }, i) => ({
          ...event,
          runId: event.runId == null ? null : `${event.runId} ${i % 11}`,
          // A user has several conversations and runs. If the unit is the run, all its events belong to it, whatever run they name.
          unitId: unit === "user" ? null : `${event.userId} ${i % (unit === "run" ? 15 : 4)}`,
          occurredAt: T0 + minutes * MINUTE_MS,
        }));
        const { orgId, all } = await stored(events);
        const { arms, facts } = await storeOf().loadRun(queryOf(orgId, unit));
        const expected = runsByHand(all, { unit, until, metrics: RUN_METRICS });
        expect(facts.agentRuns).toEqual(expected.runs);
        expect(arms.metrics.map(sumsOf)).toEqual(expected.metrics.map(closeTo));
        const total = (of: AgentRunOutcome) => expected.runs.reduce((sum, row) => sum + row[of], 0);
        expect(AGENT_RUN_OUTCOMES.filter((outcome) => total(outcome) === 0)).toEqual([]);
      },
    );

    test("are no metric's where nobody reports an end, if they need one", async () => {
      const call = { type: "model_call", userId: "ann", runId: "r", costUsd: 1 } as const;
      const events = [{ userId: "ann", variant: "a" }, call];
      const { orgId } = await stored(events);
      const { arms, facts } = await storeOf().loadRun(queryOf(orgId, "user"));
      expect(facts.agentRuns).toEqual([
        { arm: "a", period: 0, done: 0, failed: 0, idle: 1, open: 0, mixed: 0, early: 0 },
      ]);
      const names = arms.metrics.map(({ metric }) => metric);
      expect(RUN_METRICS.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([
        ...["cost per task done", "done", "share done"],
      ]);
      expect(arms.metrics.find(({ metric }) => metric === "cost")).toMatchObject({ users: 1, meanY: 1 });
    });

    test("are not counted where no metric reads them", async () => {
      const { orgId } = await stored([{ userId: "ann", variant: "a" }]);
      const { facts } = await storeOf().loadRun({ ...queryOf(orgId, "user"), metrics: [] });
      expect(facts.agentRuns).toBeNull();
    });

    test("are made of what the metrics accept", async () => {
      const of = (source: StoredEvent["source"], variant: string | null = null) => [
        {
          ...({ type: "model_call", userId: "ann", runId: "r", costUsd: 1, source } as const),
          occurredAt: T0 + 1,
          variant,
        },
        {
          ...({ type: "run_end", userId: "ann", runId: "r", source } as const),
          completed: source !== "secret",
          occurredAt: T0 + 2,
        },
      ];
      // If they counted, the end from a page would complete the task, and its variant would make the run mixed.
      const { orgId } = await stored([
        { userId: "ann", variant: "a" },
        ...of("secret"),
        ...of("publishable", "b"),
      ]);
      const metrics = RUN_METRICS.map((metric) => ({ ...metric, acceptFrom: ["secret" as const] }));
      const { arms, facts } = await storeOf().loadRun({ ...queryOf(orgId, "user"), metrics });
      expect(facts.agentRuns).toMatchObject([{ done: 0, failed: 1, mixed: 0 }]);
      const of1 = (name: string) => arms.metrics.find(({ metric }) => metric === name)?.meanY;
      expect([of1("turns"), of1("share done"), of1("cost")]).toEqual([1, 0, 1]);
      const all = await storeOf().loadRun(queryOf(orgId, "user"));
      expect(all.facts.agentRuns).toMatchObject([{ done: 0, failed: 0, mixed: 1 }]);
    });

    test("cost what their calls cost at the experiment's prices", async () => {
      const { orgId } = await stored([
        { userId: "ann", variant: "a" },
        {
          ...{ type: "model_call", userId: "ann", runId: "r", model: "m", inputTokens: 3, outputTokens: 2 },
          occurredAt: T0 + 1,
        },
        { type: "run_end", userId: "ann", runId: "r", completed: true, occurredAt: T0 + 2 },
      ]);
      const price = { model: "m", inputUsdPerMillion: 1e6, outputUsdPerMillion: 2e6 } as never;
      const query = { ...queryOf(orgId, "user"), prices: [price] };
      const { arms } = await storeOf().loadRun(query);
      const of = (name: string) => arms.metrics.find(({ metric }) => metric === name);
      expect([of("cost")?.meanY, of("cost per task done")?.meanY]).toEqual([7, 7]);
      const unpriced = await storeOf().loadRun({ ...query, prices: [] });
      expect(unpriced.arms.metrics.find(({ metric }) => metric === "cost per task done")).toBeUndefined();
    });

    test("of sampled traces count for as many as their trace stands for", async () => {
      const of = (userId: string, runId: string, samplingProbability: number | null) => [
        {
          ...{ type: "model_call" as const, userId, runId, costUsd: 1, samplingProbability },
          occurredAt: T0 + 1,
        },
        { type: "run_end" as const, userId, runId, completed: runId !== "r2", occurredAt: T0 + 2 },
      ];
      const exposed = ["ann", "bob"].map((userId) => ({ userId, variant: "a" }));
      const { orgId } = await stored([...exposed, ...of("ann", "r1", 0.5), ...of("ann", "r2", 0.25)]);
      const { arms } = await storeOf().loadRun({ ...queryOf(orgId, "user"), until: until + DAY_MS });
      const row = (name: string) => arms.metrics.find(({ metric }) => metric === name)!;
      // Two runs completed their task, and four failed.
      expect(row("cost")).toMatchObject({ users: 2, meanY: 3 });
      expect(row("cost per task done")).toMatchObject({ users: 2, meanY: 3, meanD: 1 });
      expect(row("share done")).toMatchObject({ users: 2, meanY: 1, meanD: 3 });
      expect(row("turns per run").weights).toEqual({ smallest: 2, largest: 4, total: 6 });
    });
  });
}

const sumsOf = ({ metric, arm, users, events, meanY, meanD, fineCounts }: ArmMetric) => ({
  ...{ metric, arm, users, events, meanY, meanD },
  fineCounts: [...fineCounts].sort(([one], [other]) => one - other),
});

const closeTo = ({ meanY, meanD, ...row }: ReturnType<typeof sumsOf>) => ({
  ...row,
  ...{ meanY: expect.closeTo(meanY, 6), meanD: expect.closeTo(meanD, 6) },
});
