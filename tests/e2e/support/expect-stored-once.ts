import { expect } from "vitest";
import type { Sender } from "./sender.ts";
import type { StoredEvents } from "./stored-events.ts";

/** Expects that each log holds every acknowledged event, nothing that was never sent, and no event twice. */
export function expectStoredOnce(
  { sent, acknowledged }: Pick<Sender, "sent" | "acknowledged">,
  { rawEvents, analysis, eventIds }: StoredEvents,
): void {
  for (const [log, ids] of Object.entries({ rawEvents, analysis, eventIds })) {
    const stored = new Set(ids);
    expect(stored.size, `${log}: rows with an id of their own`).toBe(ids.length);
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    expect(lost, `${log}: acknowledged and not stored`).toEqual([]);
    const foreign = ids.filter((id) => !sent.has(id));
    expect(foreign, `${log}: stored and never sent`).toEqual([]);
  }
}
