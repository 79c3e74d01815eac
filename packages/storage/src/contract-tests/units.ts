import { randomUUID } from "node:crypto";
import { bucketOf } from "@assay/bucketing";
import { type ArmSnapshot, DAY_MS, type EventStore, GUARD_COLUMNS, type StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { METRICS, revenue } from "./arm-metrics.ts";
import { someEvent } from "./some-event.ts";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

/** Tests experiments whose unit is a user's conversation or run. */
export function describeUnits(storeOf: () => EventStore): void {
  describe("conversations and runs as units", () => {
    const exposed = (unitId: string, userId: string, variant: string): Partial<StoredEvent> => ({
      ...{ unitId, userId, variant },
    });
    async function stored(events: readonly Partial<StoredEvent>[]) {
      const orgId = randomUUID();
      await storeOf().append(events.map((event) => storedEvent({ ...event, orgId })));
      return {
        ...{ ...wholeExperiment(orgId), unit: "conversation" as const, until: T0 + 30 * DAY_MS },
        ...{ periodStarts: [], prices: PRICES },
      };
    }

    test("are counted one by one, beside their users, and name them", async () => {
      const bought = (unitId: string, userId: string, value: number): Partial<StoredEvent> => ({
        ...{ type: "business_event", businessMetric: "revenue", unitId, userId, value },
        occurredAt: T0 + 60_000,
      });
      const query = await stored([
        ...[
          exposed("c1", "ann", "a"),
          exposed("c2", "ann", "b"),
          exposed("c3", "ann", "a"),
          exposed("c4", "bob", "a"),
        ],
        ...[bought("c1", "ann", 1), bought("c1", "ann", 2), bought("c2", "ann", 4), bought("c4", "bob", 8)],
      ]);
      const sample = { maxUsersPerArm: 10, preDays: 0 };
      const arms = await storeOf().loadArms({
        ...query,
        metrics: [revenue, { ...revenue, kind: "binary" }],
        sample,
      });
      expect(
        arms.exposures.map(({ arm, users, contaminatedUsers }) => [arm, users, contaminatedUsers]),
      ).toEqual([
        ["a", 3, 0],
        ["b", 1, 0],
      ]);
      expect(usersOfUnits(arms, "revenue")).toEqual({ a: 2, b: 1 });
      const { orgId, experimentId } = query;
      const counted = await storeOf().countExposures({ orgId, exclusions: [], ofUnits: [experimentId] });
      expect(counted.map(({ variant, users }) => [variant, users])).toEqual([
        ["a", 3],
        ["b", 1],
      ]);
      const values = arms.metrics.filter(({ arm }) => arm === "a").map(({ sample: own }) => own!);
      // A binary metric also has its units' values.
      expect(values).toHaveLength(2);
      const [sums] = values;
      if (sums?.type !== "values") throw new Error("The sample must hold values.");
      const byCluster = Map.groupBy([...sums.y.keys()], (i) => sums.clusters![i]!);
      expect([...byCluster.values()].map((units) => units.map((i) => sums.y[i]!).sort())).toEqual(
        expect.arrayContaining([[0, 3], [8]]),
      );
      const ofB = arms.metrics.find(({ arm }) => arm === "b")!.sample!;
      expect(byCluster.get(ofB.clusters![0]!)).toHaveLength(2);
    });

    test("have their user's past as a covariate", async () => {
      const before = (userId: string, value: number): Partial<StoredEvent> => ({
        ...{ type: "business_event", businessMetric: "revenue", userId, value, experimentId: "other" },
        occurredAt: T0 - DAY_MS,
      });
      const query = await stored([
        ...[exposed("c1", "ann", "a"), exposed("c2", "ann", "b"), exposed("c3", "bob", "a")],
        ...[before("ann", 5), before("eve", 7)],
        // If a unit has several users, on whatever shards, the user who was exposed first counts.
        ...Array.from({ length: 8 }, (_, i) => ({ ...exposed("c4", `u${i}`, "a"), occurredAt: T0 + 7 - i })),
        ...Array.from({ length: 8 }, (_, i) => before(`u${i}`, 2 ** i)),
      ]);
      const sample = { maxUsersPerArm: 10, preDays: 14 };
      const { metrics } = await storeOf().loadArms({ ...query, metrics: [revenue], sample });
      const past = metrics.map(({ arm, sample: own }) => [
        arm,
        own?.type === "values" ? [...own.preY].sort() : [],
      ]);
      expect(past).toEqual([
        ["a", [128, 5, Number.NaN]],
        ["b", [5]],
      ]);
    });

    test("belong to the owner of their own bucket, and an exclusion takes them out one by one", async () => {
      const [salt, bucketCount, names] = ["s", 100, Array.from({ length: 40 }, (_, i) => `c${i}`)];
      const armOf = (unitId: string) =>
        bucketOf({ id: "exp", salt, bucketCount }, unitId) < 50 ? ("a" as const) : ("b" as const);
      const { until: _, ...query } = await stored(
        names.flatMap((unitId) => [
          exposed(unitId, "ann", armOf(unitId)),
          { type: "model_call", unitId, userId: "ann", latencyMs: 1 },
        ]),
      );
      const sums = await storeOf().loadGuardSums({
        ...{ ...query, receivedFrom: null, receivedUntil: T0 + DAY_MS, occurredFrom: 0, metrics: [] },
        owners: { salt, bucketCount, ends: [50, 100], variants: ["a", "b"] },
        arms: ["a", "b"],
      });
      const { a = [], b = [] } = Object.groupBy(names, armOf);
      const calls = GUARD_COLUMNS.indexOf("calls");
      const total = (arm: string) => sums.get(arm)![calls]!.reduce((sum, count) => sum + count, 0);
      expect([total("a"), total("b")]).toEqual([a.length, b.length]);
      const effects = await storeOf().loadExclusionEffects({ ...query, match: { variant: "a" } });
      expect(effects.map(({ arm, users, removedUsers }) => [arm, users, removedUsers])).toEqual([
        ["a", a.length, a.length],
        ["b", b.length, 0],
      ]);
    });

    test("are analyzed by the rules of users", async () => {
      const events = fc.sample(someEvent, { numRuns: 600, seed: 29 }).map((event, i) => {
        const unitId = `u${i % 70}`;
        return { ...event, experimentId: "exp", eventId: `e${i}`, unitId, userId: unitId, latencyMs: i / 7 };
      });
      const users = await stored(events);
      const units = await stored(events.map((event, i) => ({ ...event, userId: `person ${(i % 70) % 9}` })));
      const load = async (query: typeof users, unit: "user" | "run") => {
        const { arms, facts } = await storeOf().loadRun({
          ...{ ...query, unit, metrics: METRICS, sample: { maxUsersPerArm: 20, preDays: 0 } },
          ...{ factsUntil: query.until, configuredModels: {} },
        });
        const { metrics, clusters, ...counts } = arms;
        expect(clusters).toBe(unit === "user" ? undefined : 9);
        return { ...counts, metrics: metrics.map(withoutSample), facts };
      };
      const expected = await load(users, "user");
      expect(expected.metrics.length).toBeGreaterThan(20);
      expect(await load(units, "run")).toEqual(expected);
    });
  });
}

/** Counts the distinct users of a metric's units by arm. */
export function usersOfUnits(
  { metrics }: Pick<ArmSnapshot, "metrics">,
  name: string,
): Record<string, number> {
  const own = metrics.filter(({ metric }) => metric === name);
  return Object.fromEntries(own.map(({ arm, sample }) => [arm, new Set(sample!.clusters).size]));
}

/** Keeps only y from the samples of ratios. The rest names users and, if units are not users, has values of binary metrics. */
function withoutSample({ sample, ...row }: ArmSnapshot["metrics"][number]) {
  return sample?.type === "values" && row.meanD !== 1 ? { ...row, y: [...sample.y] } : row;
}
