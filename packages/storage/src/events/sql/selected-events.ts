import { DAY_MS } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";

/** Which events of a log: a condition. */
export interface SelectedEvents extends BoundQuery {
  readonly table: "analysis" | "raw_events";
}

/** Ingest takes events from clocks that are up to a day ahead: from when on those were received that occurred from an instant on. */
export const rawFrom = (at: number): number => at - DAY_MS;

/**
 * Selects events that occurred or were received from an instant on (epoch milliseconds) in the raw log, which has a partition for each day
 * of receipt: so only the last ones are read.
 */
export function inRawSince(at: number, { sql, params }: BoundQuery): SelectedEvents {
  return {
    table: "raw_events",
    sql: `received_at >= fromUnixTimestamp64Milli({received_from: Int64}) AND ${sql}`,
    params: { ...params, received_from: rawFrom(at) },
  };
}
