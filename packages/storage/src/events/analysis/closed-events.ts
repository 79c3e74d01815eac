import type { ExperimentEvents } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { TOKEN_COLUMNS } from "../sql/call-cost-sql.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import type { LoggedEvents } from "../sql/log-contents.ts";
import { inRawSince, type SelectedEvents } from "../sql/selected-events.ts";

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
  /** Columns of tokens that none of all events has a value in. */
  readonly absent: readonly string[];
}

/** Describes an experiment's events before instants: midnights in UTC, epoch milliseconds. `logged` are all of its events. */
export async function describeContents(
  engine: EventEngine,
  { orgId, experimentId }: Pick<ExperimentEvents, "orgId" | "experimentId">,
  {
    counted,
    logged,
    instants,
  }: {
    readonly counted: string;
    readonly logged: readonly LoggedEvents[];
    readonly instants: readonly [number, ...number[]];
  },
): Promise<EventContents> {
  const [first] = instants;
  const isClosed = (at: number) => (one: LoggedEvents) => one.occurredOn < at && one.receivedOn < at;
  const open = logged.filter((one) => !isClosed(first)(one));
  const raw = inRawSince(first, openSince(first));
  const [rawRow] = await engine.rows<[number, string]>(
    `SELECT count(), toString(sum(toUnixTimestamp64Milli(received_at) + 3 * toUnixTimestamp64Milli(occurred_at)))
     FROM raw_events WHERE ${OF_EXPERIMENT} AND ${counted} AND ${raw.sql}`,
    { org_id: orgId, experiment_id: experimentId, ...raw.params },
  );
  // What retention took from the raw log, or what came long before its time, only the other log has.
  const isInRaw = contentOf(open) === rawRow!.join(" ");
  const tokens = logged.reduce((bits, one) => bits | one.tokens, 0);
  return {
    closed: instants.map((at) => contentOf(logged.filter(isClosed(at)))),
    open: isInRaw ? raw : openSince(first),
    openEvents: eventsOf(open),
    absent: TOKEN_COLUMNS.filter((_, bit) => (tokens & (2 ** bit)) === 0),
  };
}

/** Counts them. */
export const eventsOf = (logged: readonly LoggedEvents[]) =>
  logged.reduce((sum, { events }) => sum + events, 0);

/** Writes the number of events, and a sum that differs for other events. */
function contentOf(logged: readonly LoggedEvents[]): string {
  const times = logged.reduce(
    (sum, { receivedSum, occurredSum }) => sum + receivedSum + 3n * occurredSum,
    0n,
  );
  return `${eventsOf(logged)} ${BigInt.asIntN(64, times)}`;
}
