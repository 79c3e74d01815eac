import type { JudgedSeries } from "@assay/domain";

/** The series of an experiment that match the given parts. */
type SeriesFilter = Pick<JudgedSeries, "orgId" | "experimentId"> & Partial<JudgedSeries>;

const COLUMNS = ["orgId", "experimentId", "metric", "metricVersion"] as const;

type Conditions<T extends string> = {
  readonly [Column in (typeof COLUMNS)[number] as `${T}.${Column}`]?: JudgedSeries[Column];
};

/** Copies the columns that name a series, and no others. */
export const seriesOf = ({ orgId, experimentId, metric, metricVersion }: JudgedSeries): JudgedSeries => ({
  orgId,
  experimentId,
  metric,
  metricVersion,
});

/** Builds the conditions, for `eb.and`, under which a table's row belongs to a series of the filter. */
export function inSeries<T extends string>(table: T, filter: SeriesFilter): Conditions<T> {
  const given = COLUMNS.filter((column) => filter[column] !== undefined);
  return Object.fromEntries(given.map((column) => [`${table}.${column}`, filter[column]])) as Conditions<T>;
}

/** Builds the key of a series within an org, for a map. */
export const seriesKey = ({ experimentId, metric, metricVersion }: Omit<JudgedSeries, "orgId">): string =>
  JSON.stringify([experimentId, metric, metricVersion]);

/**
 * Makes text from a model or a person storable: PostgreSQL rejects NUL, and every database rejects half a surrogate pair. Such
 * text must not fail a judgement.
 */
export const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();
