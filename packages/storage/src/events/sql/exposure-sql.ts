import { OF_EXPERIMENT } from "./of-experiment.ts";

/**
 * Tells whether a row of `analysis` is an exposure that the query may see. One without a variant is none.
 *
 * Equal rows of one event are all that FINAL has to merge: so first exposures do without it.
 */
export const IS_EXPOSURE = `${OF_EXPERIMENT}
        AND type = 'exposure' AND variant != '' AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`;

/** What a user's exposures are ordered by: the first decides on the arm, and the lesser event id of those at one instant. */
export const EXPOSURE_ORDER = "(occurred_at, event_id)";
