import { setTimeout as sleep } from "node:timers/promises";
import {
  createKeyedMutex,
  type Day,
  type Experiment,
  endOfDay,
  hasEnded,
  hasRubricMetric,
  type RubricMetric,
  rubricMetrics,
  startOfDay,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { STOPPED_GRACE_MS } from "../pipeline/run-nightly.ts";
import { dueDays } from "../worker/nightly-schedule.ts";
import { waitForDrainOrWarn } from "../worker/wait-for-drain.ts";
import { type DrawOutcome, drawDay } from "./draw-day.ts";
import { createEarlyDraws, type DrawMetric } from "./early-draws.ts";
import { createJudgeReports } from "./judge-reports.ts";
import { JudgementPool, type PoolDeps } from "./judgement-pool.ts";
import type { Judging } from "./judging.ts";
import { pinJudges } from "./pin-judges.ts";

const SETTLE_MS = 60_000;
const HELD_POLL_MS = 500;
/** How often a day without calls to draw is checked again: events may arrive late, or the plan may become larger. */
const RECHECK_MS = 3_600_000;

/** The judging of a process, including its background tasks. */
export interface JudgingLoop extends Judging {
  /** Draws the days of the last week that are not drawn yet; demos are drawn by their loader. */
  drawMissed(): Promise<void>;
  /** Has the first calls of the current day judged. */
  drawEarly(): Promise<void>;
  /** Reports the judge's state in this process to the other processes. */
  report(): Promise<void>;
  /** Stops, and releases what is claimed. */
  close(): Promise<void>;
}

export type JudgingDeps = Omit<Deps, "judging" | "rehearsing"> &
  Pick<PoolDeps, "endpoint" | "onlyId" | "isAsked">;

type DrawOne = (experiment: Experiment, metric: RubricMetric, day: Day) => Promise<DrawOutcome>;

/** The judging of an installation without a judge. */
export const noJudging: JudgingLoop = {
  status: async () => ({ model: null, fault: null, perMinute: 0 }),
  judgeDay: async () => undefined,
  ask: async () => ({ kind: "aborted" }),
  wake: () => undefined,
  drawMissed: async () => undefined,
  drawEarly: async () => undefined,
  report: async () => undefined,
  close: async () => undefined,
};

/** Makes the judging of a process. */
export function createJudging(deps: JudgingDeps): JudgingLoop {
  const { control, clock, log, stopping, nightlyAtMinutes } = deps;
  const { model } = deps.endpoint;
  const pool = new JudgementPool(deps);
  const reports = createJudgeReports(pool, deps);
  const mutex = createKeyedMutex();
  /** When to check a day of a metric again: never, once it is drawn. */
  const checkAt = new Map<string, number>();

  /** One draw at a time per experiment, so that a day drawn by the nightly run is not counted twice. */
  function drawMetrics(experiment: Experiment, drawOne: DrawMetric): Promise<void> {
    return mutex(experiment.id, async () => {
      const pinned = await pinJudges(experiment, { ...deps, model });
      for (const metric of rubricMetrics(pinned)) if (!stopping.aborted) await drawOne(pinned, metric);
    }).catch((error: unknown) => {
      log.error({ err: error, experimentId: experiment.id }, "could not draw calls for the judge");
    });
  }

  const draw = (experiment: Experiment, days: readonly Day[], drawOne: DrawOne) =>
    drawMetrics(experiment, async (pinned, metric) => {
      for (const day of days)
        if (!stopping.aborted && isJudgedOn(day, pinned, clock.now())) await drawOne(pinned, metric, day);
    });

  const drawNow: DrawOne = (experiment, metric, day) =>
    drawDay(experiment, { metric, day }, { ...deps, model });

  const drawWhenDue: DrawOne = async (experiment, metric, day) => {
    const key = `${day} ${experiment.id} ${metric.metricVersion} ${metric.name}`;
    if (clock.now() < (checkAt.get(key) ?? 0)) return "nothing";
    const outcome = await drawNow(experiment, metric, day);
    checkAt.set(key, outcome === "nothing" ? clock.now() + RECHECK_MS : Number.POSITIVE_INFINITY);
    return outcome;
  };

  async function drawMissed(): Promise<void> {
    const days = dueDays(clock.now(), nightlyAtMinutes);
    for (const key of checkAt.keys()) if (!days.some((day) => key.startsWith(day))) checkAt.delete(key);
    const experiments = await control.experiments.listForNightly(clock.now() - STOPPED_GRACE_MS);
    const judged = experiments.filter(hasRubricMetric);
    if (judged.length > 0) await waitForDrainOrWarn(SETTLE_MS, deps);
    for (const experiment of judged) await draw(experiment, days, drawWhenDue);
    pool.wake();
  }

  /** Waits for all judgements of an experiment, including other workers', and a dead worker's until the lease expires. */
  async function finishAll({ orgId, id }: Experiment, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pool.finish(id, signal);
      if (signal.aborted || pool.fault !== null) return;
      if (!(await control.judgements.hasLease(orgId, id, clock.now()))) return;
      await sleep(HELD_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    status: async () => ({ model, ...(await reports.all()) }),
    async judgeDay(day, experiments, { timeoutMs }) {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping]);
      for (const experiment of experiments) await draw(experiment, [day], drawNow);
      pool.wake();
      await Promise.all(experiments.map((experiment) => finishAll(experiment, signal)));
    },
    ask: (question, signal) => deps.endpoint.ask({ ...question, idempotencyKey: deps.newId(), signal }),
    wake() {
      if (!deps.isAsked) pool.wake();
    },
    drawMissed,
    drawEarly: createEarlyDraws(drawMetrics, { ...deps, model }),
    report: () => reports.put(),
    async close() {
      await pool.close();
      await reports.remove();
    },
  };
}

/** Whether calls of a day are judged: the day is over, and the experiment ran on it. */
function isJudgedOn(day: Day, { updatedAt, config }: Experiment, now: number): boolean {
  if (endOfDay(day) > now) return false;
  return config.status === "running" || (hasEnded(config.status) && startOfDay(day) < updatedAt);
}
