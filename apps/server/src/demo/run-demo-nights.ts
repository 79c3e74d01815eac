import { type Day, dayOf, type Experiment, endOfDay, startOfDay } from "@assay/domain";
import { runExperiment } from "@assay/pipeline";
import type { Deps } from "../deps.ts";
import { createJudging } from "../judging/judging-loop.ts";
import { openaiJudge } from "../judging/openai-judge.ts";
import { isFinished, pipelineDeps } from "../pipeline/run-nightly.ts";
import type { Demo } from "./demo-definition.ts";
import { startDemoJudge } from "./demo-judge.ts";
import { DEMO_LABELLED_NIGHT, demoDays } from "./demo-traffic.ts";
import { labelDemo } from "./label-demo.ts";

const JUDGING_TIMEOUT_MS = 60_000;

/** Identifies the demo experiment and the person who loads it. */
interface DemoLoad {
  readonly demo: Demo;
  readonly loaderId: string;
}

/**
 * Judges and analyzes each day of the demo's traffic that has no run yet, oldest first, since the schedule skips demos. Before the last
 * nights, readers label some answers, so that there are results with and without labels.
 */
export async function runDemoNights(
  experiment: Experiment,
  { demo, loaderId }: DemoLoad,
  deps: Deps,
): Promise<void> {
  const left: { readonly day: Day; readonly index: number }[] = [];
  for (const [index, day] of demoDays(dayOf(experiment.createdAt)).entries())
    if (!isFinished(await deps.control.pipelineRuns.find(experiment.id, day))) left.push({ day, index });
  if (left.length === 0) return;
  const judging = await startDemoJudging(experiment, deps);
  try {
    for (const [place, { day, index }] of left.entries()) {
      if (index >= DEMO_LABELLED_NIGHT)
        await labelDemo(experiment, { demo, loaderId, at: startOfDay(day) }, deps);
      // The first day, or one whose readers came before its judge.
      await judging.judgeDay(day);
      const next = left[place + 1];
      // A night does not see the next day's scores, so it need not wait for them. Readers see all scores.
      const isNextJudged = next !== undefined && next.index < DEMO_LABELLED_NIGHT;
      await Promise.all([
        runNight(experiment, day, deps),
        ...(isNextJudged ? [judging.judgeDay(next.day)] : []),
      ]);
    }
  } finally {
    await judging.close();
  }
}

/**
 * Runs a night with the clock at its midnight, so that it gets its proper place in the history. The lease expires at once, so that an
 * interrupted run can be repeated immediately; a run that two processes compute is stored once.
 */
async function runNight(experiment: Experiment, day: Day, deps: Deps): Promise<void> {
  const { pipelineRuns } = deps.control;
  const now = endOfDay(day);
  const night = { orgId: experiment.orgId, experimentId: experiment.id, day, now };
  await pipelineRuns.claim({ ...night, windowTo: now, leaseUntil: now });
  const asOfNight = { ...(await pipelineDeps(experiment.orgId, deps)), clock: { now: () => now } };
  const label = { kind: "nightly", day } as const;
  const { outcome, detail } = await runExperiment(experiment, { label, until: now }, asOfNight);
  await pipelineRuns.finish({ ...night, startedAt: now, outcome, detail });
}

/** The judging of a demo while it is loaded. */
interface DemoJudging {
  /** Draws from a day's calls and has all of them judged. */
  judgeDay(day: Day): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the demo's own judge and the judging of the demo, on the same path as any experiment's. It is not limited by a plan and not
 * metered, because no model is called.
 */
async function startDemoJudging(experiment: Experiment, deps: Deps): Promise<DemoJudging> {
  const judge = await startDemoJudge();
  const endpoint = await openaiJudge({ url: judge.url, model: judge.model, apiKey: null });
  const plans = { ...deps.plans, isEnforced: false };
  const judging = createJudging({ ...deps, plans, endpoint, onlyId: experiment.id });
  return {
    judgeDay: (day) => judging.judgeDay(day, [experiment], { timeoutMs: JUDGING_TIMEOUT_MS }),
    async close() {
      await judging.close();
      await judge.close();
    },
  };
}
