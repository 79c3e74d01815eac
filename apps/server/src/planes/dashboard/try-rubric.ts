import { judge as operations, TRIED_ANSWERS, type TryRubricBody, type ValueOf } from "@assay/contract";
import {
  costOf,
  DEFAULT_JUDGE_SCALE,
  DomainError,
  dayOf,
  type Experiment,
  type Judge,
  type JudgedText,
  monthOf,
  priceFor,
} from "@assay/domain";
import { inArms, loadAskedCalls } from "../../comparisons/asked-calls.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { judgeAllowanceUsed, judgeLock, loadJudgeAllowance } from "../../judging/judge-allowance.ts";
import type { JudgeReply } from "../../judging/judge-endpoint.ts";
import { loadJudgedTexts, loadPrompts } from "../../judging/load-questions.ts";
import { loadPrices } from "../../prices/price-lists.ts";

/** How many experiments are searched for answers when the request names none. */
const EXPERIMENTS = 5;
/** How many of the newest calls are searched for units. */
const CALLS_OF_UNITS = 300;
/** In bytes. The last call of a long conversation repeats the whole conversation. */
const LONGEST_PROMPT = 262_144;

export const tryRubric = defineRoute(operations.tryRubric, async ({ body, caller: { orgId } }, deps) => {
  const { control, judging, clock, rateLimits, stopping } = deps;
  const { model } = await judging.status();
  if (model === null)
    throw notAvailable("This installation has no judge: set ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL.");
  const allowed = await loadJudgeAllowance(orgId, deps);
  const refusal = judgeLock(allowed) ?? judgeAllowanceUsed(allowed);
  if (refusal !== null) throw notAvailable(refusal);
  rateLimits.searches.take(orgId);
  const left = (allowed.allowance ?? Number.POSITIVE_INFINITY) - allowed.used;
  const found = await findTried(orgId, body, deps);
  const tried = (found?.tried ?? []).slice(0, left);
  const judge: Judge = { scale: DEFAULT_JUDGE_SCALE, ...body.judge, sampleRate: 1 };
  const replies = await Promise.all(tried.map(({ judged }) => judging.ask({ judge, judged }, stopping)));
  const judgeEvaluations = replies.filter(({ kind }) => kind === "scored").length;
  if (judgeEvaluations > 0)
    await control.usage.addEvaluations({ orgId, month: monthOf(clock.now()), judgeEvaluations });
  return {
    model,
    experimentId: found?.experiment.id ?? null,
    experimentName: found?.experiment.config.name ?? null,
    unit: found?.experiment.config.unit ?? body.unit ?? "user",
    items: tried.map(({ eventId, judged }, place) => ({
      eventId,
      ...shownOf(judged),
      ...scoreOf(replies[place]!),
    })),
    costUsd: await costOfAll(replies, { orgId, model }, deps),
  };
});

function notAvailable(detail: string): DomainError {
  return new DomainError("judge-not-available", detail);
}

/** What a judge is asked to score. */
interface Tried {
  readonly eventId: string;
  readonly judged: JudgedText;
}

function shownOf(judged: JudgedText) {
  return "unit" in judged
    ? { question: null, answer: judged.text }
    : { question: judged.input, answer: judged.answer };
}

/**
 * Finds what a judge of the experiment would score. Without an experiment, takes the newest that has anything, demos
 * last; null when none has.
 */
async function findTried(
  orgId: string,
  { experimentId: id, unit }: ValueOf<typeof TryRubricBody>,
  deps: Deps,
): Promise<{ readonly experiment: Experiment; readonly tried: readonly Tried[] } | null> {
  const { experiments } = deps.control;
  const all =
    id === undefined
      ? (await experiments.list(orgId)).filter(({ config }) => unit === undefined || config.unit === unit)
      : [await experiments.get(orgId, id)];
  const ownFirst = all.toSorted((one, other) => Number(one.isDemo) - Number(other.isDemo));
  for (const experiment of ownFirst.slice(0, EXPERIMENTS)) {
    const tried = await (experiment.config.unit === "user" ? loadAnswers : loadUnits)(experiment, deps);
    if (tried.length > 0) return { experiment, tried };
  }
  return null;
}

async function loadAnswers(experiment: Experiment, deps: Deps): Promise<readonly Tried[]> {
  // Reads more calls than are shown, because some failed or have no question.
  const calls = await loadAskedCalls(experiment, { limit: 3 * TRIED_ANSWERS }, deps);
  const answered = calls.filter(
    (call): call is typeof call & { readonly answer: string } => call.answer !== null,
  );
  return ofEachVariant(answered).map(({ eventId, question, answer }) => ({
    eventId,
    judged: { input: question, answer },
  }));
}

/** Loads the transcripts of the newest conversations or runs, each up to its newest call, as a judge gets them. */
async function loadUnits(
  experiment: Experiment,
  { control, events }: Pick<Deps, "control" | "events">,
): Promise<readonly Tried[]> {
  const calls = await events.listCompared({
    ...{
      orgId: experiment.orgId,
      experimentId: experiment.id,
      prices: [],
      longestPrompt: LONGEST_PROMPT,
      answerLength: 1,
    },
    ...{ perVariant: CALLS_OF_UNITS, limit: CALLS_OF_UNITS },
  });
  const ofArms = await inArms(calls, experiment, { control, events });
  const newest = new Map(ofArms.toReversed().map((call) => [call.unitId, call]));
  newest.delete(null);
  const chosen = ofEachVariant([...newest.values()].reverse());
  const prompts = await loadPrompts(experiment, control);
  const texts = await loadJudgedTexts(experiment, chosen, { events, prompts });
  return chosen.flatMap(({ eventId }) => {
    const judged = texts.get(eventId);
    return judged === undefined ? [] : [{ eventId, judged }];
  });
}

/** Takes as many calls as are tried, equally many of each variant. */
function ofEachVariant<T extends { readonly variant: string }>(calls: readonly T[]): readonly T[] {
  const byVariant = [...Map.groupBy(calls, ({ variant }) => variant).values()];
  const share = Math.ceil(TRIED_ANSWERS / Math.max(1, byVariant.length));
  return byVariant.flatMap((ofVariant) => ofVariant.slice(0, share)).slice(0, TRIED_ANSWERS);
}

function scoreOf(reply: JudgeReply) {
  switch (reply.kind) {
    case "scored":
      return { score: reply.score, reason: reply.reason, detail: null };
    case "aborted":
      return { score: null, reason: null, detail: "The service is stopping: try again in a moment." };
    default:
      return { score: null, reason: null, detail: reply.detail };
  }
}

async function costOfAll(
  replies: readonly JudgeReply[],
  { orgId, model }: { readonly orgId: string; readonly model: string },
  deps: Deps,
): Promise<number | null> {
  const { prices } = await loadPrices(orgId, dayOf(deps.clock.now()), deps);
  const price = priceFor(prices, model);
  const costs = replies.map((reply) =>
    price !== null && "usage" in reply && reply.usage !== null ? costOf(reply.usage, price) : null,
  );
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost);
}
