import type { ExperimentEvents } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { inRawSince, type SelectedEvents } from "../sql/selected-events.ts";
import { TOKEN_COLUMNS } from "./event-rows.ts";

/** All events. */
export const ALL_EVENTS: SelectedEvents = { table: "analysis", sql: "1", params: {} };

/** Selects the events that occurred and were received before an instant, epoch milliseconds. */
export function closedBefore(at: number): SelectedEvents {
  return { table: "analysis", sql: closedSql("closed_before"), params: { closed_before: at } };
}

/** Selects the other events. */
export function openSince(at: number): SelectedEvents {
  return { table: "analysis", sql: `NOT ${closedSql("closed_before")}`, params: { closed_before: at } };
}

function closedSql(name: string): string {
  const before = `fromUnixTimestamp64Milli({${name}: Int64})`;
  return `(occurred_at < ${before} AND received_at < ${before})`;
}

/** What an experiment's events are at a moment. */
export interface EventContents {
  /** Of the closed events before each of the instants: a text that differs once any of them comes or goes, or counts no longer. */
  readonly closed: readonly string[];
  /** The other events than the first instant's, in the log that has them with the least to read. */
  readonly open: SelectedEvents;
  readonly openEvents: number;
  /** When the first of all events occurred, epoch milliseconds. */
  readonly firstAt: number;
  /** Columns of tokens that none of all events has a value in. */
  readonly absent: readonly string[];
}

/** Describes an experiment's events before instants, epoch milliseconds. Reads only their times, and which tokens they report. */
export async function loadContents(
  engine: EventEngine,
  { orgId, experimentId }: Pick<ExperimentEvents, "orgId" | "experimentId">,
  instants: readonly [number, ...number[]],
): Promise<EventContents> {
  const [first] = instants;
  const ofExperiment = { org_id: orgId, experiment_id: experimentId };
  const names = instants.map((_, i) => `instant_${i}`);
  const contents = [...names.map((name) => closedSql(name)), `NOT ${closedSql("instant_0")}`].map(contentSql);
  const raw = inRawSince(first, openSince(first));
  const [[row], [rawRow]] = await Promise.all([
    engine.rows<[superseded: number, firstAt: number, has: number[], ...contents: [number, string][]]>(
      `SELECT (SELECT uniqExact(event_id) FROM superseded_ids WHERE org_id = {org_id: String}),
         toUnixTimestamp64Milli(min(occurred_at)),
         [${TOKEN_COLUMNS.map((name) => `max(isNotNull(${name}))`).join(", ")}], ${contents.join(", ")}
       FROM analysis WHERE ${OF_EXPERIMENT}`,
      { ...ofExperiment, ...Object.fromEntries(names.map((name, i) => [name, instants[i]])) },
    ),
    engine.rows<[[number, string]]>(
      `SELECT ${contentSql("1")} FROM raw_events WHERE ${OF_EXPERIMENT} AND ${raw.sql}`,
      { ...ofExperiment, ...raw.params },
    ),
  ]);
  const [superseded, firstAt, has, ...found] = row!;
  const open = found.pop()!;
  // What retention took from the raw log, or what came long before its time, only the other log has.
  const isInRaw = String(open) === String(rawRow![0]);
  return {
    closed: found.map(([events, times]) => `${events} ${times} ${superseded}`),
    open: isInRaw ? raw : openSince(first),
    openEvents: open[0],
    firstAt,
    absent: TOKEN_COLUMNS.filter((_, i) => has[i] === 0),
  };
}

/** Writes the number of events that a condition selects, and a sum that differs for other events. */
function contentSql(condition: string): string {
  const times = "toUnixTimestamp64Milli(received_at) + 3 * toUnixTimestamp64Milli(occurred_at)";
  return `(countIf(${condition}), toString(sumIf(${times}, ${condition})))`;
}
