import {
  type ComparedLabel,
  type Experiment,
  type JudgedSeries,
  type JudgedText,
  type LabelCandidate,
  PLAN_LIMITS,
  rawKeptSince,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { loadJudgedTexts, loadPrompts } from "./load-questions.ts";

/** The queue shows the first calls of each arm at random. A label on a later call is one that somebody chose. */
const HEAD_PER_ARM = 200;

type HeadDeps = Pick<Deps, "control" | "plans" | "clock">;

/** Lists the calls for people to score next, per arm by hash, among those whose texts the plan's retention still keeps. */
export async function listLabelHead(
  series: JudgedSeries,
  deps: HeadDeps,
): Promise<readonly LabelCandidate[]> {
  return deps.control.judgements.listUnlabelled(series, await headOf(series, deps));
}

/** Returns whether a call is among them. */
export async function isInLabelHead(series: JudgedSeries, eventId: string, deps: HeadDeps): Promise<boolean> {
  return deps.control.judgements.isUnlabelled(series, eventId, await headOf(series, deps));
}

async function headOf({ orgId }: JudgedSeries, { plans, clock }: HeadDeps) {
  const retentionDays = PLAN_LIMITS[await plans.inForce(orgId)].retentionDays;
  const occurredFrom = plans.isEnforced ? rawKeptSince(clock.now(), retentionDays) : 0;
  return { occurredFrom, perArm: HEAD_PER_ARM };
}

/** Counts, per arm, the scores of people who were shown the call at random. */
export function countDrawn(labels: readonly ComparedLabel[]): Readonly<Record<string, number>> {
  const drawn = Map.groupBy(
    labels.filter(({ isDrawn }) => isDrawn),
    ({ arm }) => arm,
  );
  return Object.fromEntries([...drawn].map(([arm, ofArm]) => [arm, ofArm.length]));
}

/** Orders calls so that the arms get equally many labels: the next call is from the arm with the fewest so far. */
export function levelArms(
  candidates: readonly LabelCandidate[],
  labels: Readonly<Record<string, number>>,
): readonly LabelCandidate[] {
  const places = [...Map.groupBy(candidates, ({ arm }) => arm)].flatMap(([arm, ofArm]) =>
    ofArm.map((candidate, index) => ({ candidate, place: (labels[arm] ?? 0) + index })),
  );
  const byPlace = places.sort((a, b) => a.place - b.place || a.candidate.order - b.candidate.order);
  return byPlace.map(({ candidate }) => candidate);
}

export interface QueuedCall {
  readonly candidate: LabelCandidate;
  /** Null when the model call failed. A transcript if the unit is not the user. */
  readonly answer: string | null;
  readonly input: string | null;
}

/**
 * Takes the first `limit` calls that still have their texts, with the same blind texts that a judge gets. They are sorted by hash,
 * because an order in which arms alternate would show which calls belong together.
 */
export async function takeCalls(
  experiment: Experiment,
  { candidates, limit }: { readonly candidates: readonly LabelCandidate[]; readonly limit: number },
  { control, events }: Pick<Deps, "control" | "events">,
): Promise<readonly QueuedCall[]> {
  const prompts = await loadPrompts(experiment, control);
  const taken: QueuedCall[] = [];
  for (let start = 0; start < candidates.length && taken.length < limit; start += limit) {
    const chunk = candidates.slice(start, start + limit);
    const texts = await loadJudgedTexts(experiment, chunk, { events, prompts });
    for (const candidate of chunk) {
      const judged = texts.get(candidate.eventId);
      if (judged !== undefined) taken.push(toQueued(candidate, judged));
    }
  }
  return taken.slice(0, limit).sort((a, b) => a.candidate.order - b.candidate.order);
}

function toQueued(candidate: LabelCandidate, judged: JudgedText): QueuedCall {
  if ("unit" in judged) return { candidate, input: null, answer: judged.text };
  return { candidate, input: judged.input, answer: candidate.hasFailed ? null : judged.answer };
}
