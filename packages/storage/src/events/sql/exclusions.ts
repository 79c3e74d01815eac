import type { ExclusionMatch, ExperimentExclusions } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import { parameterChunks } from "./parameter-chunks.ts";

const LISTS = { userIds: "user_id", eventIds: "event_id" } as const;

const equal = (column: string) => (param: string) => `${column}={${param}:String}`;

/** How a row is compared with each single value of a match. Short, because a query may carry a hundred matches. */
const VALUES = {
  source: equal("source"),
  keyPrefix: equal("key_prefix"),
  client: equal("client"),
  variant: equal("variant"),
  businessMetric: equal("business_metric"),
  from: (param) => `occurred_at>=fromUnixTimestamp64Milli({${param}:Int64})`,
  to: (param) => `occurred_at<fromUnixTimestamp64Milli({${param}:Int64})`,
} as const satisfies Readonly<
  Record<Exclude<keyof ExclusionMatch, keyof typeof LISTS>, (param: string) => string>
>;

/**
 * Writes the condition that leaves out excluded rows. It begins with AND and is empty without exclusions. It works on
 * both logs and keeps rows of other experiments. The parameters' names begin with `x`.
 */
export function notExcludedSql(exclusions: readonly ExperimentExclusions[]): BoundQuery {
  const params: Record<string, unknown> = {};
  const conditions = exclusions.map(({ experimentId, matches }, index) => {
    if (matches.length === 0) return "";
    const experiment = `x${index}`;
    params[experiment] = experimentId;
    const any = matches.map((match, i) => {
      const matched = matchSql(match, `${experiment}_${i}`);
      Object.assign(params, matched.params);
      return matched.sql;
    });
    return ` AND NOT (experiment_id={${experiment}:String} AND (${any.join(" OR ")}))`;
  });
  return { sql: conditions.join(""), params };
}

/**
 * Writes the condition that a row matches; the parameters' names begin with `prefix`. Lists of ids are bound in chunks.
 */
export function matchSql(match: ExclusionMatch, prefix: string): BoundQuery {
  const params: Record<string, unknown> = {};
  const bound = (value: unknown) => {
    const name = `${prefix}p${Object.keys(params).length}`;
    params[name] = value;
    return name;
  };
  const lists = keysOf(LISTS).flatMap((list) => {
    const ids = match[list];
    if (ids === undefined) return [];
    // An erasure may leave a list empty; an empty list matches no row.
    if (ids.length === 0) return ["0"];
    const chunks = [...parameterChunks(ids, (id) => [id])];
    return [`(${chunks.map((chunk) => `${LISTS[list]} IN {${bound(chunk)}:Array(String)}`).join(" OR ")})`];
  });
  const values = keysOf(VALUES).flatMap((part) => {
    const value = match[part];
    return value === undefined ? [] : [VALUES[part](bound(value))];
  });
  return { sql: `(${[...lists, ...values].join(" AND ")})`, params };
}

const keysOf = <T extends object>(record: T) => Object.keys(record) as (keyof T)[];
