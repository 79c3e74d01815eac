import {
  type ArmExposure,
  DAY_MS,
  type Day,
  DEFAULT_HORIZON_WEEKS,
  dayOf,
  type PlanChange,
  startOfDay,
} from "@assay/domain";
import { usersByDay } from "../recent-users.ts";
import type { RunFrame } from "../run-frame.ts";

const WEEK_MS = 7 * DAY_MS;
/**
 * An experiment starts on the day by which this share of its users had arrived, so a few early events do not start it.
 */
const STARTING_SHARE = 0.01;

/** When an experiment may be decided, in epoch milliseconds. */
export interface Schedule {
  /** The day on which the experiment started. */
  readonly startedOn: Day;
  readonly earliestEnd: number;
  readonly plannedEnd: number;
}

/**
 * Computes the schedule of a plan: whole weeks from the start, so that each day of the week has the same weight. The
 * first night with rows fixes the start.
 */
export function scheduleOf(
  { experiment, decision, until }: Pick<RunFrame, "experiment" | "decision" | "until">,
  exposures: readonly Pick<ArmExposure, "usersByDay">[],
): Schedule {
  const startedOn = decision?.startedOn ?? startOf(exposures) ?? dayOf(until - 1);
  const { horizonWeeks, minWeeks } = experiment.config.plan;
  const start = startOfDay(startedOn);
  // An experiment older than decision plans has no horizon.
  const weeks = horizonWeeks ?? Math.max(minWeeks, DEFAULT_HORIZON_WEEKS);
  return { startedOn, earliestEnd: start + minWeeks * WEEK_MS, plannedEnd: start + weeks * WEEK_MS };
}

/** Null without users. */
function startOf(exposures: readonly Pick<ArmExposure, "usersByDay">[]): Day | null {
  const perDay = usersByDay(exposures);
  const days = [...perDay.keys()].sort();
  const all = [...perDay.values()].reduce((sum, users) => sum + users, 0);
  let users = 0;
  for (const day of days) {
    users += perDay.get(day)!;
    if (users >= STARTING_SHARE * all) return day;
  }
  return null;
}

/** Lists the changes of the plan between the start and the cut-off, oldest first. */
export function planChangesSince(
  startedOn: Day,
  { planChanges, until }: Pick<RunFrame, "planChanges" | "until">,
): readonly PlanChange[] {
  return planChanges.filter(({ at }) => at >= startOfDay(startedOn) && at < until);
}
