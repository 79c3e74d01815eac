import {
  type ConfigPlan,
  experiments as operations,
  type PlanRequest,
  toConfigInput,
  type ValueOf,
} from "@assay/contract";
import {
  allocationPeriods,
  type Baseline,
  type BucketMap,
  type Day,
  dayOf,
  effectiveAllocation,
  firstVersion,
  type MetricDefinition,
  type VersionContent,
} from "@assay/domain";
import {
  ALPHA,
  historyBaseline,
  medianNewUsers,
  type PlanBaseline,
  type PlanRow,
  planExperiment,
  shareSd,
} from "@assay/pipeline";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { loadHistory } from "./plan-history.ts";
import { faultsUnder, rejectUnfit, type SentBaselines } from "./plan-request.ts";

const DEFAULTS = { days: 14, power: 0.8, alpha: ALPHA };

type Plan = ValueOf<typeof ConfigPlan>;
type Request = ValueOf<typeof PlanRequest>;
type Shares = Readonly<Record<string, number>>;

/** The experiment that is planned, stored or not. */
interface Planned extends VersionContent {
  readonly orgId: string;
  readonly isDemo: boolean;
}

export const postPlan = defineRoute(operations.planExperiment, async ({ params, body, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  const { id, version, config } = experiment;
  rejectRequest(body, config.metrics);
  return { experimentId: id, version, ...(await plan(experiment, body, deps)) };
});

export const postConfigPlan = defineRoute(operations.planConfig, async ({ body, caller }, deps) => {
  const content = faultsUnder("/experiment", () => firstVersion(toConfigInput(body.experiment)));
  const request = body.plan ?? {};
  faultsUnder("/plan", () => rejectRequest(request, content.config.metrics));
  return plan({ ...content, orgId: caller.orgId, isDemo: false }, request, deps);
});

const sentBaselines = ({ baselines }: Request): SentBaselines => new Map(Object.entries(baselines ?? {}));

function rejectRequest(request: Request, metrics: readonly MetricDefinition[]): void {
  rejectUnfit(request.metrics ?? [], sentBaselines(request), metrics);
}

async function plan(planned: Planned, request: Request, deps: Deps): Promise<Plan> {
  const { days, power, alpha } = { ...DEFAULTS, ...request };
  const { shares, baselines, usersPerDay } = await loadKnown(planned, request, deps);
  const { alphaCorrected, rows } = planExperiment({
    config: planned.config,
    metrics: request.metrics ?? null,
    shares,
    baselines,
    usersPerDay: usersPerDay?.value ?? null,
    days,
    targetEffect: request.targetEffect ?? null,
    alpha,
    power,
  });
  return {
    alpha,
    alphaCorrected,
    power,
    usersPerDay,
    shares,
    rows: rows.map((row) => ({
      ...row,
      mde: row.mde && { days, ...row.mde },
      mdeCorrected: row.mdeCorrected && { days, ...row.mdeCorrected },
    })),
    notes: notesOf(rows, usersPerDay),
  };
}

/** Reads from history what the request leaves out. */
async function loadKnown(planned: Planned, request: Request, deps: Deps) {
  const { orgId, config, bucketMap, isDemo } = planned;
  const sent = sentBaselines(request);
  const now = deps.clock.now();
  // An experiment without buckets takes no users, so there are no shares to plan with.
  const shares = allocationPeriods([{ config, bucketMap, updatedAt: now }])[0]?.shares ?? {};
  const open = config.metrics.filter(
    ({ name }) => (request.metrics?.includes(name) ?? true) && !sent.has(name),
  );
  const isComplete = open.length === 0 && request.usersPerDay !== undefined;
  const history = isComplete ? null : await loadHistory(orgId, open, { ...deps, now, isForDemo: isDemo });
  return {
    shares,
    baselines: baselinesOf(config.metrics, sent, history),
    usersPerDay: usersPerDayOf(bucketMap, request.usersPerDay, { history, shares, today: dayOf(now) }),
  };
}

function baselinesOf(
  metrics: readonly MetricDefinition[],
  sent: SentBaselines,
  history: Baseline | null,
): ReadonlyMap<string, PlanBaseline> {
  const known = metrics.flatMap(({ name, kind }): (readonly [string, PlanBaseline])[] => {
    const own = sent.get(name);
    if (own) return [[name, { value: own.value, sd: own.sd ?? shareSd(own.value), source: "request" }]];
    const sums = history?.metrics.find(({ metric }) => metric === name);
    const baseline = sums ? historyBaseline(kind, sums) : null;
    return baseline === null ? [] : [[name, baseline]];
  });
  return new Map(known);
}

/** Scales the org's new users from history by the share of buckets that the experiment's arms have. */
function usersPerDayOf(
  bucketMap: BucketMap,
  asked: number | undefined,
  { history, shares, today }: { history: Baseline | null; shares: Shares; today: Day },
): Plan["usersPerDay"] {
  if (asked !== undefined) return { value: asked, source: "request" };
  const users = history && medianNewUsers(history.usersByDay, today);
  const allocation = effectiveAllocation(bucketMap);
  const taken = Object.keys(shares).reduce((sum, arm) => sum + (allocation[arm] ?? 0), 0);
  return users === null || taken === 0 ? null : { value: users * taken, source: "history" };
}

function notesOf(rows: readonly PlanRow[], usersPerDay: Plan["usersPerDay"]): string[] {
  const notes: string[] = [];
  if (rows.length === 0)
    notes.push("There is nothing to compare: the experiment has no metric, or no second arm that users get.");
  if (usersPerDay === null)
    notes.push(
      "Users per day are not known because history has no full day of users: send users_per_day to get days and mde.",
    );
  if (usersPerDay?.source === "history")
    notes.push(
      "users_per_day counts all the org's users: send your own when only some of them meet the feature.",
    );
  return notes;
}
