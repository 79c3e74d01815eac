import {
  DAY_MS,
  type SmallerUnit,
  type UnitHistory,
  type UnitHistoryQuery,
  type UserValues,
} from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { hasSampled } from "../sql/event-weight.ts";
import { eventsOf, HASH, valueColumnsSql, valuesReader, valuesSql } from "./baseline-query.ts";
import { type QueryColumns, queryColumns } from "./metric-columns.ts";
import { MetricTotals, pooledCap } from "./metric-totals.ts";
import { andOfPartSql, eachRow, type Part, partsFor, readPart } from "./parts.ts";
import { toUsersByDay } from "./users-by-day.ts";

/** If more than this share of the values names no unit, the rest do not represent the metric. */
const MOST_UNNAMED = 0.1;

/**
 * Where an event names its conversation or run. In an experiment on users, the clients and OpenTelemetry name the conversation in the
 * metadata, which only the raw log has.
 */
const NAMED_BESIDE_USER = {
  conversation: "JSONExtractString(metadata, 'conversation_id')",
  run: "run_id",
} as const satisfies Readonly<Record<SmallerUnit, string>>;

/** Loads what an org's users did in their conversations or runs, for the users of one part, which bounds the work. */
export async function loadUnitHistory(engine: EventEngine, asked: UnitHistoryQuery): Promise<UnitHistory> {
  // Runs are left out: a run has no value until it is over, and joining its events would need the whole analysis.
  const query = {
    ...asked,
    metrics: asked.metrics.filter(({ source, kind }) => source.event !== "run" && kind !== "quantile"),
  };
  const events = eventsOf(query);
  const used = queryColumns(query, await hasSampled(engine, events));
  const sample = { maxUsersPerArm: Number.POSITIVE_INFINITY, preDays: 0 };
  const totals = used.columns.map(({ metric }) => new MetricTotals(metric, { unit: query.unit, sample }));
  const readValues = valuesReader(used);
  const [named, unnamed] = [used.values.map(() => 0), used.values.map(() => 0)];
  const byDay = new Map<number, number>();
  const [counted] = await engine.rows<[number]>(
    `SELECT count() FROM analysis WHERE ${events.sql}`,
    events.params,
  );
  const [part] = partsFor(counted![0]);
  let [users, units, lastUser] = [0, 0, -1n];
  if (part !== undefined) {
    const rows = await readPart(engine, part, unitsQuery({ query, used, events, part }));
    await eachRow(rows, () => {
      const user = rows.uint64();
      const isNamed = rows.uint8() === 1;
      const startedAt = rows.float64();
      const values = readValues(rows);
      const found = isNamed ? named : unnamed;
      for (const [i, { count }] of values.entries()) found[i]! += count;
      if (!isNamed) return;
      units += 1;
      if (user !== lastUser) users += 1;
      lastUser = user;
      const day = Math.floor(startedAt / DAY_MS);
      byDay.set(day, (byDay.get(day) ?? 0) + part.of);
      for (const [i, own] of used.columns.entries())
        totals[i]!.add(values[own.values]!, { userId: "", userKey: users, startedAt });
    });
  }
  const sums = used.columns.map(({ metric, values }, i) => {
    const all = named[values]! + unnamed[values]!;
    if (named[values] === 0 || unnamed[values]! > MOST_UNNAMED * all) return null;
    return totals[i]!.finish(pooledCap(metric, [totals[i]!]), totals[i]!.isSampled);
  });
  return {
    ...{ users, units, unitsByDay: toUsersByDay(byDay) },
    metrics: query.metrics.flatMap(({ name }, i) => {
      const own = sums[used.ofMetrics[i]!.index];
      return own == null ? [] : [{ ...own, metric: name, sample: own.sample as UserValues }];
    }),
  };
}

interface UnitsParts {
  readonly query: UnitHistoryQuery;
  readonly used: QueryColumns;
  readonly events: BoundQuery;
  readonly part: Part;
}

/**
 * Builds one row per unit: the user's hash, whether it is named, the first event, and the values in each window. No event is received more
 * than a day before it occurred, so earlier days of the raw log are not read.
 */
function unitsQuery({ query, used, events, part }: UnitsParts): BoundQuery {
  const values = valuesSql(used);
  return {
    sql: `
      SELECT ${HASH} AS hash, toUInt8(unit != '') AS is_named, toFloat64(min(at)) AS first_at ${values.sql}
      FROM (
        SELECT user_id, if(has({of_unit: Array(String)}, experiment_id), unit_id, ${NAMED_BESIDE_USER[query.unit]}) AS unit,
          ${valueColumnsSql(used)}
        FROM raw_events FINAL
        WHERE ${events.sql}${andOfPartSql(part, HASH)}
          AND received_at >= fromUnixTimestamp64Milli({from: Int64} - ${DAY_MS})
      )
      GROUP BY user_id, unit`,
    params: { ...events.params, ...values.params, of_unit: query.ofExperiments },
  };
}
