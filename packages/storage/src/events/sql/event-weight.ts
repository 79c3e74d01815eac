import { MAX_WEIGHT } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";

/** `weightOfEvent` as SQL. NULL needs its own branch, because the engine's `least` ignores NULL. */
export const WEIGHT = `if(isNull(sampling_probability), 1, least(1 / assumeNotNull(sampling_probability), ${MAX_WEIGHT}))`;

/** True for events that also represent events that were not sent. */
export const IS_SAMPLED = "ifNull(sampling_probability < 1, 0)";

/** Writes a query that returns a row if a condition selects such an event. */
export function sampledSql(where: string): string {
  return `SELECT 1 FROM analysis WHERE ${where} AND ${IS_SAMPLED} LIMIT 1`;
}

/** Returns whether a condition selects such an event. */
export async function hasSampled(engine: EventEngine, { sql, params }: BoundQuery): Promise<boolean> {
  const found = await engine.rows(sampledSql(sql), params);
  return found.length > 0;
}
