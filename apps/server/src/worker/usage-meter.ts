import {
  type Clock,
  type ControlPlane,
  DAY_MS,
  type EventStore,
  monthOf,
  type UsageMonth,
} from "@assay/domain";

interface MeterDeps {
  readonly control: Pick<ControlPlane, "orgs" | "usage">;
  readonly events: Pick<EventStore, "countReceived">;
  readonly clock: Clock;
}

/** Keeps every org's monthly event count. */
export interface UsageMeter {
  /** Notes that events of the org were stored: its count may have changed. */
  touch(orgId: string): void;
  /** Notes all orgs: a process that was killed has forgotten its notes. */
  touchAll(): void;
  /** Counts the orgs noted since the last run. */
  run(): Promise<void>;
  /** Counts the org's stored events of the month at once, and keeps the number. */
  count(orgId: string, month: UsageMonth): Promise<number>;
}

/** Counting takes at most this share of the time, however many events there are. */
const BUSY_SHARE = 0.05;

/**
 * Makes the meter. The number is counted in the event store, which holds each event once: retries, redelivery and
 * crashes cannot bend it. For a day after a turn of the month the previous one is counted too.
 */
export function createUsageMeter({ control, events, clock }: MeterDeps): UsageMeter {
  let touched = new Set<string>();
  let isAllTouched = false;
  let restsUntil = 0;

  async function count(orgId: string, month: UsageMonth): Promise<number> {
    const counted = await events.countReceived(orgId, month);
    await control.usage.putEvents({ orgId, month, events: counted });
    return counted;
  }

  async function countTouched(): Promise<void> {
    const orgIds = isAllTouched ? (await control.orgs.list()).map(({ id }) => id) : [...touched];
    const pending = new Set(orgIds);
    touched = new Set();
    isAllTouched = false;
    const now = clock.now();
    const months = new Set([monthOf(now), monthOf(now - DAY_MS)]);
    try {
      for (const orgId of orgIds) {
        for (const month of months) await count(orgId, month);
        pending.delete(orgId);
      }
    } finally {
      // What a failure left uncounted is noted again.
      for (const orgId of pending) touched.add(orgId);
    }
  }

  return {
    touch: (orgId) => void touched.add(orgId),
    touchAll() {
      isAllTouched = true;
    },
    count,
    async run() {
      const started = clock.now();
      if (started < restsUntil) return;
      await countTouched();
      const ended = clock.now();
      restsUntil = ended + (ended - started) / BUSY_SHARE;
    },
  };
}
