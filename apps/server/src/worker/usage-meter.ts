import type { Deps } from "../deps.ts";

type MeterDeps = Pick<Deps, "control" | "events" | "clock">;

/** Keeps every org's monthly event count. */
export interface UsageMeter {
  /** Notes that events of the org were stored: its count may have changed. */
  touch(orgId: string): void;
  /** Counts the orgs noted since the last run; at first all of them, because a crash forgets the notes. */
  run(): Promise<void>;
}

/**
 * Makes the meter. The number is counted in the event store, which holds each event once: retries, redelivery and
 * crashes cannot bend it. Shortly after a turn of the month the previous one is counted too.
 */
export function createUsageMeter({ control, events, clock }: MeterDeps): UsageMeter {
  let touched: Set<string> | null = null;
  return {
    touch: (orgId) => void touched?.add(orgId),
    async run() {
      const orgIds = touched ?? (await control.orgs.list()).map(({ id }) => id);
      const pending = new Set(orgIds);
      touched = new Set();
      const now = clock.now();
      const months = new Set([monthOf(now), monthOf(now - 24 * 3_600_000)]);
      try {
        for (const orgId of orgIds) {
          await countOrg(orgId, months, { control, events });
          pending.delete(orgId);
        }
      } finally {
        // What a failure left uncounted is noted again.
        for (const orgId of pending) touched.add(orgId);
      }
    },
  };
}

async function countOrg(
  orgId: string,
  months: ReadonlySet<string>,
  { control, events }: Pick<MeterDeps, "control" | "events">,
): Promise<void> {
  for (const month of months) {
    await control.usage.put({ orgId, month, events: await events.countReceived(orgId, month) });
  }
}

function monthOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 7);
}
