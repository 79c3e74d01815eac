import { MAX_WEIGHT } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";

/** Writes `weightOfEvent`. The engine's `least` passes over NULL. */
export const WEIGHT = `if(isNull(sampling_probability), 1, least(1 / assumeNotNull(sampling_probability), ${MAX_WEIGHT}))`;

/** True for events that stand for others, too. */
export const IS_SAMPLED = "ifNull(sampling_probability < 1, 0)";

/**
 * Returns whether there is such an event. Without one, every weight is 1, and an analysis reads none: most experiments are not sampled, and
 * the weight of each event would be a tenth more to read.
 */
export async function hasSampled(engine: EventEngine, { sql, params }: BoundQuery): Promise<boolean> {
  const found = await engine.rows(`SELECT 1 FROM analysis WHERE ${sql} AND ${IS_SAMPLED} LIMIT 1`, params);
  return found.length > 0;
}
