import type { Experiment } from "../experiment/config.ts";
import type { UnusualDay } from "../metering/unusual-use.ts";
import type { UsageMonth } from "../metering/usage-month.ts";
import { DAY_MS, type Day } from "../time/day.ts";
import { type Alert, alertedOf } from "./alert.ts";

/** How long an experiment has no exposures before an alert is raised. */
export const SILENCE_MS = DAY_MS;
/** How long the judge gives no scores before an alert is raised. Shorter faults usually end by themselves. */
export const JUDGE_DOWN_MS = 15 * 60_000;

const USAGE_SHARES = { "usage.80": 0.8, "usage.100": 1 } as const;

interface OrgUsage {
  readonly orgId: string;
  readonly month: UsageMonth;
  readonly events: number;
  readonly allowance: number;
}

/** Lists the shares of the allowance that the month's usage has reached. A changed allowance starts the alerts again. */
export function usageAlerts({ orgId, month, events, allowance }: OrgUsage, at: number): readonly Alert[] {
  return (["usage.80", "usage.100"] as const)
    .filter((type) => events >= allowance * USAGE_SHARES[type])
    .map((type) => ({ type, orgId, key: `${month} ${allowance}`, at, data: { month, events, allowance } }));
}

/** Whether a lack of exposures is worth an alert: the experiment is running and has not changed for a day. */
export function mustHaveTraffic(
  { config, updatedAt, isDemo }: Pick<Experiment, "config" | "updatedAt" | "isDemo">,
  now: number,
): boolean {
  return config.status === "running" && !isDemo && now - updatedAt >= SILENCE_MS;
}

/** The alert about an experiment without exposures. The day of the last exposure identifies the silence. */
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

/** The alert about a day with unusually many events from publishable keys. */
export function unusualKeyAlert(orgId: string, { day, events, limit }: UnusualDay, at: number): Alert {
  return { type: "key.unusual", orgId, key: day, at, data: { day, events, limit } };
}
