import { type Day, dayOf, type Experiment, endOfDay, startOfDay } from "@assay/domain";
import { runExperiment } from "@assay/pipeline";
import { pipelineDeps } from "../analysis/run-nightly.ts";
import type { Deps } from "../deps.ts";
import { startDemoJudging } from "./demo-judging.ts";
import { DEMO_LABELLED_NIGHT, demoDays } from "./demo-traffic.ts";
import { type DemoReader, labelDemo } from "./label-demo.ts";

/**
 * Judges and analyses each day of the demo's traffic that has no run yet, oldest first: the schedule leaves it alone. Before the
 * last nights readers label some answers, so that results are seen without their labels and with them.
 */
export async function runDemoNights(
  demo: Experiment,
  reader: Omit<DemoReader, "at">,
  deps: Deps,
): Promise<void> {
  const left: { readonly day: Day; readonly index: number }[] = [];
  for (const [index, day] of demoDays(dayOf(demo.createdAt)).entries())
    if (!(await isDone(demo, day, deps))) left.push({ day, index });
  if (left.length === 0) return;
  const judging = await startDemoJudging(demo, deps);
  try {
    for (const { day, index } of left) {
      if (index >= DEMO_LABELLED_NIGHT) await labelDemo(demo, { ...reader, at: startOfDay(day) }, deps);
      await judging.judgeDay(day);
      await runNight(demo, day, deps);
    }
  } finally {
    await judging.close();
  }
}

async function isDone({ id }: Experiment, day: Day, { control }: Deps): Promise<boolean> {
  const run = await control.pipelineRuns.find(id, day);
  return run !== null && run.outcome !== "running" && run.outcome !== "failed";
}

/**
 * Runs a night as at its midnight: with the clock of that instant it stands in the history where it would have stood. The lease
 * ends as it begins, so that a run that was cut off can be taken up at once; taken twice, it is computed twice and stored once.
 */
async function runNight(demo: Experiment, day: Day, deps: Deps): Promise<void> {
  const { pipelineRuns } = deps.control;
  const now = endOfDay(day);
  const night = { orgId: demo.orgId, experimentId: demo.id, day, now };
  await pipelineRuns.claim({ ...night, windowTo: now, leaseUntil: now });
  const asOfNight = { ...(await pipelineDeps(demo.orgId, deps)), clock: { now: () => now } };
  const label = { kind: "nightly", day } as const;
  const { outcome, detail } = await runExperiment(demo, { label, until: now }, asOfNight);
  await pipelineRuns.finish({ ...night, startedAt: now, outcome, detail });
}
