import {
  type ControlPlane,
  chooseRepeats,
  type Day,
  dailyBudget,
  drawProbabilities,
  EARLY_CALLS,
  type Experiment,
  endOfDay,
  eventsOf,
  type JudgeableCall,
  type JudgeableCount,
  type JudgeableQuotas,
  judgeVersion,
  keptProbabilities,
  planSample,
  type RubricMetric,
  rubricMetrics,
  sampleSalt,
  seriesOf,
  startOfDay,
  takesAll,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { loadExclusions } from "../exclusions/load-exclusions.ts";
import { loadJudgeAllowance } from "./judge-allowance.ts";

export type DrawDeps = Pick<Deps, "control" | "events" | "snapshots" | "plans" | "clock" | "newId"> & {
  /** The judge's model. */
  readonly model: string;
};

/** `nothing`: there are no calls to draw, or the plan allows none now. This may change later. */
export type DrawOutcome = "drawn" | "drawn-before" | "nothing";

/**
 * Draws the calls of a finished day to judge. Repeating it draws nothing more. The draw does not depend on what was
 * judged early, so every call's probability is known.
 */
export async function drawDay(
  experiment: Experiment,
  { metric, day }: { readonly metric: RubricMetric; readonly day: Day },
  deps: DrawDeps,
): Promise<DrawOutcome> {
  const { control, model, clock } = deps;
  const series = seriesOf(experiment, metric);
  if ((await control.judgements.listPlannedDays(series)).includes(day)) return "drawn-before";
  const chosen = await chooseCalls(experiment, { metric, day }, deps);
  if (chosen === null) return "nothing";
  const { calls, counts, quotas, salt } = chosen;
  const probabilityOf = drawProbabilities(counts, quotas);
  const repeated = chooseRepeats(calls, salt);
  const plan = {
    ...series,
    day,
    judgeVersion: judgeVersion(model, metric.judge, experiment.config.unit),
    calls: callsByArm(counts),
    plannedAt: clock.now(),
  };
  const kept = keptProbabilities(calls);
  const drawn = calls.map(({ callsOfUser, samplingProbability: _, ...call }, i) => ({
    ...call,
    probability: kept[i]! * probabilityOf({ ...call, callsOfUser }),
    isRepeated: repeated.has(call.eventId),
  }));
  return (await control.judgements.putPlan(plan, drawn)) ? "drawn" : "drawn-before";
}

/**
 * Makes the judge score a day's first calls before the day is over: those that its draw would take if the day ended
 * now. Returns whether there is nothing more to do on this day.
 */
export async function drawEarly(
  experiment: Experiment,
  { metric, day }: { readonly metric: RubricMetric; readonly day: Day },
  deps: DrawDeps,
): Promise<boolean> {
  const { control, clock, model } = deps;
  const chosen = await chooseCalls(experiment, { metric, day, limit: EARLY_CALLS }, deps);
  if (chosen === null) return false;
  const plan = {
    ...seriesOf(experiment, metric),
    day,
    judgeVersion: judgeVersion(model, metric.judge, experiment.config.unit),
    plannedAt: clock.now(),
  };
  const calls = chosen.calls.map((call) => ({ ...call, probability: 0, isRepeated: false }));
  const judged = await control.judgements.putEarly(plan, calls, EARLY_CALLS);
  return judged === null || judged >= EARLY_CALLS;
}

interface Chosen {
  readonly calls: readonly JudgeableCall[];
  readonly counts: readonly JudgeableCount[];
  readonly quotas: JudgeableQuotas;
  readonly salt: string;
}

/** Chooses among the calls that a day has now. Null when there are none, or the plan allows none. */
async function chooseCalls(
  experiment: Experiment,
  {
    metric,
    day,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly metric: RubricMetric; readonly day: Day; readonly limit?: number },
  deps: DrawDeps,
): Promise<Chosen | null> {
  const allowed = await loadBudget(experiment.orgId, deps);
  if (allowed === 0) return null;
  const budget =
    allowed === null && limit === Number.POSITIVE_INFINITY ? null : Math.min(limit, allowed ?? limit);
  const salt = sampleSalt(seriesOf(experiment, metric), day);
  const rows = eventsOf(experiment, await loadExclusions(experiment, deps));
  const query = { ...rows, from: startOfDay(day), until: endOfDay(day), salt };
  const size = { sampleRate: metric.judge.sampleRate, budget };
  const all = takesAll(size) ? await deps.events.drawAllJudgeable(query) : null;
  const counts = all?.counts ?? (await deps.events.countJudgeable(query));
  const quotas = planSample(counts, size);
  if (!Object.values(quotas).some((ranks) => ranks.some((calls) => calls > 0))) return null;
  const calls = all?.calls ?? (await deps.events.drawJudgeable(query, quotas));
  return { calls, counts, quotas, salt };
}

/** Calls that one metric may draw today; null when unlimited. */
async function loadBudget(orgId: string, deps: DrawDeps): Promise<number | null> {
  const { control, clock } = deps;
  const { used, allowance } = await loadJudgeAllowance(orgId, deps);
  if (allowance === null) return null;
  const [pending, judgedMetrics] = await Promise.all([
    control.judgements.countPending(orgId),
    countJudged(orgId, control),
  ]);
  return dailyBudget({ allowance, used, pending, judgedMetrics, now: clock.now() });
}

async function countJudged(
  orgId: string,
  { experiments }: Pick<ControlPlane, "experiments">,
): Promise<number> {
  const all = await experiments.list(orgId);
  const live = all.filter(({ config, isDemo }) => config.status === "running" && !isDemo);
  return live.reduce((sum, experiment) => sum + rubricMetrics(experiment).length, 0);
}

function callsByArm(counts: readonly { readonly arm: string; readonly calls: number }[]) {
  const calls: Record<string, number> = {};
  for (const { arm, calls: ofRank } of counts) calls[arm] = (calls[arm] ?? 0) + ofRank;
  return calls;
}
