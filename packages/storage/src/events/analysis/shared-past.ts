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

/** The past of an experiment's users that another one of the same night has read. */
interface ReadPast {
  readonly rows: Buffer;
  /** Names the sources of the rows, in their order. */
  readonly columns: readonly string[];
  readonly exposedFrom: Day;
  /** The experiment's events by which it was read. */
  readonly content: string;
  /** What it was made of besides: cells, and which ids are overruled. */
  readonly made: string;
}

/** By engine and org, then by experiment: each is used once. */
const pastsOf = new WeakMap<EventEngine, Map<string, Map<string, ReadPast>>>();

/** Orgs that were asked for last. */
const ORGS_KEPT = 8;

/** What an experiment of a night asks for, of which all units are users. */
export interface PastOfNight {
  readonly sources: readonly SourceColumn[];
  readonly basis: PastBasis;
  /** The midnight of the state that the night begins from, epoch milliseconds. */
  readonly closedBefore: number;
  readonly exposedFrom: Day;
  readonly ofOrg: LogContents;
  readonly isOverruled: boolean;
  readonly byTokens: boolean;
  /** Events from that day on of all experiments that one query asks for, at most. */
  readonly mostEvents: number;
}

/** Returns whether an experiment has so few events since the first day that its users' past is read at once, with that of others. */
export function isReadTogether(
  { experimentId }: AnalysisQuery,
  { ofOrg, exposedFrom, mostEvents }: Pick<PastOfNight, "ofOrg" | "exposedFrom" | "mostEvents">,
): boolean {
  return eventsSince(ofOrg, experimentId, exposedFrom) <= mostEvents;
}

/**
 * Reads what an experiment's users did before, and, in the same query, what those of the org's other experiments did: they are likely to ask the
 * same in this night, and what takes long is to look through the cells of the whole org. Which they are, and what they ask for, their states of the night
 * before tell. What was read for another experiment is used if it would be read the same now.
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

/** Of users who were exposed on the last day, what they did on it is no past. */
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

/** Names what is summed: the cost of calls differs by the prices, if any of them is told by its tokens. */
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

/** Lists the experiments that had a state in the night before, have none of this one yet, and ask for users of no earlier day. */
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
