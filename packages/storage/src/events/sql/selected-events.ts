import { DAY_MS } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";

/** Events of one log that a condition selects. */
export interface SelectedEvents extends BoundQuery {
  readonly table: "analysis" | "raw_events";
}

/** Returns the earliest receipt of events that occurred at `at` or later: ingest accepts clocks up to a day ahead. */
export const rawFrom = (at: number): number => at - DAY_MS;

/**
 * Selects events of the raw log that occurred or were received at `at` (epoch milliseconds) or later. The raw log has a partition
 * for each day of receipt, so only the last ones are read.
 */
export function inRawSince(at: number, { sql, params }: BoundQuery): SelectedEvents {
  return {
    table: "raw_events",
    sql: `received_at >= fromUnixTimestamp64Milli({received_from: Int64}) AND ${sql}`,
    params: { ...params, received_from: rawFrom(at) },
  };
}
