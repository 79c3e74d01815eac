import type { ExperimentEvents } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";

/** Writes the condition of the events that occurred and were received before an instant that `name` binds. */
function closedSql(name: string): string {
  const before = `fromUnixTimestamp64Milli({${name}: Int64})`;
  return `(occurred_at < ${before} AND received_at < ${before})`;
}

/** Selects the events that occurred and were received before an instant, epoch milliseconds. */
export function closedBefore(at: number): BoundQuery {
  return { sql: closedSql("closed_before"), params: { closed_before: at } };
}

/** Selects the other events. */
export function openSince(at: number): BoundQuery {
  return { sql: `NOT ${closedSql("closed_before")}`, params: { closed_before: at } };
}

/** The events that occurred and were received before an instant. */
export interface ClosedEvents {
  readonly events: number;
  /** A text that differs once any of them comes or goes, or no longer counts because a trusted sender used its id. */
  readonly content: string;
}

/** Describes an experiment's events before each of the instants. Reads only the times of the events. */
export async function loadClosed(
  engine: EventEngine,
  { orgId, experimentId }: Pick<ExperimentEvents, "orgId" | "experimentId">,
  instants: readonly number[],
): Promise<readonly ClosedEvents[]> {
  const names = instants.map((_, i) => `instant_${i}`);
  const counts = names.map((name) => {
    const isClosed = closedSql(name);
    const times = "toUnixTimestamp64Milli(received_at) + 3 * toUnixTimestamp64Milli(occurred_at)";
    return `countIf(${isClosed}), toString(sumIf(${times}, ${isClosed}))`;
  });
  const superseded = "(SELECT uniqExact(event_id) FROM superseded_ids WHERE org_id = {org_id: String})";
  const [row] = await engine.rows<[superseded: number, ...closed: (number | string)[]]>(
    `SELECT ${[superseded, ...counts].join(", ")} FROM analysis WHERE ${OF_EXPERIMENT}`,
    {
      ...{ org_id: orgId, experiment_id: experimentId },
      ...Object.fromEntries(names.map((name, i) => [name, instants[i]])),
    },
  );
  const [overruled, ...closed] = row!;
  return names.map((_, i) => ({
    events: Number(closed[2 * i]),
    content: `${closed[2 * i]} ${closed[2 * i + 1]} ${overruled}`,
  }));
}
