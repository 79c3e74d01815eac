import {
  type Baseline,
  type BaselineQuery,
  DAY_MS,
  type ExperimentExclusions,
  TEST_USER_PREFIX,
} from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { numberList, type RowBinaryReader } from "../engine/row-binary.ts";
import { hasSampled, WEIGHT } from "../sql/event-weight.ts";
import { notExcludedSql } from "../sql/exclusions.ts";
import { addValue, newUnit, type UnitValues } from "../units/unit.ts";
import { eventValuesSql } from "./event-values-sql.ts";
import { columnParams, type QueryColumns, queryColumns } from "./metric-columns.ts";
import { MetricTotals, pooledCap } from "./metric-totals.ts";
import { andOfPartSql, eachRow, type Part, partsFor, readPart } from "./parts.ts";
import { toUsersByDay } from "./users-by-day.ts";

/** Maximum number of an org's exclusions in a query. A baseline is an estimate, and an experiment has at most 100 exclusions. */
const MAX_EXCLUSIONS = 200;

/** The order in which an org's users are added up. */
export const HASH = "sipHash64(user_id)";

/** Stands for every user: a baseline does not need to know who they are. */
const NOBODY = { hash: 0n, userId: "", isTestUser: false };

/** Loads metric statistics of an org's users in a window. */
export async function loadBaseline(engine: EventEngine, asked: BaselineQuery): Promise<Baseline> {
  // Runs belong to one experiment, so there is no baseline for them.
  const query = { ...asked, metrics: asked.metrics.filter(({ source }) => source.event !== "run") };
  const events = eventsOf(query);
  const used = queryColumns(query, await hasSampled(engine, events));
  const totals = used.columns.map(({ metric }) => new MetricTotals(metric, { unit: "user", sample: null }));
  const readValues = valuesReader(used);
  const found = used.values.map(() => 0);
  const usersByDay = new Map<number, number>();
  const [counted] = await engine.rows<[number]>(
    `SELECT count() FROM analysis WHERE ${events.sql}`,
    events.params,
  );
  for (const part of partsFor(counted![0])) {
    const rows = await readPart(engine, part, usersQuery({ used, events, part }));
    await eachRow(rows, () => {
      rows.uint64();
      const day = Math.floor(rows.float64() / DAY_MS);
      usersByDay.set(day, (usersByDay.get(day) ?? 0) + 1);
      const values = readValues(rows);
      for (const [i, { count }] of values.entries()) found[i]! += count;
      for (const [i, own] of used.columns.entries()) totals[i]!.add(values[own.values]!, null);
    });
  }
  const sums = used.columns.map(({ metric, values }, i) => {
    if (found[values] === 0) return null;
    return totals[i]!.finish(pooledCap(metric, [totals[i]!]), totals[i]!.isSampled);
  });
  return {
    metrics: query.metrics.flatMap(({ name }, i) => {
      const own = sums[used.ofMetrics[i]!.index];
      if (own == null) return [];
      const { sample: _, ...row } = own;
      return [{ metric: name, ...row }];
    }),
    usersByDay: toUsersByDay(usersByDay),
  };
}

/** Returns a function that reads the values of a user in each window, as `valuesSql` writes them. */
export function valuesReader(used: QueryColumns): (rows: RowBinaryReader) => readonly UnitValues[] {
  const [list, weights] = [numberList(), numberList()];
  return (rows) => {
    const { values } = newUnit(NOBODY, used.values);
    for (const [i, own] of values.entries()) {
      const { isPerCall } = used.values[i]!;
      rows.float64s(list);
      if (own.weights !== null) rows.float64s(weights);
      for (let at = 0; at < list.length; at++)
        addValue(own, list.numbers[at]!, isPerCall, own.weights === null ? 1 : weights.numbers[at]!);
    }
    return values;
  };
}

/** Writes the condition of the events that count. */
export function eventsOf(query: BaselineQuery): BoundQuery {
  const kept = notExcludedSql(singly(query.exclusions).slice(0, MAX_EXCLUSIONS));
  return {
    sql: `org_id = {org_id: String} AND NOT has({except: Array(String)}, experiment_id)
        AND NOT startsWith(user_id, {test_prefix: String})${kept.sql}
        AND occurred_at >= fromUnixTimestamp64Milli({from: Int64})
        AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`,
    params: {
      ...kept.params,
      ...{ org_id: query.orgId, from: query.from, until: query.until, test_prefix: TEST_USER_PREFIX },
      except: query.exceptExperimentIds ?? [],
    },
  };
}

function singly(exclusions: readonly ExperimentExclusions[]): readonly ExperimentExclusions[] {
  return exclusions.flatMap(({ experimentId, matches }) =>
    matches.map((match) => ({ experimentId, matches: [match] })),
  );
}

interface UsersParts {
  readonly used: QueryColumns;
  readonly events: BoundQuery;
  readonly part: Part;
}

/** Builds one row per user: the hash, the first event, and the values in each window, which starts with the query's. */
function usersQuery({ used, events, part }: UsersParts): BoundQuery {
  const values = valuesSql(used);
  return {
    sql: `
      SELECT ${HASH} AS hash, toFloat64(min(at)) AS first_at ${values.sql}
      FROM (
        SELECT user_id, ${valueColumnsSql(used)}
        FROM analysis FINAL
        WHERE ${events.sql}${andOfPartSql(part, HASH)}
      )
      GROUP BY user_id`,
    params: { ...events.params, ...values.params },
  };
}

/** Writes the columns of an event that `valuesSql` reads. */
export function valueColumnsSql(used: QueryColumns): string {
  return `toUnixTimestamp64Milli(occurred_at) AS at ${used.isWeighted ? `, ${WEIGHT} AS weight` : ""} ${eventValuesSql(used)}`;
}

/** Writes the values of a group in each window, which starts with the query's. */
export function valuesSql(used: QueryColumns): BoundQuery {
  const windows = used.values.map(({ windowMs, index, source, isWeighted }) => {
    const isIn = Number.isFinite(windowMs) ? ` AND at < {from: Int64} + {window_${index}: Int64}` : "";
    const listOf = (value: string) => `, groupArrayIf(${value}, isNotNull(v${source})${isIn})`;
    return {
      sql: `${listOf(`assumeNotNull(v${source})`)} AS values${index}${isWeighted ? `${listOf("weight")} AS weights${index}` : ""}`,
      params: isIn === "" ? {} : { [`window_${index}`]: windowMs },
    };
  });
  return {
    sql: windows.map(({ sql }) => sql).join(""),
    params: Object.assign({ ...columnParams(used) }, ...windows.map(({ params }) => params)),
  };
}
