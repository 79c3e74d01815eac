import type { Deps } from "../deps.ts";

type MeterDeps = Pick<Deps, "control" | "events" | "clock">;

/**
 * Sets every org's event count of the current and, shortly after a turn of the month, the previous UTC month.
 * The number is counted in the event store, which holds each event once: retries, redelivery and crashes cannot bend it.
 */
export async function meterUsage({ control, events, clock }: MeterDeps): Promise<void> {
  const now = clock.now();
  const months = new Set([monthOf(now), monthOf(now - 24 * 3_600_000)]);
  for (const { id: orgId } of await control.orgs.list()) {
    for (const month of months) {
      await control.usage.put({ orgId, month, events: await events.countReceived(orgId, month) });
    }
  }
}

function monthOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 7);
}
