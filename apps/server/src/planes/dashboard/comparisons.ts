import { comparedAnswer, MAX_COMPARED, comparisons as operations, type QueryOf } from "@assay/contract";
import {
  type Pick as AnswerPick,
  type Comparison,
  compareAnswers,
  countPicks,
  DISAGREEMENT,
  DomainError,
  type Experiment,
  type Judgement,
  pickAgreement,
  questionLikeness,
  rubricMetrics,
} from "@assay/domain";
import { v5 as uuidOfName } from "uuid";
import { type AskedCall, loadAskedCalls } from "../../comparisons/asked-calls.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { rejectBody, rejectQuery } from "../../http/validate.ts";

const SHOWN = 20;
/** How many of an experiment's newest picks are counted. */
const COUNTED_PICKS = 1_000;

export const listComparisons = defineRoute(
  operations.listComparisons,
  async ({ params, query, caller }, deps) => {
    const { control, rateLimits } = deps;
    const experiment = await control.experiments.get(caller.orgId, params.id);
    rateLimits.searches.take(caller.orgId);
    const { order = "difference", limit = SHOWN } = query;
    const eventIds = query.calls === undefined ? undefined : toEventIds(query.calls);
    const calls = await loadAskedCalls(experiment, { eventIds }, deps);
    const judgements = await judgementsOf(experiment, calls, deps);
    const compared =
      eventIds === undefined
        ? compareAnswers(calls, {
            variants: experiment.config.variants.map(({ key }) => key),
            rank: (call) => rankOf(judgements.get(call.eventId) ?? []),
          })
        : together(calls, experiment);
    const found = inOrder(order, compared.filter(hasText(query.text)), judgements);
    return {
      items: found.slice(0, limit).map((one) => comparedAnswer(one, judgements, experiment.config.metrics)),
      total: found.length,
      calls: calls.length,
      picks: await summarizePicks(experiment, deps),
    };
  },
);

/** The UUID namespace for the ids of picks. */
const PICKS = "5b0c7f0e-4f55-4d39-9f43-6f4f2c4f4d0a";

