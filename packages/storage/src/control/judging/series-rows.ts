import type { JudgedSeries } from "@assay/domain";

/** What a query names of a series: all of it, or of an experiment's what is given. */
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

/** Lists the conditions of a table's rows to belong to what the filter names, for `eb.and`. */
export function inSeries<T extends string>(table: T, filter: SeriesFilter): Conditions<T> {
  const given = COLUMNS.filter((column) => filter[column] !== undefined);
  return Object.fromEntries(given.map((column) => [`${table}.${column}`, filter[column]])) as Conditions<T>;
}

/** Names a series within an org, as the key of a map. */
export const seriesKey = ({ experimentId, metric, metricVersion }: Omit<JudgedSeries, "orgId">): string =>
  JSON.stringify([experimentId, metric, metricVersion]);

/**
 * Prepares what a model or a person wrote: PostgreSQL takes no NUL, and no database half a surrogate pair. A judgement must not be
 * lost for either.
 */
export const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();
