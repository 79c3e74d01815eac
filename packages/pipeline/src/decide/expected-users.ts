import { type ArmExposure, DAY_MS, startOfDay } from "@assay/domain";
import { EXPECTED_USERS } from "@assay/stats";
import type { RunFrame } from "../run-frame.ts";
import type { Schedule } from "./schedule.ts";

type Frame = Pick<RunFrame, "experiment" | "nights" | "decision" | "until">;

/**
 * Estimates the users of control and each treatment by the planned end; confidence sequences are tuned to this number.
 * It comes from the plan, otherwise from the traffic so far, rounded to a power of two. It is fixed on the first night,
 * because all looks must share it, and it depends on no outcome.
 */
export function expectedUsers(
  { experiment, nights, decision, until }: Frame,
  exposures: readonly ArmExposure[],
  { startedOn, plannedEnd }: Schedule,
): Readonly<Record<string, number>> {
  const { control, plan } = experiment.config;
  const users = (arm: string) => exposures.reduce((sum, one) => sum + (one.arm === arm ? one.users : 0), 0);
  const all = exposures.reduce((sum, one) => sum + one.users, 0);
  const arms = new Set(exposures.map(({ arm }) => arm));
  const start = startOfDay(startedOn);
  const total =
    plan.expectedUsers ?? powerOfTwo((all * (plannedEnd - start)) / Math.max(DAY_MS, until - start));
  const isOlder = decision === null && nights.some(({ rows }) => Object.keys(rows).length > 0);
  const expected = (arm: string) =>
    isOlder
      ? EXPECTED_USERS
      : Math.max(1, Math.round((total * (users(control) + users(arm))) / Math.max(1, all)));
  const now = [...arms].filter((arm) => arm !== control).map((arm) => [arm, expected(arm)] as const);
  return { ...Object.fromEntries(now), ...decision?.expectedUsers };
}

/** Rounds coarsely, so that a few users more or fewer on the first night change no interval. */
function powerOfTwo(users: number): number {
  return 2 ** Math.round(Math.log2(Math.max(1, users)));
}
