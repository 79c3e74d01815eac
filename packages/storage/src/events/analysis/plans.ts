import { DAY_MS, type ExperimentEvents } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { sampledSql } from "../sql/event-weight.ts";
import { rawFrom, type SelectedEvents } from "../sql/selected-events.ts";
import { EVERY_ROW, knowsLog, type LogContents, loadLogContents } from "../units/log-contents.ts";
import { hasMark, LOG_MARK, type LoggedEvents } from "../units/logged-events.ts";
import {
  type Codec,
  findState,
  readState,
  type StateKey,
  StateUnusable,
  StateWriter,
  type StoredState,
  shapeOf,
  type UnitSource,
} from "../units/unit-states.ts";
import { ALL_EVENTS, describeContents, eventsOf } from "./closed-events.ts";
import { EVENTS_PER_PART, type Part, partsFor } from "./parts.ts";

/** Limits. Tests lower them. */
export interface AnalysisLimits {
  /** Events that are read at once. */
  readonly eventsPerPart?: number;
  /** Experiments with fewer events are analyzed from the events alone, which takes no longer than looking for a state. */
  readonly eventsForState?: number;
  /** Orgs with fewer events read covariates from the log, which takes no longer than checking which days are folded. */
  readonly eventsForCells?: number;
}

const EVENTS_FOR_STATE = 100_000;
const EVENTS_FOR_CELLS = 100_000;

/** Most states are at most this many days older than a night. */
const STATE_DAYS = 3;

/** What an analysis reads, and of which experiment. */
export interface Analysis<U> {
  readonly query: StateQuery;
  readonly log: KnownLog;
  /** How its units are stored; null if they are not stored and all events are read. */
  readonly state: StateForm<U> | null;
}

type StateQuery = ExperimentEvents & { readonly until: number };

/** How the units of an analysis are stored. */
export interface StateForm<U> {
  readonly codec: Codec<U>;
  /** Everything that a unit's state depends on, except events and exclusions. */
  readonly shape: unknown;
}

/** What an analysis knows of the log before it begins. */
export interface KnownLog {
  /** The content of the org's log, for a night of an org with many events; otherwise null. */
  readonly ofOrg: LogContents | null;
  /** The experiment's events if `ofOrg` is known; otherwise empty. */
  readonly logged: readonly LoggedEvents[];
  readonly events: number;
  /**
   * Whether any event of the experiment has a weight, including excluded events, so that an exclusion does not affect other events.
   * If none has one, weights are not read, which saves a tenth of an event.
   */
  readonly isSampled: boolean;
  /** Whether the experiment is large enough to be analyzed from a state. */
  readonly isLarge: boolean;
  /** Whether covariates are read from the days' cells, which are first brought up to date. */
  readonly fromCells: boolean;
}

/** Returns whether an id of the org may be overruled; true when unknown. */
export const mayBeOverruled = ({ ofOrg }: KnownLog): boolean => ofOrg?.counted !== EVERY_ROW;

/** Where an analysis begins, and what it stores for the next one. */
export interface Plan<U> {
  /** The units, computed from the events of earlier days; null if all events are read. */
  readonly stored: {
    readonly state: Pick<StoredState, "closedBefore" | "basis">;
    readonly units: UnitSource<U>;
  } | null;
  /** Stores the units for the next analysis; null if it does not store them. */
  readonly writer: StateWriter<U> | null;
  /** Events received from this time on (epoch milliseconds) are not part of what is stored; null if nothing is stored. */
  readonly openFrom: number | null;
  /** Events that are read at once. */
  readonly eventsPerPart: number;
  /** The events to read, and the parts in which to read them. */
  readonly where: SelectedEvents;
  readonly parts: readonly Part[];
  readonly log: KnownLog;
  /** As in `EventContents`, for the events to read; null when unknown. */
  readonly openExposedOn: number | null;
  /** As in `EventContents`; empty when unknown. */
  readonly absent: readonly string[];
  /** Makes the stored units the state from which the next analysis begins. `basis` is as in `StoredState`. */
  commit(basis: string): Promise<void>;
}

/**
 * Reads the content of the log. In a night of an org with many events, it reads all of them at once, and the org's experiments share
 * the result. Call it before the events are read: an event that arrives in between then makes the next analysis read everything.
 */
export async function openLog(
  engine: EventEngine,
  { orgId, experimentId, until }: StateQuery,
  { hasState, limits }: { readonly hasState: boolean; readonly limits: AnalysisLimits },
): Promise<KnownLog> {
  const least = limits.eventsForState ?? EVENTS_FOR_STATE;
  const ofCells = limits.eventsForCells ?? EVENTS_FOR_CELLS;
  const isNight = hasState && until % DAY_MS === 0 && until <= Date.now();
  const counts =
    isNight && knowsLog(engine, orgId) ? null : await countEvents(engine, { orgId, experimentId });
  if (isNight && (counts === null || counts.ofOrg >= least)) {
    const scope = { orgId, experimentId: null };
    const ofOrg = await loadLogContents(engine, scope, { rawSince: rawFrom(until - STATE_DAYS * DAY_MS) });
    const logged = ofOrg.byExperiment.get(experimentId) ?? [];
    const events = eventsOf(logged);
    const isSampled = hasMark(logged, LOG_MARK.sampled);
    const fromCells = eventsOf(ofOrg.all) >= ofCells;
    return { ofOrg, logged, events, isSampled, isLarge: events >= least, fromCells };
  }
  const { ofExperiment: events, ofOrg, isSampled } = counts!;
  return {
    ofOrg: null,
    logged: [],
    events,
    isSampled,
    isLarge: events >= least,
    fromCells: ofOrg >= ofCells,
  };
}

