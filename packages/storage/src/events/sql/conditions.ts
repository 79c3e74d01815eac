/** True for rows of the org's experiment; needs the parameters `org_id` and `experiment_id`. */
export const OF_EXPERIMENT = "org_id = {org_id: String} AND experiment_id = {experiment_id: String}";

/**
 * True for exposures in `analysis` before the parameter `until`. A row without a variant is not an exposure.
 *
 * Queries of first exposures need no FINAL, because it would only merge equal rows of one event.
 */
export const IS_EXPOSURE = `${OF_EXPERIMENT}
        AND type = 'exposure' AND variant != '' AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`;

/** The order of a user's exposures: the first decides the arm; at the same time, the smaller event id comes first. */
export const EXPOSURE_ORDER = "(occurred_at, event_id)";