export const createPick = defineRoute(operations.createPick, async ({ params, body, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  const { eventIds, best } = body;
  if (best !== null && !eventIds.includes(best))
    rejectBody([{ pointer: "/best", detail: "The best answer must be one of event_ids, or null for none." }]);
  const calls = await loadAskedCalls(experiment, { eventIds }, deps);
  if (new Set(calls.map(({ variant }) => variant)).size < eventIds.length) {
    const detail =
      "Each must be the id of a call of this experiment whose texts are stored, and no two calls may be of the same variant.";
    rejectBody([{ pointer: "/event_ids", detail }]);
  }
  const pick: AnswerPick = {
    orgId: experiment.orgId,
    experimentId: experiment.id,
    id: uuidOfName(JSON.stringify([experiment.id, caller.userId, eventIds.toSorted()]), PICKS),
    calls: calls.map(({ eventId, variant, userId }) => ({ eventId, variant, userId })),
    best,
    pickedBy: caller.userId,
    pickedByName: caller.name || caller.email,
    pickedAt: deps.clock.now(),
  };
  await deps.control.picks.put(pick);
  return {
    variants: Object.fromEntries(calls.map(({ eventId, variant }) => [eventId, variant])),
    best: calls.find(({ eventId }) => eventId === best)?.variant ?? null,
    pickedAt: pick.pickedAt,
  };
});

function toEventIds(calls: string): readonly string[] {
  const ids = calls.split(",").slice(0, MAX_COMPARED + 1);
  try {
    if (ids.length <= MAX_COMPARED) return ids.map(decodeURIComponent);
  } catch {
    // Reported below.
  }
  rejectQuery([
    {
      pointer: "/calls",
      detail: `It must have at most ${MAX_COMPARED} percent-encoded event ids, joined by commas.`,
    },
  ]);
  return [];
}

/** What judges and people said about each call, by event id. Only for the metrics as they are now. */
type Judgements = ReadonlyMap<string, readonly Judgement[]>;

async function judgementsOf(
  experiment: Experiment,
  calls: readonly AskedCall[],
  { control }: Pick<Deps, "control">,
): Promise<Judgements> {
  const metrics = rubricMetrics(experiment);
  if (metrics.length === 0) return new Map();
  const ids = calls.map(({ eventId }) => eventId);
  const all = await control.judgements.listOfEvents(experiment.orgId, experiment.id, ids);
  const isCurrent = ({ metric, metricVersion }: Judgement) =>
    metrics.some((one) => one.name === metric && one.metricVersion === metricVersion);
  return Map.groupBy(all.filter(isCurrent), ({ eventId }) => eventId);
}

/** Whether a person's label differs from the judge's score. */
const hasDisagreement = (judgements: readonly Judgement[]): boolean =>
  judgements.some(
    ({ score, labelScore }) =>
      score !== null && labelScore !== null && Math.abs(score - labelScore) > DISAGREEMENT,
  );

/** Ranks a variant's answers to choose the one to show: first one on which judge and person differ, then one with a score. */
function rankOf(judgements: readonly Judgement[]): number {
  if (hasDisagreement(judgements)) return 2;
  return judgements.some(({ score }) => score !== null) ? 1 : 0;
}

/** Combines the calls into one comparison, in the order of the variants. */
function together(calls: readonly AskedCall[], { config }: Experiment): readonly Comparison<AskedCall>[] {
  const [first] = calls;
  if (first === undefined)
    throw new DomainError(
      "event-not-found",
      "None of these calls is stored with its texts: they were not sent, or the plan's retention is over.",
    );
  const same = calls.map((call) => ({ ...call, question: first.question }));
  const variants = [
    ...new Set([...config.variants.map(({ key }) => key), ...calls.map(({ variant }) => variant)]),
  ];
  const [compared] = compareAnswers(same, { variants, rank: () => 0 });
  const answers = variants.flatMap((variant) => {
    const call = calls.find((one) => one.variant === variant);
    return call === undefined ? [] : [{ call, likeness: questionLikeness(call.question, first.question) }];
  });
  return [
    { question: first.question, asked: calls.length, difference: compared?.difference ?? null, answers },
  ];
}

function hasText(text: string | undefined): (comparison: Comparison<AskedCall>) => boolean {
  if (text === undefined) return () => true;
  const wanted = text.toLowerCase();
  return ({ question, answers }) =>
    [question, ...answers.map(({ call }) => call.answer ?? "")].some((one) =>
      one.toLowerCase().includes(wanted),
    );
}

function inOrder(
  order: NonNullable<QueryOf<typeof operations.listComparisons>["order"]>,
  compared: readonly Comparison<AskedCall>[],
  judgements: Judgements,
): readonly Comparison<AskedCall>[] {
  const longest = ({ answers }: Comparison<AskedCall>) =>
    Math.max(...answers.map(({ call }) => call.answer?.length ?? 0));
  switch (order) {
    case "asked":
      return compared;
    case "difference":
      return compared.toSorted((one, other) => (other.difference ?? -1) - (one.difference ?? -1));
    case "longest":
      return compared.toSorted((one, other) => longest(other) - longest(one));
    case "failed":
      return compared.filter(({ answers }) => answers.some(({ call }) => call.hasFailed));
    case "disagreement":
      return compared.filter(({ answers }) =>
        answers.some(({ call }) => hasDisagreement(judgements.get(call.eventId) ?? [])),
      );
  }
}

async function summarizePicks(experiment: Experiment, { control }: Pick<Deps, "control">) {
  const picks = await control.picks.list(experiment.orgId, experiment.id, COUNTED_PICKS);
  const ids = [...new Set(picks.flatMap(({ calls }) => calls.map(({ eventId }) => eventId)))];
  const judgements = await control.judgements.listOfEvents(experiment.orgId, experiment.id, ids);
  const judges = rubricMetrics(experiment).map(({ name, metricVersion }) => {
    const scored = judgements.flatMap(({ metric, metricVersion: version, eventId, score }) =>
      metric === name && version === metricVersion && score !== null ? [[eventId, score] as const] : [],
    );
    return { metric: name, ...pickAgreement(picks, new Map(scored)) };
  });
  return { ...countPicks(picks), judges };
}
