import {
  type AlertType,
  DAY_MS,
  type Day,
  DELIVERY_RETENTION_MS,
  dayOf,
  type Experiment,
  endOfDay,
  eventsOf,
  firstDayOfUse,
  hasRubricMetric,
  JUDGE_DOWN_MS,
  monthOf,
  mustHaveTraffic,
  PLAN_LIMITS,
  SILENCE_MS,
  silenceAlert,
  startOfDay,
  unusualDays,
  unusualKeyAlert,
  usageAlerts,
} from "@assay/domain";
import type { Deps } from "../deps.ts";

type FactDeps = Pick<Deps, "control" | "events" | "clock" | "plans" | "stopping" | "log"> & {
  readonly judging: Pick<Deps["judging"], "status">;
};

/** Raises alerts about what only the events show, in orgs that subscribe to them, and removes old alerts. */
export async function findSlowFacts(deps: FactDeps): Promise<void> {
  const { control, clock } = deps;
  await inOrgs("experiment.no_traffic", findSilence, deps);
  await inOrgs("key.unusual", findUnusualUse, deps);
  await control.alerts.expire(clock.now() - DELIVERY_RETENTION_MS);
  await control.alerts.removeOfDeletedOrgs();
}

/** Does the work in each org that subscribes to the type. A failure in one org does not affect the others. */
async function inOrgs(
  type: AlertType,
  work: (orgId: string, deps: FactDeps) => Promise<void>,
  deps: FactDeps,
): Promise<void> {
  for (const orgId of await deps.control.alertChannels.listTakers(type))
    await work(orgId, deps).catch((error: unknown) =>
      deps.log.warn({ err: error, orgId, type }, "could not check an org for alerts; this is retried"),
    );
}

/** Raises what the control plane and the judging know. */
export async function findQuickFacts(deps: FactDeps): Promise<void> {
  await findUsage(deps);
  await findJudgeFault(deps);
}

async function findSilence(orgId: string, { control, events, clock, stopping }: FactDeps): Promise<void> {
  for (const experiment of await control.experiments.list(orgId)) {
    const now = clock.now();
    if (stopping.aborted) return;
    if (!mustHaveTraffic(experiment, now)) continue;
    const lastOn = await silentSince(experiment, now, events);
    if (lastOn !== null) await control.alerts.raise(silenceAlert(experiment, lastOn, now));
  }
}

/** Returns the last day with exposures, if there were none in the last 24 hours; null if there were, or never any. */
async function silentSince(
  experiment: Experiment,
  now: number,
  events: FactDeps["events"],
): Promise<Day | null> {
  const rows = eventsOf(experiment, []);
  // Clocks of senders may run ahead.
  const recent = { ...rows, from: now - SILENCE_MS, until: now + DAY_MS };
  if ((await events.exposuresByMinute(recent)).length > 0) return null;
  return (await events.traffic(rows)).at(-1)?.day ?? null;
}

/** An older day is no news: the dashboard lists it. */
async function findUnusualUse(orgId: string, { control, events, clock, stopping }: FactDeps): Promise<void> {
  if (stopping.aborted || (await control.keys.find(orgId, "publishable")) === null) return;
  const now = clock.now();
  const today = dayOf(now);
  const range = { from: startOfDay(firstDayOfUse(today)), until: endOfDay(today) };
  for (const unusual of unusualDays(await events.countPublicByDay(orgId, range), today))
    if (unusual.day >= dayOf(now - DAY_MS)) await control.alerts.raise(unusualKeyAlert(orgId, unusual, now));
}

/** Without enforced plans, an allowance means nothing. */
async function findUsage({ control, clock, plans }: FactDeps): Promise<void> {
  if (!plans.isEnforced) return;
  const now = clock.now();
  const month = monthOf(now);
  const takers = [
    ...(await control.alertChannels.listTakers("usage.80")),
    ...(await control.alertChannels.listTakers("usage.100")),
  ];
  for (const orgId of new Set(takers)) {
    const { monthlyEventAllowance: allowance } = PLAN_LIMITS[await plans.inForce(orgId)];
    if (allowance === null) continue;
    const { events } = await control.usage.get(orgId, month);
    for (const alert of usageAlerts({ orgId, month, events, allowance }, now))
      await control.alerts.raise(alert);
  }
}

/** A fault ends when a score arrives. A process that has just started has not asked the judge yet, which means nothing. */
async function findJudgeFault({ control, clock, judging }: FactDeps): Promise<void> {
  const { model, fault, perMinute } = await judging.status();
  if (model === null) return;
  const now = clock.now();
  if (fault === null) {
    if (perMinute > 0) await control.alerts.endAll("judge.down", now);
    return;
  }
  if (now - fault.since < JUDGE_DOWN_MS) return;
  for (const orgId of await control.alertChannels.listTakers("judge.down")) {
    const experiments = await control.experiments.list(orgId);
    if (!experiments.some((one) => one.config.status === "running" && hasRubricMetric(one))) continue;
    const data = { model, detail: fault.detail, since: fault.since };
    await control.alerts.raise({ type: "judge.down", orgId, key: "judge", at: now, data });
  }
}
