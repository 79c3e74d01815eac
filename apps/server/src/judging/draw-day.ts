import {
  type ControlPlane,
  chooseRepeats,
  type Day,
  dailyBudget,
  drawProbabilities,
  type Experiment,
  endOfDay,
  judgeVersion,
  planSample,
  type RubricMetric,
  rubricMetrics,
  sampleSalt,
  seriesOf,
  startOfDay,
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

/** Draws the calls of a finished day to judge. Repeated calls draw nothing more. */
export async function drawDay(
  experiment: Experiment,
  { metric, day }: { readonly metric: RubricMetric; readonly day: Day },
  deps: DrawDeps,
): Promise<DrawOutcome> {
  const { control, events, model, clock } = deps;
  const series = seriesOf(experiment, metric);
  if ((await control.judgements.listPlannedDays(series)).includes(day)) return "drawn-before";
  const { orgId, experimentId } = series;
  const budget = await loadBudget(orgId, deps);
  if (budget === 0) return "nothing";
  const salt = sampleSalt(series, day);
  const exclusions = await loadExclusions(experiment, deps);
  const query = { orgId, experimentId, exclusions, from: startOfDay(day), until: endOfDay(day), salt };
  const counts = await events.countJudgeable(query);
  const quotas = planSample(counts, { sampleRate: metric.judge.sampleRate, budget });
  if (!Object.values(quotas).some((ranks) => ranks.some((calls) => calls > 0))) return "nothing";
  const calls = await events.drawJudgeable(query, quotas);
  const probabilityOf = drawProbabilities(counts, quotas);
  const repeated = chooseRepeats(calls, salt);
  const plan = {
    ...series,
    day,
    judgeVersion: judgeVersion(model, metric.judge),
    calls: callsByArm(counts),
    plannedAt: clock.now(),
  };
  const drawn = calls.map(({ callsOfUser, ...call }) => ({
    ...call,
    probability: probabilityOf({ ...call, callsOfUser }),
    isRepeated: repeated.has(call.eventId),
  }));
  return (await control.judgements.putPlan(plan, drawn)) ? "drawn" : "drawn-before";
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
