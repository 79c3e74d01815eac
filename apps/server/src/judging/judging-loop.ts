import { setTimeout as sleep } from "node:timers/promises";
import {
  createKeyedMutex,
  type Day,
  type Experiment,
  endOfDay,
  type RubricMetric,
  rubricMetrics,
  startOfDay,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { STOPPED_GRACE_MS } from "../pipeline/run-nightly.ts";
import { dueDays } from "../worker/nightly-schedule.ts";
import { waitForDrainOrWarn } from "../worker/wait-for-drain.ts";
import { type DrawOutcome, drawDay } from "./draw-day.ts";
import { createJudgeReports } from "./judge-reports.ts";
import { JudgementPool, type PoolDeps } from "./judgement-pool.ts";
import type { Judging } from "./judging.ts";
import { pinJudges } from "./pin-judges.ts";

const SETTLE_MS = 60_000;
const LOOK_FOR_HELD_MS = 500;
/** A day without calls to draw may still get some: events that come late, or a larger plan. */
const LOOK_AGAIN_MS = 3_600_000;

/** The judging of a process, with what its background tasks need. */
export interface JudgingLoop extends Judging {
  /** Draws the days of the last week that nobody has drawn; demos are left to their loader. */
  drawMissed(): Promise<void>;
  /** Tells the other processes how the judge does here. */
  report(): Promise<void>;
  /** Stops: what is under way is given back. */
  close(): Promise<void>;
}

export type JudgingDeps = Omit<Deps, "judging"> & Pick<PoolDeps, "endpoint" | "onlyId" | "isAsked">;

type DrawOne = (experiment: Experiment, metric: RubricMetric, day: Day) => Promise<DrawOutcome>;

/** The judging of an installation that knows no judge. */
export const noJudging: JudgingLoop = {
  status: async () => ({ model: null, fault: null, perMinute: 0 }),
  judgeDay: async () => undefined,
  wake: () => undefined,
  drawMissed: async () => undefined,
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
  /** When to look again at a day of a metric: never, once it is drawn. */
  const looks = new Map<string, number>();

  /** One after the other for an experiment: a day that the night draws is not counted a second time meanwhile. */
  function draw(experiment: Experiment, days: readonly Day[], drawOne: DrawOne): Promise<void> {
    return mutex(experiment.id, async () => {
      const pinned = await pinJudges(experiment, { ...deps, model });
      for (const metric of rubricMetrics(pinned))
        for (const day of days) {
          if (stopping.aborted) return;
          if (isJudgedOn(day, pinned, clock.now())) await drawOne(pinned, metric, day);
        }
    }).catch((error: unknown) => {
      log.error({ err: error, experimentId: experiment.id }, "calls could not be drawn for the judge");
    });
  }

  const drawNow: DrawOne = (experiment, metric, day) =>
    drawDay(experiment, { metric, day }, { ...deps, model });

  const drawWhenDue: DrawOne = async (experiment, metric, day) => {
    const key = `${day} ${experiment.id} ${metric.metricVersion} ${metric.name}`;
    if (clock.now() < (looks.get(key) ?? 0)) return "nothing";
    const outcome = await drawNow(experiment, metric, day);
    looks.set(key, outcome === "nothing" ? clock.now() + LOOK_AGAIN_MS : Number.POSITIVE_INFINITY);
    return outcome;
  };

  async function drawMissed(): Promise<void> {
    const days = dueDays(clock.now(), nightlyAtMinutes);
    for (const key of looks.keys()) if (!days.some((day) => key.startsWith(day))) looks.delete(key);
    const experiments = await control.experiments.listForNightly(clock.now() - STOPPED_GRACE_MS);
    const judged = experiments.filter((experiment) => rubricMetrics(experiment).length > 0);
    if (judged.length > 0) await waitForDrainOrWarn(SETTLE_MS, deps);
    for (const experiment of judged) await draw(experiment, days, drawWhenDue);
    pool.wake();
  }

  /** Other workers may hold some of an experiment's judgements, or a dead one until its lease is over. */
  async function finishAll({ orgId, id }: Experiment, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pool.finish(id, signal);
      if (signal.aborted || pool.fault !== null) return;
      if (!(await control.judgements.hasLease(orgId, id, clock.now()))) return;
      await sleep(LOOK_FOR_HELD_MS, undefined, { signal }).catch(() => undefined);
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
    wake() {
      if (!deps.isAsked) pool.wake();
    },
    drawMissed,
    report: () => reports.put(),
    async close() {
      await pool.close();
      await reports.remove();
    },
  };
}

/** Whether calls of a day are judged: it is over, and the experiment ran on it. */
function isJudgedOn(day: Day, { updatedAt, config }: Experiment, now: number): boolean {
  if (endOfDay(day) > now) return false;
  return config.status === "running" || (config.status === "stopped" && startOfDay(day) < updatedAt);
}
