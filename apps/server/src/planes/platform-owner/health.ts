import { admin as operations } from "@assay/contract";
import { addDays, dayOf } from "@assay/domain";
import type { Deps } from "../../deps.ts";
import { definePlatformRoute } from "../../http/define-route.ts";
import { checkDependencies, type DependencyCheck, withinDeadline } from "../../http/dependency-checks.ts";
import { VERSION } from "../../version.ts";
import { nextRunAt } from "../../worker/nightly-schedule.ts";

/** A healthy queue is emptied about twice a second. */
const LAG_SECONDS = 60;
const FAILURE_DAYS = 7;
const MAX_FAILURES = 50;
const NO_OUTCOMES = { computed: 0, withheld: 0, collecting: 0, failed: 0, running: 0 };

type HealthState = "ok" | "degraded" | "down";

export const getHealth = definePlatformRoute(operations.getHealth, async (_call, deps) => {
  const now = deps.clock.now();
  const [checks, pipeline, queue] = await Promise.all([
    checkDependencies(deps),
    loadPipeline(now, deps),
    readQueue(now, deps),
  ]);
  const dependencies = checks.map((check) => toDependency(check, queue));
  const states = new Set(dependencies.map(({ status }) => status));
  const isDegraded = states.has("degraded") || pipeline.failures.length > 0;
  const status: HealthState = states.has("down") ? "down" : isDegraded ? "degraded" : "ok";
  return {
    status,
    version: VERSION,
    startedAt: performance.timeOrigin,
    dependencies,
    queue,
    pipeline,
  };
});

function toDependency({ name, latencyMs, fault }: DependencyCheck, queue: Queue) {
  const lag = name === "queue" && fault === null ? lagOf(queue) : null;
  const status: HealthState = fault !== null ? "down" : lag !== null ? "degraded" : "ok";
  return { name, status, latencyMs, detail: fault ?? lag };
}

type Queue = Awaited<ReturnType<typeof readQueue>>;

/** Null when the queue does not answer. The dependency's check then says why. */
async function readQueue(now: number, { queue }: Pick<Deps, "queue">) {
  const depth = await withinDeadline(queue.depth()).catch(() => null);
  if (depth === null) return null;
  const { batches, bytes, oldestReceivedAt } = depth;
  const oldestAgeSeconds = oldestReceivedAt === null ? null : Math.max(0, now - oldestReceivedAt) / 1000;
  return { batches, bytes, oldestAgeSeconds };
}

function lagOf(queue: Queue): string | null {
  const age = queue?.oldestAgeSeconds ?? 0;
  if (age <= LAG_SECONDS) return null;
  return `The oldest batch has waited for ${Math.round(age)} s: the event store takes no events, or takes them more slowly than they arrive.`;
}

async function loadPipeline(now: number, { control, nightlyAtMinutes }: Deps) {
  const [lastDay, failed] = await Promise.all([
    control.admin.findLastPipelineDay(),
    control.admin.listFailedRuns(addDays(dayOf(now), -FAILURE_DAYS), MAX_FAILURES),
  ]);
  return {
    lastRun: lastDay && { ...lastDay, outcomes: { ...NO_OUTCOMES, ...lastDay.outcomes } },
    nextRunAt: nextRunAt(now, nightlyAtMinutes),
    failures: failed.map((run) => ({ ...run, name: run.experimentName })),
  };
}
