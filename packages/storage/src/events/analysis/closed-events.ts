import type { EventEngine } from "../engine/event-engine.ts";
import { TOKEN_COLUMNS } from "../sql/call-cost-sql.ts";
import { inRawSince, rawFrom, type SelectedEvents } from "../sql/selected-events.ts";
import { type LogContents, type LogScope, loadLogContents } from "../units/log-contents.ts";
import { hasMark, LOG_MARK, type LoggedEvents, tokenMark } from "../units/logged-events.ts";

/** All events. */
export const ALL_EVENTS: SelectedEvents = { table: "analysis", sql: "1", params: {} };

/** Selects the events that occurred and were received before an instant, epoch milliseconds. */
export function closedBefore(at: number): SelectedEvents {
  return { table: "analysis", sql: closedSql("closed_before"), params: { closed_before: at } };
}

/** Selects all other events. */
export function openSince(at: number): SelectedEvents {
  return { table: "analysis", sql: `NOT ${closedSql("closed_before")}`, params: { closed_before: at } };
}

function closedSql(name: string): string {
  const before = `fromUnixTimestamp64Milli({${name}: Int64})`;
  return `(occurred_at < ${before} AND received_at < ${before})`;
}

/** The state of an experiment's events at a moment. */
export interface EventContents {
  /** One text per instant about the closed events before it. It changes when one of them appears, disappears or stops counting. */
  readonly closed: readonly string[];
  /** The events that are open at the first instant, in the log where fewer rows must be read. */
  readonly open: SelectedEvents;
  readonly openEvents: number;
  /** The day of the first open exposure, a UTC midnight in epoch milliseconds; null if there is none. */
  readonly openExposedOn: number | null;
  /** The token columns in which no event has a value. */
  readonly absent: readonly string[];
}

/** Describes an experiment's events before some instants (UTC midnights, epoch milliseconds). `contents` covers all of `scope`. */
export async function describeContents(
  engine: EventEngine,
  experimentId: string,
  {
    scope,
    contents,
    instants,
  }: {
    readonly scope: LogScope;
    readonly contents: LogContents;
    readonly instants: readonly [number, ...number[]];
  },
): Promise<EventContents> {
  const [first] = instants;
  const logged = contents.byExperiment.get(experimentId) ?? [];
  const isOpen = (one: LoggedEvents) => !isClosed(first)(one);
  const open = logged.filter(isOpen);
  const raw = inRawSince(first, openSince(first));
  const inRaw = await loadLogContents(engine, scope, { log: { rawSince: rawFrom(first), of: contents } });
  // Only the analysis log has events that retention removed from the raw log, or that arrived long before their time.
  const isInRaw = contentOf(open) === contentOf((inRaw.byExperiment.get(experimentId) ?? []).filter(isOpen));
  return {
    closed: instants.map((at) => contentOf(logged.filter(isClosed(at)))),
    open: isInRaw ? raw : openSince(first),
    openEvents: eventsOf(open),
    openExposedOn: openExposedOn(logged, first),
    absent: TOKEN_COLUMNS.filter((name) => !hasMark(logged, tokenMark(name))),
  };
}

const isClosed = (at: number) => (one: LoggedEvents) => one.occurredOn < at && one.receivedOn < at;

/** Returns the day of the first exposure that is still open at an instant, a UTC midnight in epoch milliseconds; null if none is. */
export function openExposedOn(logged: readonly LoggedEvents[], at: number): number | null {
  const open = logged.filter((one) => hasMark([one], LOG_MARK.exposure) && !isClosed(at)(one));
  return open.length === 0 ? null : Math.min(...open.map(({ occurredOn }) => occurredOn));
}

/** Returns the number of events. */
export const eventsOf = (logged: readonly LoggedEvents[]) =>
  logged.reduce((sum, { events }) => sum + events, 0);

/** Returns a text with the number of events and a checksum of their times. */
export function contentOf(logged: readonly LoggedEvents[]): string {
  const times = logged.reduce(
    (sum, { receivedSum, occurredSum }) => sum + receivedSum + 3n * occurredSum,
    0n,
  );
  return `${eventsOf(logged)} ${BigInt.asIntN(64, times)}`;
}
