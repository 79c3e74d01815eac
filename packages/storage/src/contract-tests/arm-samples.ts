import { randomUUID } from "node:crypto";
import {
  type AnalysisQuery,
  type ArmMetric,
  type ArmSnapshot,
  DAY_MS,
  type EventStore,
  POOLED_CAP,
  type StoredEvent,
  type UserBins,
  type UserValues,
} from "@assay/domain";
import { expect, test } from "vitest";
import { bought, latency, METRICS, revenue } from "./arm-metrics.ts";
import { fineBin } from "./reference-fine-bin.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const PRE_DAYS = 14;
const SAMPLE = { maxUsersPerArm: 10_000, preDays: PRE_DAYS };
const quantile = { ...latency, name: "p50", kind: "quantile" } as const;
const typical = { ...revenue, name: "typical", kind: "ordinal" } as const;

/** Tests users' own values: which users, which values, and values from before the first exposure. */
export function describeArmSamples(storeOf: () => EventStore): void {
  async function storeEvents(events: readonly Partial<StoredEvent>[]): Promise<AnalysisQuery> {
    const orgId = randomUUID();
    await storeOf().append(events.map((event) => storedEvent({ ...event, orgId })));
    const until = T0 + 30 * DAY_MS;
    return {
      ...wholeExperiment(orgId),
      until,
      periodStarts: [],
      metrics: [revenue],
      prices: [],
      sample: SAMPLE,
    };
  }
  const armsOf = async (events: readonly Partial<StoredEvent>[], query: Partial<AnalysisQuery> = {}) =>
    storeOf().loadArms({ ...(await storeEvents(events)), ...query });

  test("returns every user's value up to the limit per arm, and NaN for users without earlier values", async () => {
    const arms = await armsOf(
      [exposed("u1"), buy("u1", 4, 1), exposed("u2"), buy("u2", 0.1, 1), exposed("u3")],
      {
        metrics: [revenue, bought],
        sample: { ...SAMPLE, maxUsersPerArm: 3 },
      },
    );
    const { y, d, preY, preD } = values(arms, "revenue");
    expect([...y].sort()).toEqual([0, 0.1, 4]);
    expect([...d]).toEqual([1, 1, 1]);
    expect([...preY, ...preD]).toEqual(Array(6).fill(Number.NaN));
    expect(row(arms, "bought").sample).toBeNull();
  });

  test("returns no values when none are requested, and the same sums", async () => {
    const query = await storeEvents([exposed("u1"), buy("u1", 4, 1), buy("u1", 9, -1)]);
    const withSample = await storeOf().loadArms(query);
    const without = await storeOf().loadArms({ ...query, sample: null });
    expect(withSample.metrics.map((metric) => ({ ...metric, sample: null }))).toEqual(without.metrics);
    expect(withSample.metrics[0]?.sample).not.toBeNull();
  });

  test("samples the same users for every metric, fewer for a lower limit, over all periods of an arm", async () => {
    const users = Array.from({ length: 600 }, (_, i) => i + 1);
    const query = await storeEvents(
      users.flatMap((i) => [
        { ...exposed(`u${i}`), variant: i % 3 === 0 ? "b" : "a", occurredAt: T0 + (i % 4) * DAY_MS },
        buy(`u${i}`, i, 5 * DAY_MS),
        { ...call(`u${i}`, 1.02 ** (i - 0.5), 5 * DAY_MS) },
      ]),
    );
    const load = async (maxUsersPerArm: number) => {
      const arms = await storeOf().loadArms({
        ...query,
        periodStarts: [T0 + DAY_MS, T0 + 3 * DAY_MS],
        metrics: [revenue, latency, typical, quantile],
        sample: { ...SAMPLE, maxUsersPerArm },
      });
      return ["a", "b"].map((arm) => usersOf(arms, arm));
    };
    const [all, many, few] = [await load(10_000), await load(150), await load(20)];
    expect(all.map(({ size }) => size)).toEqual([400, 200]);
    expect(many.map(({ size }) => size)).toEqual([150, 150]);
    expect(few.map(({ size }) => size)).toEqual([20, 20]);
    for (const [arm, isOfArm] of [(i: number) => i % 3 !== 0, (i: number) => i % 3 === 0].entries()) {
      expect([...(all[arm] ?? [])].every(isOfArm)).toBe(true);
      expect([...(many[arm] ?? [])].every((i) => all[arm]?.has(i))).toBe(true);
      expect([...(few[arm] ?? [])].every((i) => many[arm]?.has(i))).toBe(true);
    }
  });

  test("returns the users' ids on request, also for binary metrics, and changes nothing else", async () => {
    const query = await storeEvents([
      ...["u1", "zoë", "u3"].map(exposed),
      { ...exposed("open"), occurredAt: T0 + 29 * DAY_MS },
      buy("u1", 4, 1),
      buy("zoë", 9, 1),
      buy("zoë", 1, -1),
      call("zoë", 1, 1),
      call("u3", 1.02 ** 9.5, 1),
      call("u3", 1.02 ** 999.5, 1),
    ]);
    const windowed = { ...revenue, name: "in 2 days", windowDays: 2 };
    const metrics = [revenue, windowed, bought, latency, typical, quantile];
    const plain = await storeOf().loadArms({ ...query, metrics });
    const named = await storeOf().loadArms({ ...query, metrics, sample: { ...SAMPLE, withUserIds: true } });
    const ofUsers = (name: string) => {
      const { userIds = [], y } = values(named, name);
      return new Map(userIds.map((id, i) => [id, y[i]]));
    };
    expect(ofUsers("revenue")).toEqual(new Map(Object.entries({ open: 0, u1: 4, zoë: 9, u3: 0 })));
    expect(ofUsers("in 2 days")).toEqual(new Map(Object.entries({ u1: 4, zoë: 9, u3: 0 })));
    expect(ofUsers("bought")).toEqual(new Map(Object.entries({ open: 0, u1: 1, zoë: 1, u3: 0 })));
    expect(ofUsers("typical")).toEqual(new Map(Object.entries({ u1: 4, zoë: 9 })));
    expect([...ofUsers("latency").keys()].sort()).toEqual(["u3", "zoë"]);
    const { userIds, offsets } = row(named, "p50").sample as UserBins;
    const calls = new Map(userIds?.map((id, i) => [id, offsets[i + 1]! - offsets[i]!]));
    expect(calls).toEqual(new Map(Object.entries({ zoë: 1, u3: 2 })));
    const withoutIds = named.metrics.map(({ sample, ...sums }) => {
      const { userIds: _, ...vector } = sample ?? {};
      return { ...sums, sample: sums.metric === "bought" ? null : vector };
    });
    expect(withoutIds).toEqual(plain.metrics);
  });

  test("samples different users for another experiment", async () => {
    const users = Array.from({ length: 100 }, (_, i) => i);
    const orgId = randomUUID();
    const load = async (experimentId: string) => {
      const events = users.flatMap((i) => [exposed(`u${i}`), buy(`u${i}`, i, 1)]);
      await storeOf().append(events.map((event) => storedEvent({ ...event, orgId, experimentId })));
      const query = { ...(await storeEvents([])), orgId, experimentId };
      const arms = await storeOf().loadArms({ ...query, sample: { ...SAMPLE, maxUsersPerArm: 30 } });
      return [...values(arms, "revenue").y];
    };
    const [one, two] = [await load("one"), await load("it's {two}")];
    expect(one.filter((i) => two.includes(i)).length).toBeLessThan(25);
  });

  test("leaves out test users, contaminated users and users whose window is open", async () => {
    const arms = await armsOf(
      [
        ...["svc-test-1", "both", "plain", "late"].flatMap((user) => [exposed(user), buy(user, 1, 1)]),
        { ...exposed("both"), variant: "b" },
        { ...exposed("late"), occurredAt: T0 - DAY_MS },
        { ...exposed("open"), occurredAt: T0 + 29 * DAY_MS },
      ],
      { metrics: [revenue, { ...revenue, name: "in 2 days", windowDays: 2 }] },
    );
    expect([...values(arms, "revenue").y].sort()).toEqual([0, 1, 1]);
    expect([...values(arms, "in 2 days").y]).toEqual([1, 1]);
  });

  test("keeps every bit of a double", async () => {
    const amounts = [0.1, 0, 1e300, 5e-324, -2.5, Number.MAX_VALUE, 1 / 3];
    const arms = await armsOf([
      ...amounts.flatMap((value, i) => [exposed(`u${i}`), buy(`u${i}`, value, 1)]),
      exposed("over"),
      buy("over", Number.MAX_VALUE, 1),
      buy("over", Number.MAX_VALUE, 2),
    ]);
    const y = values(arms, "revenue").y.toSorted();
    expect(y).toEqual(Float64Array.from([...amounts, Number.POSITIVE_INFINITY]).toSorted());
    expect(row(arms, "revenue").meanY).toBeNaN();
  });

  test("includes values from the days before the first exposure, from any experiment of the org", async () => {
    const arms = await armsOf(
      [
        { ...exposed("u1"), occurredAt: T0 },
        { ...exposed("u1"), occurredAt: T0 - 20 * DAY_MS, experimentId: "earlier" },
        { ...buy("u1", 1, -PRE_DAYS * DAY_MS), experimentId: "earlier" },
        { ...buy("u1", 2, -DAY_MS), experimentId: "other" },
        buy("u1", 4, -DAY_MS - 5),
        { ...buy("u1", 8, -(PRE_DAYS + 1) * DAY_MS), experimentId: "other" },
        { ...buy("u1", 16, -1), experimentId: "other" },
        { ...buy("u1", 32, -DAY_MS), businessMetric: "another" },
        { ...buy("u2", 64, -DAY_MS), experimentId: "other" },
        { ...call("u1", 30, -3 * DAY_MS), experimentId: "other" },
        { ...call("u1", 50, -2 * DAY_MS), experimentId: "other" },
        { ...call("u1", 50, -2 * DAY_MS), experimentId: "other", latencyMs: null },
        call("u1", 9, 1),
        buy("u1", 5, 1),
      ],
      { metrics: [revenue, latency, typical] },
    );
    expect(values(arms, "revenue")).toMatchObject({ y: floats(5), preY: floats(7), preD: floats(1) });
    expect(values(arms, "latency")).toMatchObject({ y: floats(9), preY: floats(80), preD: floats(2) });
    expect(values(arms, "typical")).toMatchObject({ preY: floats(Number.NaN), preD: floats(Number.NaN) });
  });

  test("takes everybody's earlier values, wherever the first exposure of all is stored", async () => {
    // Orgs are spread over shards by hash, so some of eight orgs have their two users on different shards.
    for (let org = 0; org < 8; org++) {
      const days = [0, PRE_DAYS + 6];
      const arms = await armsOf(
        days.flatMap((day) => [
          { userId: `u${day}`, variant: "a", occurredAt: T0 + day * DAY_MS },
          { ...buy(`u${day}`, 7, (day - 1) * DAY_MS), experimentId: "other" },
        ]),
      );
      expect([...values(arms, "revenue").preY]).toEqual([7, 7]);
    }
  });

  test("caps at the 99.9% quantile of the users of all arms and periods together", async () => {
    const users = Array.from({ length: 2_500 }, (_, i) => i);
    const arms = await armsOf(
      users.flatMap((i) => [
        { ...exposed(`u${i}`), variant: i % 2 === 0 ? "a" : "b", occurredAt: T0 + (i % 5) * DAY_MS },
        buy(`u${i}`, i, 6 * DAY_MS),
      ]),
      { metrics: [{ ...revenue, cap: POOLED_CAP }], periodStarts: [T0 + 3 * DAY_MS] },
    );
    const sum = arms.metrics.reduce((total, { users: n, meanY }) => total + n * meanY, 0);
    expect(sum).toBeCloseTo((2_497 * 2_498) / 2 + 2 * 2_497, 6);
    const ys = arms.metrics.flatMap(({ sample }) => [...(sample as UserValues).y]);
    expect(ys.filter((y) => y === 2_497)).toHaveLength(3);
    expect(Math.max(...ys)).toBe(2_497);
  });

  test("counts a user's 20,000 calls by bin, and marks the user as heavy", async () => {
    const calls = Array.from({ length: 20_000 }, (_, i) => call("busy", 1 + (i % 1_000), i));
    const arms = await armsOf([exposed("busy"), ...calls, exposed("calm"), call("calm", 1, 1)], {
      metrics: [quantile, latency],
    });
    const { bins, counts, offsets } = row(arms, "p50").sample as UserBins;
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20_001);
    expect(
      [...offsets]
        .map((offset, i) => offset - (offsets[i - 1] ?? 0))
        .sort((a, b) => a - b)
        .slice(0, 2),
    ).toEqual([0, 1]);
    const byBin = Map.groupBy(bins.keys(), (i) => bins[i] ?? 0);
    const total = (bin: number) => (byBin.get(bin) ?? []).reduce((sum, i) => sum + (counts[i] ?? 0), 0);
    expect(new Map([...byBin.keys()].map((bin) => [bin, total(bin)]))).toEqual(row(arms, "p50").fineCounts);
    expect(arms.exposures).toMatchObject([{ users: 2, heavyUsers: 1 }]);
  });

  test("does not mark a user with up to 1,000 calls per day as heavy", async () => {
    const many = (userId: string, n: number, days: number) =>
      Array.from({ length: n }, (_, i) => call(userId, 1, (i * days * DAY_MS) / (n - 1)));
    const arms = await armsOf([
      ...["hour", "just", "spread"].map(exposed),
      ...many("hour", 1_001, 0.04),
      ...many("just", 1_000, 0.04),
      ...many("spread", 2_000, 2),
    ]);
    expect(arms.exposures).toMatchObject([{ users: 3, heavyUsers: 1 }]);
  });

  test("answers without events, and without events that have a value", async () => {
    const metrics = METRICS.map((metric) => ({ ...metric, windowDays: null }));
    expect((await armsOf([], { metrics })).metrics).toEqual([]);
    const arms = await armsOf(
      [exposed("u1"), { ...call("u1", 0, 1), latencyMs: null }, { ...call("u1", 0, -1), latencyMs: null }],
      { metrics },
    );
    const perUser = metrics.filter(({ kind }) => kind === "mean" || kind === "binary");
    expect(arms.metrics.map(({ metric }) => metric)).toEqual(perUser.map(({ name }) => name));
    expect(values(arms, "revenue")).toMatchObject({ y: floats(0), preY: floats(Number.NaN) });
  });
}

