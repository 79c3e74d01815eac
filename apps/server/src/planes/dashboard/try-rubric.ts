import { judge as operations, TRIED_ANSWERS } from "@assay/contract";
import {
  costOf,
  DEFAULT_JUDGE_SCALE,
  DomainError,
  dayOf,
  type Experiment,
  type Judge,
  monthOf,
  priceFor,
} from "@assay/domain";
import { type AskedCall, loadAskedCalls } from "../../comparisons/asked-calls.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { judgeAllowanceUsed, judgeLock, loadJudgeAllowance } from "../../judging/judge-allowance.ts";
import type { JudgeReply } from "../../judging/judge-endpoint.ts";
import { loadPrices } from "../../prices/price-lists.ts";

/** Experiments whose calls are looked at for answers when none is named. */
const EXPERIMENTS = 5;

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
  const found = await findAnswers(orgId, body.experimentId, deps);
  const calls = (found?.calls ?? []).slice(0, left);
  const judge: Judge = { scale: DEFAULT_JUDGE_SCALE, ...body.judge, sampleRate: 1 };
  const replies = await Promise.all(
    calls.map(({ question, answer }) =>
      judging.ask({ judge, judged: { input: question, answer } }, stopping),
    ),
  );
  const judgeEvaluations = replies.filter(({ kind }) => kind === "scored").length;
  if (judgeEvaluations > 0)
    await control.usage.addEvaluations({ orgId, month: monthOf(clock.now()), judgeEvaluations });
  return {
    model,
    experimentId: found?.experiment.id ?? null,
    experimentName: found?.experiment.config.name ?? null,
    items: calls.map(({ eventId, question, answer }, place) => ({
      ...{ eventId, question, answer },
      ...scoreOf(replies[place]!),
    })),
    costUsd: await costOfAll(replies, { orgId, model }, deps),
  };
});

function notAvailable(detail: string): DomainError {
  return new DomainError("judge-not-available", detail);
}

type Answered = AskedCall & { readonly answer: string };

/**
 * Finds the newest answers of the experiment, or of the newest one that has any, demos last; null when there are none.
 */
async function findAnswers(orgId: string, id: string | undefined, deps: Deps) {
  const { experiments } = deps.control;
  const all = id === undefined ? await experiments.list(orgId) : [await experiments.get(orgId, id)];
  const ownFirst = all.toSorted((one, other) => Number(one.isDemo) - Number(other.isDemo));
  for (const experiment of ownFirst.slice(0, EXPERIMENTS)) {
    const calls = await loadAnswers(experiment, deps);
    if (calls.length > 0) return { experiment, calls };
  }
  return null;
}

async function loadAnswers(experiment: Experiment, deps: Deps): Promise<readonly Answered[]> {
  // Some calls failed or have no question: a few more are read than shown.
  const calls = await loadAskedCalls(experiment, { limit: 3 * TRIED_ANSWERS }, deps);
  const answered = calls.filter((call): call is Answered => call.answer !== null);
  const byVariant = [...Map.groupBy(answered, ({ variant }) => variant).values()];
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
