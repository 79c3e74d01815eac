import { type Clock, type ControlPlane, type EventStore, openMonths, type UsageMonth } from "@assay/domain";

interface MeterDeps {
  readonly control: Pick<ControlPlane, "orgs" | "usage">;
  readonly events: Pick<EventStore, "countReceived">;
  readonly clock: Clock;
}

/** Keeps every org's monthly event count. */
export interface UsageMeter {
  /** Marks an org whose count may have changed because events were stored. */
  touch(orgId: string): void;
  /** Marks all orgs: a killed process loses its marks. */
  touchAll(): void;
  /** Counts the orgs marked since the last run. */
  run(): Promise<void>;
  /** Counts the org's stored events of the month now, and stores the number. */
  count(orgId: string, month: UsageMonth): Promise<number>;
}

const ORGS_AT_ONCE = 1_000;
/** Counting uses at most this share of the time, however many events there are. */
const BUSY_SHARE = 0.05;

/**
 * Makes the meter. It counts in the event store, which holds each event once, so retries, redelivery and crashes cannot change the
 * number. In the first week of a month the previous month is counted too.
 */
export function createUsageMeter({ control, events, clock }: MeterDeps): UsageMeter {
  let touched = new Set<string>();
  let isAllTouched = false;
  let restsUntil = 0;

  async function count(orgIds: readonly string[], month: UsageMonth): Promise<readonly number[]> {
    const counts = await events.countReceived(orgIds, month);
    for (const [i, orgId] of orgIds.entries())
      await control.usage.putEvents({ orgId, month, events: counts[i]! });
    return counts;
  }

  async function countTouched(): Promise<void> {
    const orgIds = isAllTouched ? (await control.orgs.list()).map(({ id }) => id) : [...touched];
    const pending = new Set(orgIds);
    touched = new Set();
    isAllTouched = false;
    const months = openMonths(clock.now());
    try {
      for (let start = 0; start < orgIds.length; start += ORGS_AT_ONCE) {
        const some = orgIds.slice(start, start + ORGS_AT_ONCE);
        for (const month of months) await count(some, month);
        for (const orgId of some) pending.delete(orgId);
      }
    } finally {
      // Mark again what a failure left uncounted.
      for (const orgId of pending) touched.add(orgId);
    }
  }

  return {
    touch: (orgId) => void touched.add(orgId),
    touchAll() {
      isAllTouched = true;
    },
    count: async (orgId, month) => (await count([orgId], month))[0]!,
    async run() {
      // Not by the clock: one that was set, or a machine that slept, would make a rest of days.
      const started = performance.now();
      if (started < restsUntil) return;
      await countTouched();
      const ended = performance.now();
      restsUntil = ended + (ended - started) / BUSY_SHARE;
    },
  };
}
