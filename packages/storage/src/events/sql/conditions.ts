import type { ExperimentEvents, ExperimentUnit } from "@assay/domain";
import { notExcludedSql } from "./exclusions.ts";

/** True for rows of the org's experiment; needs the parameters `org_id` and `experiment_id`. */
export const OF_EXPERIMENT = "org_id = {org_id: String} AND experiment_id = {experiment_id: String}";

/** False for a publishable key's event if a trusted sender also used its id: only the trusted event counts. */
export const NOT_SUPERSEDED = `NOT (source = 'publishable'
        AND event_id GLOBAL IN (SELECT event_id FROM superseded_ids WHERE org_id = {org_id: String}))`;

/** True for rows of `analysis` that analyses use unless an exclusion matches. Other rows only appear in raw events. */
export const COUNTED = `${OF_EXPERIMENT} AND ${NOT_SUPERSEDED}`;

/** True for exposures that count. An exposure without a variant or with an ineligibility reason is in no sample. */
export const IS_ELIGIBLE = "type = 'exposure' AND variant != '' AND ineligible_reason = ''";

/**
 * True for exposures in `analysis` before the parameter `until`.
 *
 * Queries of first exposures need no FINAL, because it would only merge equal rows of one event.
 */
export const IS_EXPOSURE = exposuresOf(COUNTED);

/** True for the exposures that count among `rows`, before the parameter `until`. */
export function exposuresOf(rows: string): string {
  return `${rows}
        AND ${IS_ELIGIBLE} AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`;
}

/** The column that names an experiment's units. */
export function unitColumn(unit: ExperimentUnit): "user_id" | "unit_id" {
  return unit === "user" ? "user_id" : "unit_id";
}

/**
 * A number that is equal for all copies of an event, for queries without FINAL. Two of a user's 1,000 events have the same number
 * by chance with a probability of 3e-14.
 */
export const EVENT_KEY = "cityHash64(event_id)";

/** The order of a user's exposures: the first decides the arm; at the same time, the smaller event id comes first. */
export const EXPOSURE_ORDER = "(occurred_at, event_id)";

/** Conditions for the rows that an experiment's results use: `COUNTED` rows that no exclusion matches. */
export interface CountedRows {
  /** True for these rows. */
  readonly counted: string;
  /** True for the exposures among them; needs `until`. */
  readonly isExposure: string;
  /** True for rows that no exclusion matches. Begins with AND; empty without exclusions. */
  readonly notExcluded: string;
  /** Parameters of the conditions, except `until`. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Writes the conditions of the rows that a query reads. Pass false for `isOverruled` only after checking that no id of the org is
 * superseded. This leaves out `NOT_SUPERSEDED`, whose planning takes a tenth of the time of a small query.
 */
export function countedRows(
  { orgId, experimentId, exclusions }: ExperimentEvents,
  isOverruled = true,
): CountedRows {
  const { sql, params } = notExcludedSql([{ experimentId, matches: exclusions }]);
  const counted = isOverruled ? COUNTED : OF_EXPERIMENT;
  return {
    counted: `${counted}${sql}`,
    isExposure: `${exposuresOf(counted)}${sql}`,
    notExcluded: sql,
    params: { org_id: orgId, experiment_id: experimentId, ...params },
  };
}
