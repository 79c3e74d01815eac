import { type AnalysisQuery, type Day, dayOf, startOfDay } from "@assay/domain";
import { keepLastUsed, keptFor } from "../../last-used.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import type { LogContents } from "../units/log-contents.ts";
import { statesAt } from "../units/unit-states.ts";
import { contentOf, eventsOf, openExposedOn } from "./closed-events.ts";
import { byExperiment, type CovariateReader, covariateReader, loadCovariates } from "./covariates.ts";
import { isCost, type SourceColumn } from "./metric-columns.ts";
import { WHOLE } from "./parts.ts";
import { firstOutdated, type PastBasis, readBasis } from "./past-basis.ts";

const MOST_EXPERIMENTS = 100;

/** The past of an experiment's users, read along with another experiment of the same night. */
interface ReadPast {
  readonly rows: Buffer;
  /** Names the sources of the rows, in their order. */
  readonly columns: readonly string[];
  readonly exposedFrom: Day;
  /** The content of the experiment's events when it was read. */
  readonly content: string;
  /** What else it was computed from: cells, and which ids are overruled. */
  readonly made: string;
}

/** By engine and org, then by experiment. Each is used once. */
const pastsOf = new WeakMap<EventEngine, Map<string, Map<string, ReadPast>>>();

/** Number of orgs whose results are kept. */
const ORGS_KEPT = 8;

/** What an experiment needs in a night, if all its units are users. */
export interface PastOfNight {
  readonly sources: readonly SourceColumn[];
  readonly basis: PastBasis;
  /** The midnight of the state that the night begins from, epoch milliseconds. */
  readonly closedBefore: number;
  readonly exposedFrom: Day;
  readonly ofOrg: LogContents;
  readonly isOverruled: boolean;
  readonly byTokens: boolean;
  /** Maximum number of events from that day on, over all experiments of one query. */
  readonly mostEvents: number;
}

/** Returns whether an experiment has few enough events since the first day to read its users' past in one query with others. */
export function isReadTogether(
  { experimentId }: AnalysisQuery,
  { ofOrg, exposedFrom, mostEvents }: Pick<PastOfNight, "ofOrg" | "exposedFrom" | "mostEvents">,
): boolean {
  return eventsSince(ofOrg, experimentId, exposedFrom) <= mostEvents;
}

/**
 * Reads the past of an experiment's users and, in the same query, of the org's other experiments. They probably need the same past in
 * this night, and scanning the org's cells takes most of the time. The states of the previous night show which experiments these are
 * and what they need. A past that was read along with another experiment is used if reading it now would give the same.
 */
export async function readSharedPast(
  engine: EventEngine,
  query: AnalysisQuery,
  asked: PastOfNight,
): Promise<CovariateReader> {
  const { orgId, experimentId } = query;
  const orgs = keptFor(pastsOf, engine);
  const known = orgs.get(orgId) ?? new Map<string, ReadPast>();
  keepLastUsed(orgs, [orgId, known], ORGS_KEPT);
  const made = madeOf(query, asked);
  for (const [other, past] of known) if (past.made !== made) known.delete(other);
  const names = asked.sources.map((source) => nameOf(source, asked));
  if (!isCurrent(known.get(experimentId), names, query, asked))
    for (const [id, past] of await readTogether(engine, query, asked, known)) known.set(id, past);
  const { rows, columns } = known.get(experimentId)!;
  known.delete(experimentId);
  return covariateReader(rows, {
    unit: "user",
    columns: columns.map((name) => asked.sources[names.indexOf(name)]?.index ?? null),
  });
}

function isCurrent(
  past: ReadPast | undefined,
  names: readonly string[],
  { experimentId, until }: AnalysisQuery,
  { ofOrg, exposedFrom }: PastOfNight,
): boolean {
  return (
    past !== undefined &&
    past.content === contentNow(ofOrg, experimentId, until) &&
    past.exposedFrom <= exposedFrom &&
    names.every((name) => past.columns.includes(name))
  );
}

/** Leaves out the last day: for users exposed on it, its activity is not past. */
function madeOf({ until }: AnalysisQuery, { basis: { preDays, days }, ofOrg }: PastOfNight): string {
  const lastDay = dayOf(until - 1);
  return JSON.stringify([preDays, days.filter(([day]) => day < lastDay), ofOrg.overruled]);
}

