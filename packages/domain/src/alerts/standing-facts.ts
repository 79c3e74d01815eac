import type { Experiment } from "../experiment/config.ts";
import type { UnusualDay } from "../metering/unusual-use.ts";
import type { UsageMonth } from "../metering/usage-month.ts";
import { DAY_MS, type Day } from "../time/day.ts";
import { type Alert, alertedOf } from "./alert.ts";

/** How long an experiment is without exposures before that is an alert. */
export const SILENCE_MS = DAY_MS;
/** How long the judge gives no scores before that is an alert: shorter faults are usually over by themselves. */
export const JUDGE_DOWN_MS = 15 * 60_000;

const USAGE_SHARES = { "usage.80": 0.8, "usage.100": 1 } as const;

interface OrgUsage {
  readonly orgId: string;
  readonly month: UsageMonth;
  readonly events: number;
  readonly allowance: number;
}

/** Lists what the month's usage has reached. A larger allowance in the same month is reached anew. */
export function usageAlerts({ orgId, month, events, allowance }: OrgUsage, at: number): readonly Alert[] {
  return (["usage.80", "usage.100"] as const)
    .filter((type) => events >= allowance * USAGE_SHARES[type])
    .map((type) => ({ type, orgId, key: `${month} ${allowance}`, at, data: { month, events, allowance } }));
}

/** Whether a lack of exposures means something: the experiment runs, and nothing was changed for a day. */
export function mustHaveTraffic(
  { config, updatedAt, isDemo }: Pick<Experiment, "config" | "updatedAt" | "isDemo">,
  now: number,
): boolean {
  return config.status === "running" && !isDemo && now - updatedAt >= SILENCE_MS;
}

/** The alert of a silent experiment. Each silence is a fact of its own: it has another last day of exposures. */
export function silenceAlert(
  experiment: Pick<Experiment, "orgId" | "id" | "config">,
  lastExposureOn: Day,
  at: number,
): Alert {
  const { orgId, id } = experiment;
  return {
    ...{ type: "experiment.no_traffic", orgId, key: `${id} ${lastExposureOn}`, at },
    data: { experiment: alertedOf(experiment), lastExposureOn },
  };
}

/** The alert of an unusual day of the publishable key. */
export function unusualKeyAlert(orgId: string, { day, events, limit }: UnusualDay, at: number): Alert {
  return { type: "key.unusual", orgId, key: day, at, data: { day, events, limit } };
}