function exposed(userId: string): Partial<StoredEvent> {
  return { userId, variant: "a", occurredAt: T0 };
}

function buy(userId: string, value: number, at: number): Partial<StoredEvent> {
  return { userId, type: "business_event", businessMetric: "revenue", value, occurredAt: T0 + at };
}

function call(userId: string, latencyMs: number, at: number): Partial<StoredEvent> {
  return { userId, type: "model_call", latencyMs, occurredAt: T0 + Math.floor(at) };
}

function floats(...numbers: readonly number[]): Float64Array {
  return Float64Array.from(numbers);
}

function row(arms: ArmSnapshot, metric: string): ArmMetric {
  return arms.metrics.find((one) => one.metric === metric) as ArmMetric;
}

function values(arms: ArmSnapshot, metric: string): UserValues {
  return row(arms, metric).sample as UserValues;
}

/** Returns the user numbers in an arm's samples. Every metric's sample has the same users in the same order. */
function usersOf(arms: ArmSnapshot, arm: string): ReadonlySet<number> {
  const named = (metric: string) =>
    arms.metrics
      .filter((one) => one.arm === arm && one.metric === metric)
      .map(({ sample }) => namesIn(sample));
  const users = named("revenue");
  for (const metric of ["typical", "p50", "latency"]) expect(named(metric)).toEqual(users);
  return new Set(users.flat());
}

/** User i bought for i, and made one call, in fine bin i. */
function namesIn(sample: ArmMetric["sample"]): readonly number[] {
  if (sample?.type === "bins") return [...sample.bins];
  const y = [...(sample?.y ?? [])];
  return y.every(Number.isInteger) ? y : y.map((latencyMs) => fineBin(latencyMs));
}