function contentNow({ byExperiment }: LogContents, experimentId: string, until: number): string {
  return contentOf((byExperiment.get(experimentId) ?? []).filter(({ occurredOn }) => occurredOn < until));
}

function eventsSince({ byExperiment }: LogContents, experimentId: string, day: Day): number {
  const logged = byExperiment.get(experimentId) ?? [];
  return eventsOf(logged.filter(({ occurredOn }) => occurredOn >= startOfDay(day)));
}

type Source = Pick<SourceColumn, "source" | "acceptFrom">;

/** Names what is summed. The cost of calls depends on the prices if any call's cost is computed from its tokens. */
function nameOf(
  { source, acceptFrom }: Source,
  { basis: { asked }, byTokens }: Pick<PastOfNight, "basis" | "byTokens">,
): string {
  return JSON.stringify([source, acceptFrom, byTokens && isCost({ source }) ? asked?.prices : null]);
}

interface Asking {
  readonly experimentId: string;
  readonly sources: readonly Source[];
}

async function readTogether(
  engine: EventEngine,
  query: AnalysisQuery,
  asked: PastOfNight,
  known: ReadonlyMap<string, ReadPast>,
): Promise<ReadonlyMap<string, ReadPast>> {
  const { basis, exposedFrom, ofOrg, isOverruled, byTokens } = asked;
  const asking = [
    { experimentId: query.experimentId, sources: asked.sources },
    ...(await othersAsking(engine, query, asked, known)),
  ];
  const experimentIds = asking.map(({ experimentId }) => experimentId);
  const named = new Map(
    asking.flatMap(({ sources }) => sources.map((source) => [nameOf(source, asked), source] as const)),
  );
  const sources = [...named.values()].map(({ source, acceptFrom }, index) => ({ source, acceptFrom, index }));
  const rows = await loadCovariates(engine, query, {
    ...{ experimentIds, sources, folded: foldedOf(basis), isOverruled, byTokens, exposedFrom },
    ...{ part: WHOLE, firstAt: startOfDay(exposedFrom) },
  });
  const [columns, made] = [[...named.keys()], madeOf(query, asked)];
  return new Map(
    byExperiment(rows, { experimentIds, sources }).map((own, index) => {
      const experimentId = experimentIds[index]!;
      const content = contentNow(ofOrg, experimentId, query.until);
      return [experimentId, { rows: own, columns, exposedFrom, content, made }];
    }),
  );
}

function foldedOf({ days }: PastBasis) {
  return { days: days.map(([day]) => day), folds: days.map(([, fold]) => BigInt(fold)) };
}

/** Lists experiments that had a state in the previous night, have none in this one, and need no users of an earlier day. */
async function othersAsking(
  engine: EventEngine,
  { orgId, experimentId, until }: AnalysisQuery,
  { basis, closedBefore, exposedFrom, ofOrg, byTokens, mostEvents }: PastOfNight,
  known: ReadonlyMap<string, ReadPast>,
): Promise<readonly Asking[]> {
  const states = await statesAt(engine, orgId, [closedBefore, until]);
  const done = new Set(states.filter((one) => one.closedBefore === until).map((one) => one.experimentId));
  const newest = new Map(states.map((one) => [one.experimentId, readBasis(one.basis)]));
  let events = eventsSince(ofOrg, experimentId, exposedFrom);
  const asking: Asking[] = [];
  for (const [other, then] of newest) {
    if (other === experimentId || done.has(other) || known.has(other) || then?.asked === undefined) continue;
    const exposedOn = openExposedOn(ofOrg.byExperiment.get(other) ?? [], closedBefore);
    if (firstOutdated(basis, { closedBefore, basis: then }, exposedOn) < exposedFrom) continue;
    const { sources, prices } = then.asked;
    if (byTokens && prices !== basis.asked?.prices && sources.some(isCost)) continue;
    events += eventsSince(ofOrg, other, exposedFrom);
    if (events > mostEvents || asking.length === MOST_EXPERIMENTS) break;
    asking.push({ experimentId: other, sources });
  }
  return asking;
}
