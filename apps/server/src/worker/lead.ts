import { hasRubricMetric, type LeaderElection } from "@assay/domain";
import { createDispatcher } from "../alerts/dispatcher.ts";
import { findQuickFacts, findSlowFacts } from "../alerts/find-facts.ts";
import { reportOverage } from "../billing/report-overage.ts";
import type { Deps } from "../deps.ts";
import { guardTask } from "../guard/watch-experiments.ts";
import { holdbackTask } from "../holdback/watch-holdbacks.ts";
import type { JudgingLoop } from "../judging/judging-loop.ts";
import { traceTask } from "../otlp/settle-traces.ts";
import type { RehearsingLoop } from "../rehearsals/rehearsing-loop.ts";
import { rehearsalTask } from "../rehearsals/sweep-rehearsals.ts";
import type { Settings } from "../settings.ts";
import { dueNights, NIGHT_INTERVAL_MS } from "./due-nights.ts";
import { erasureTask } from "./erasure.ts";
import { removalTask } from "./removals.ts";
import { type Repeated, repeat } from "./repeat.ts";
import { retentionTask } from "./retention.ts";
import { upgradeTask } from "./upgrade.ts";

const SWEEP_INTERVAL_MS = 10 * 60_000;
const DRAW_INTERVAL_MS = 10 * 60_000;
/** With the meter's interval and the judge's answer, a first score takes less than a minute. */
const EARLY_DRAW_INTERVAL_MS = 15_000;
/** How soon a first erasure begins; passes are an hour apart. */
const ERASURE_INTERVAL_MS = 15_000;
/** With the time until an event is stored, harm is held within a minute of the event that shows it. */
const GUARD_INTERVAL_MS = 30_000;
const TRACE_INTERVAL_MS = 2_000;
const RECOUNT_INTERVAL_MS = 3_600_000;
const OVERAGE_INTERVAL_MS = 3_600_000;
const ALERT_INTERVAL_MS = 1_000;
const QUICK_FACTS_INTERVAL_MS = 60_000;
const SLOW_FACTS_INTERVAL_MS = 3_600_000;
const UPGRADE_INTERVAL_MS = 60_000;
const SEAT_CAPS_INTERVAL_MS = 24 * 3_600_000;

/** What the background work needs. */
export type WorkerDeps = Deps & { readonly judging: JudgingLoop; readonly rehearsing: RehearsingLoop };

/** Competes for leadership: a single process runs the schedule, the sweeps and other tasks that must run once. */
export function standForLead(settings: Settings, deps: WorkerDeps): LeaderElection {
  return deps.control.electLeader(async (leading) => {
    deps.log.info("this process is now the leader and runs the schedule and the sweeps");
    deps.metrics.leader.set(1);
    const stopping = AbortSignal.any([leading, deps.stopping]);
    const tasks = startTasks(settings, { ...deps, stopping });
    await ended(leading);
    deps.metrics.leader.set(0);
    await Promise.all(tasks.map((task) => task.stop()));
    deps.log.info("this process is no longer the leader");
  });
}

function startTasks(settings: Settings, deps: WorkerDeps): readonly Repeated[] {
  const { log, meter, judging } = deps;
  const tasks = [
    // These nights begin by drawing calls, which one process does. All workers share the others (`start-workers.ts`).
    repeat("judged-nights", NIGHT_INTERVAL_MS, dueNights(hasRubricMetric, settings, deps), log),
    repeat("judge-draws", DRAW_INTERVAL_MS, () => judging.drawMissed(), log),
    repeat("early-judge-draws", EARLY_DRAW_INTERVAL_MS, () => judging.drawEarly(), log),
    // A killed process that is not restarted leaves the events it stored uncounted.
    repeat("erasure", ERASURE_INTERVAL_MS, erasureTask(deps), log),
    repeat("recount", RECOUNT_INTERVAL_MS, () => recount(meter), log),
    repeat("traces", TRACE_INTERVAL_MS, traceTask(deps), log),
    repeat("guard", GUARD_INTERVAL_MS, guardTask(deps), log),
    repeat("holdbacks", SWEEP_INTERVAL_MS, holdbackTask(deps), log),
    repeat("rehearsals", SWEEP_INTERVAL_MS, rehearsalTask(deps), log),
    repeat("event-store-upgrade", UPGRADE_INTERVAL_MS, upgradeTask(deps), log),
    repeat("removals", SWEEP_INTERVAL_MS, removalTask(deps), log),
    deliverAlerts(deps),
    repeat("alerts-quick-facts", QUICK_FACTS_INTERVAL_MS, () => findQuickFacts(deps), log),
    repeat("alerts-slow-facts", SLOW_FACTS_INTERVAL_MS, () => findSlowFacts(deps), log),
  ];
  if (!settings.enforcePlanLimits) return tasks;
  tasks.push(repeat("retention", SWEEP_INTERVAL_MS, retentionTask(deps), log));
  if (deps.billing?.meterOverage)
    tasks.push(repeat("overage", OVERAGE_INTERVAL_MS, () => reportOverage(deps), log));
  // A downgrade scheduled for the end of a billing cycle takes effect without an event.
  if (deps.seatCaps.isPushed)
    tasks.push(repeat("seat-caps", SEAT_CAPS_INTERVAL_MS, () => pushSeatCaps(deps), log));
  return tasks;
}

function deliverAlerts(deps: WorkerDeps): Repeated {
  const dispatcher = createDispatcher(deps);
  const task = repeat("alerts", ALERT_INTERVAL_MS, () => dispatcher.run(), deps.log);
  return {
    async stop() {
      await task.stop();
      await dispatcher.settle();
    },
  };
}

async function recount(meter: WorkerDeps["meter"]): Promise<void> {
  meter.touchAll();
  await meter.run();
}

async function pushSeatCaps({ seatCaps, log }: WorkerDeps): Promise<void> {
  const failed = (await seatCaps.resync()).filter(({ fault }) => fault !== null);
  if (failed.length > 0) log.warn({ failed }, "the identity provider did not accept all seat caps");
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