/**
 * Runs an analysis from the best available state, and again without the state if that turns out to be unusable.
 *
 * A state covers the events that occurred and were received before a midnight. A night begins from the state of the previous night
 * and stores a new one; other analyses begin from the newest. If any event of a state came or went since, all events are read again.
 */
export async function runAnalysis<U extends { readonly hash: bigint }, T>(
  engine: EventEngine,
  analysis: Analysis<U>,
  { run, limits }: { readonly run: (plan: Plan<U>) => Promise<T>; readonly limits: AnalysisLimits },
): Promise<T> {
  const { query, log, state: form } = analysis;
  const { eventsPerPart = EVENTS_PER_PART } = limits;
  const parts = (toRead: number) => partsFor(toRead, eventsPerPart);
  const starts = log.isLarge && form !== null ? await loadStarts(engine, query, { form, log }) : [];
  for (const { state, next, where, toRead, openExposedOn, absent } of starts) {
    const { codec } = form!;
    const key = keyOf(query, form!);
    // A base is dropped after some days. So changes are added only to a recent base, and never to another list of changes.
    const isBase = state !== null && state.base === null && state.isRecent;
    const base = isBase ? { fold: state.fold, chunks: state.chunks } : null;
    const writer = next === null ? null : new StateWriter(engine, { key, codec, base });
    try {
      return await run({
        stored: state === null ? null : { state, units: readState(engine, { key, state, codec }) },
        writer,
        openFrom: next?.closedBefore ?? null,
        where,
        // With a state, there are units even if there are no new events.
        parts: parts(state === null ? toRead : Math.max(1, toRead)),
        ...{ eventsPerPart, log, openExposedOn, absent },
        commit: async (basis) => await writer?.commit({ ...next!, basis }),
      });
    } catch (error) {
      if (!(error instanceof StateUnusable)) throw error;
    }
  }
  return run({
    ...{ stored: null, writer: null, openFrom: null, log, openExposedOn: null, absent: [] },
    ...{ where: ALL_EVENTS, eventsPerPart, parts: parts(log.events), commit: async () => {} },
  });
}

interface Start {
  readonly state: StoredState | null;
  readonly next: Pick<StoredState, "closedBefore" | "content"> | null;
  readonly where: SelectedEvents;
  readonly toRead: number;
  readonly openExposedOn: number | null;
  readonly absent: readonly string[];
}

/** Returns the key of the states from which an analysis may begin. */
export function keyOf<U>(
  { orgId, experimentId, exclusions }: StateQuery,
  { codec, shape }: StateForm<U>,
): StateKey {
  return { orgId, experimentId, shape: shapeOf([codec.layout, shape, exclusions]) };
}

interface StartParts<U> {
  readonly form: StateForm<U>;
  readonly log: KnownLog;
}

/** Lists where an analysis can begin, best first. */
async function loadStarts<U>(
  engine: EventEngine,
  query: StateQuery,
  { form, log }: StartParts<U>,
): Promise<readonly Start[]> {
  const { orgId, experimentId, until } = query;
  const state = await findState(engine, keyOf(query, form), until);
  const [first = null, ...more] = [
    ...(state === null ? [] : [state.closedBefore]),
    ...(log.ofOrg === null ? [] : [until]),
  ];
  if (first === null) return [];
  const scope = { orgId, experimentId: log.ofOrg === null ? experimentId : null };
  const contents = log.ofOrg ?? (await loadLogContents(engine, scope, { rawSince: rawFrom(first) }));
  const { closed, open, openEvents, openExposedOn, absent } = await describeContents(engine, experimentId, {
    ...{ scope, contents, instants: [first, ...more] },
  });
  const next = log.ofOrg === null ? null : { closedBefore: until, content: closed.at(-1)! };
  const starts: Start[] = [];
  if (state !== null && state.content === closed[0]) {
    const isNewer = next !== null && state.closedBefore < until;
    starts.push({
      ...{ state, next: isNewer ? next : null, where: open, toRead: openEvents },
      openExposedOn,
      absent,
    });
  }
  if (next !== null)
    starts.push({
      ...{ state: null, next, where: ALL_EVENTS, toRead: log.events },
      openExposedOn: null,
      absent,
    });
  return starts;
}

/** Counts all events of an experiment and its org by the log's key; counting only valid ones would read them. Checks for sampling. */
async function countEvents(
  engine: EventEngine,
  { orgId, experimentId }: Pick<ExperimentEvents, "orgId" | "experimentId">,
) {
  const [row] = await engine.rows<[ofExperiment: number, ofOrg: number, sampled: 0 | 1]>(
    `SELECT (SELECT count() FROM analysis WHERE ${OF_EXPERIMENT}), (SELECT count() FROM analysis WHERE org_id = {org_id: String}),
       (SELECT count() FROM (${sampledSql(OF_EXPERIMENT)}))`,
    { org_id: orgId, experiment_id: experimentId },
  );
  const [ofExperiment, ofOrg, sampled] = row!;
  return { ofExperiment, ofOrg, isSampled: sampled > 0 };
}
