import { randomUUID } from "node:crypto";
import {
  type AnalysisQuery,
  type ArmSnapshot,
  DAY_MS,
  type EventStore,
  type StoredEvent,
} from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expectSameArms } from "./arm-analysis.ts";
import { METRICS, revenue } from "./arm-metrics.ts";
import { referenceArms } from "./reference-arms.ts";
import { leftOf } from "./reference-exclusions.ts";
import { shareOf } from "./share.ts";
import { someEvent } from "./some-event.ts";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const HOUR_MS = 3_600_000;
/** Excludes nothing, but makes the store compute covariates from the log. */
const FROM_LOG = { eventIds: ["of no event"] };

const bought = (occurredAt: number, value: number) =>
  ({ type: "business_event", businessMetric: "revenue", occurredAt, value }) as const;

/** The metrics that have covariates. */
const WITH_PAST = METRICS.filter(({ kind }) => kind === "mean" || kind === "ratio");

/**
 * Tests that covariates from stored sums equal those from the log, whatever happened to the log since the sums were
 * stored.
 */
export function describeFoldedDays(storeOf: () => EventStore, share = 1): void {
  const chosen = shareOf(WITH_PAST, share);
  // The tests store revenue, so this metric is always included.
  const metrics = WITH_PAST.filter((metric) => metric === revenue || chosen.includes(metric));
  const queryOf = (orgId: string): AnalysisQuery => ({
    ...wholeExperiment(orgId),
    ...{ until: T0 + 30 * DAY_MS, periodStarts: [], metrics, prices: PRICES },
    sample: { maxUsersPerArm: 1_000, preDays: 14 },
  });

  /** Asserts that both ways give the same bits, and returns them. */
  async function loadBoth(query: AnalysisQuery): Promise<ArmSnapshot> {
    const arms = await storeOf().loadArms(query);
    const exclusions = [...query.exclusions, FROM_LOG];
    expect(arms).toEqual(await storeOf().loadArms({ ...query, exclusions }));
    return arms;
  }

  const preOf = ({ metrics }: ArmSnapshot) => {
    const sample = metrics.find(({ metric }) => metric === "revenue")?.sample;
    return sample?.type === "values" ? [...sample.preY].sort() : [];
  };

  test("of the days before the day of the first exposure", async () => {
    const orgId = randomUUID();
    const midnight = T0 - (T0 % DAY_MS);
    const at = (occurredAt: number, value: number) =>
      storedEvent({ ...bought(occurredAt, value), orgId, userId: "ann" });
    await storeOf().append([
      storedEvent({ orgId, userId: "ann", variant: "a" }),
      ...[
        at(midnight, 1),
        at(midnight - 1, 2),
        at(midnight - 2 * DAY_MS, 4),
        at(midnight - 2 * DAY_MS - 1, 8),
      ],
    ]);
    const query = { ...queryOf(orgId), metrics: [revenue] };
    expect(preOf(await loadBoth({ ...query, sample: { maxUsersPerArm: 1, preDays: 2 } }))).toEqual([6]);
    expect(preOf(await loadBoth({ ...query, sample: { maxUsersPerArm: 1, preDays: 3 } }))).toEqual([14]);
  });

  test("night by night, after late, repeated and superseded events, erased users and removed experiments", async () => {
    const orgId = randomUUID();
    const drawn = fc.sample(someEvent, { numRuns: 900, seed: 25 });
    const events = drawn.map((event, i) =>
      storedEvent({
        ...event,
        ...{ orgId, eventId: `e${i}`, userId: `u${i % 60}`, experimentId: i % 3 === 0 ? "other" : "exp" },
        receivedAt: T0 + i,
      }),
    );
    let stored: readonly StoredEvent[] = [];
    const add = async (more: readonly StoredEvent[]) => {
      await storeOf().append(more);
      stored = [...stored, ...more];
    };
    const expectRight = async (query: AnalysisQuery) =>
      expectSameArms(
        await loadBoth(query),
        referenceArms(leftOf(stored, [{ experimentId: "exp", matches: query.exclusions }]), query),
      );

    await add(events.slice(0, 300));
    await expectRight({ ...queryOf(orgId), until: T0 + 5 * DAY_MS });
    await add(events.slice(300, 600));
    if (share === 1) await expectRight({ ...queryOf(orgId), until: T0 + 6 * DAY_MS });
    await expectRight(queryOf(orgId));
    const late = events.slice(600).map((event) => ({ ...event, occurredAt: event.occurredAt - 3 * DAY_MS }));
    await add(late);
    await storeOf().appendUnmetered([...late.slice(0, 40), ...late.slice(0, 5)]);
    await expectRight(queryOf(orgId));
    if (share === 1) {
      await expectRight({ ...queryOf(orgId), exclusions: [{ userIds: ["u4", "u5", "nobody"] }] });
      const prices = PRICES.map((price) => ({ ...price, inputUsdPerMillion: 7 }));
      await expectRight({ ...queryOf(orgId), prices });
    }

    const forged = events.slice(0, 200).map((event, i) => ({
      ...storedEvent({ ...bought(T0 - 2 * DAY_MS, 1e6), orgId, userId: event.userId }),
      ...{ eventId: `id ${i}`, source: "publishable" as const },
    }));
    await storeOf().append(forged);
    expect(preOf(await loadBoth(queryOf(orgId))).some((value) => value > 1e6)).toBe(true);
    const trusted = forged.map((event) => ({
      ...event,
      value: 0.5,
      occurredAt: T0 - DAY_MS,
      source: "secret" as const,
    }));
    await add(trusted);
    await expectRight(queryOf(orgId));

    const erased = [1, 2, 3].map((i) => ({ orgId, userId: `u${i}`, requestedAt: T0 + 90 * DAY_MS }));
    while ((await storeOf().eraseUsers(erased)) > 0);
    stored = stored.filter(({ userId }) => !erased.some((gone) => gone.userId === userId));
    if (share === 1) await expectRight(queryOf(orgId));
    await storeOf().removeExperiment(orgId, "other");
    stored = stored.filter(({ experimentId }) => experimentId !== "other");
    await expectRight(queryOf(orgId));
  });

  test("of one org alone, and of days that are not over, by the hour", async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    const buy = (org: string, hours: number, value: number) =>
      storedEvent({
        ...bought(T0 + hours * HOUR_MS, value),
        ...{ orgId: org, userId: "ann" },
      });
    await storeOf().append([
      ...[buy(orgId, -30, 1), buy(other, -30, 100), buy(other, -31, 50)],
      ...[orgId, other].map((org) => storedEvent({ orgId: org, userId: "ann", variant: "a" })),
    ]);
    const query = { ...queryOf(orgId), metrics: [revenue], until: T0 + HOUR_MS };
    expect(preOf(await loadBoth(query))).toEqual([1]);
    expect(preOf(await loadBoth({ ...query, orgId: other }))).toEqual([150]);
    await storeOf().append([buy(orgId, -29, 4)]);
    expect(preOf(await loadBoth(query))).toEqual([5]);
  });
}
