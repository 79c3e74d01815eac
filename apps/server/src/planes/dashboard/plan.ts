import {
  type ConfigPlan,
  fromWireConfig,
  experiments as operations,
  type PlanRequest,
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
  historyBaseline,
  medianNewUsers,
  type PlanBaseline,
  type PlanRow,
  planExperiment,
  type Requirement,
  type Sensitivity,
  SIGNIFICANCE_THRESHOLD,
  shareSd,
} from "@assay/pipeline";
import type { Static } from "typebox";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { loadHistory } from "./plan-history.ts";
import { faultsUnder, rejectUnfit, type SentBaselines } from "./plan-request.ts";

const DEFAULTS = { days: 14, power: 0.8, alpha: SIGNIFICANCE_THRESHOLD };

type WirePlan = Static<typeof ConfigPlan>;
type WireRequest = Static<typeof PlanRequest>;
type Shares = Readonly<Record<string, number>>;
type WireRow = WirePlan["rows"][number];

/** What a plan is made of: an experiment, stored or not. */
interface Planned extends VersionContent {
  readonly orgId: string;
  readonly isDemo: boolean;
}

export const postPlan = defineRoute(operations.planExperiment, async ({ params, body, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  const { id, version, config } = experiment;
  rejectRequest(body, config.metrics);
  return { experiment_id: id, version, ...(await plan(experiment, body, deps)) };
});

export const postConfigPlan = defineRoute(operations.planConfig, async ({ body, caller }, deps) => {
  const content = faultsUnder("/experiment", () => firstVersion(fromWireConfig(body.experiment)));
  const request = body.plan ?? {};
  faultsUnder("/plan", () => rejectRequest(request, content.config.metrics));
  return plan({ ...content, orgId: caller.orgId, isDemo: false }, request, deps);
});

const sentBaselines = ({ baselines }: WireRequest): SentBaselines => new Map(Object.entries(baselines ?? {}));

function rejectRequest(request: WireRequest, metrics: readonly MetricDefinition[]): void {
  rejectUnfit(request.metrics ?? [], sentBaselines(request), metrics);
}

async function plan(planned: Planned, request: WireRequest, deps: Deps): Promise<WirePlan> {
  const { days, power, alpha } = { ...DEFAULTS, ...request };
  const { shares, baselines, usersPerDay } = await loadKnown(planned, request, deps);
  const { alphaCorrected, rows } = planExperiment({
    config: planned.config,
    metrics: request.metrics ?? null,
    shares,
    baselines,
    usersPerDay: usersPerDay?.value ?? null,
    days,
    targetEffect: request.target_effect ?? null,
    alpha,
    power,
  });
  return {
    alpha,
    alpha_corrected: alphaCorrected,
    power,
    users_per_day: usersPerDay,
    shares: { ...shares },
    rows: rows.map((row) => toWireRow(row, days)),
    notes: notesOf(rows, usersPerDay),
  };
}

/** What the request does not tell is read from history. */
async function loadKnown(planned: Planned, request: WireRequest, deps: Deps) {
  const { orgId, config, bucketMap, isDemo } = planned;
  const sent = sentBaselines(request);
  const now = deps.clock.now();
  // Without a bucket nobody enters, so there is no share to plan with.
  const shares = allocationPeriods([{ config, bucketMap, updatedAt: now }])[0]?.shares ?? {};
  const open = config.metrics.filter(
    ({ name }) => (request.metrics?.includes(name) ?? true) && !sent.has(name),
  );
  const isComplete = open.length === 0 && request.users_per_day !== undefined;
  const history = isComplete ? null : await loadHistory(orgId, open, { ...deps, now, isForDemo: isDemo });
  return {
    shares,
    baselines: baselinesOf(config.metrics, sent, history),
    usersPerDay: usersPerDayOf(bucketMap, request.users_per_day, { history, shares, today: dayOf(now) }),
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

/** History knows the org's users: of them the experiment takes those in the buckets of its arms. */
function usersPerDayOf(
  bucketMap: BucketMap,
  asked: number | undefined,
  { history, shares, today }: { history: Baseline | null; shares: Shares; today: Day },
): WirePlan["users_per_day"] {
  if (asked !== undefined) return { value: asked, source: "request" };
  const users = history && medianNewUsers(history.usersByDay, today);
  const allocation = effectiveAllocation(bucketMap);
  const taken = Object.keys(shares).reduce((sum, arm) => sum + (allocation[arm] ?? 0), 0);
  return users === null || taken === 0 ? null : { value: users * taken, source: "history" };
}

function notesOf(rows: readonly PlanRow[], usersPerDay: WirePlan["users_per_day"]): string[] {
  const notes: string[] = [];
  if (rows.length === 0)
    notes.push("There is nothing to compare: the experiment has no metric, or no second arm that users get.");
  if (usersPerDay === null)
    notes.push(
      "Users per day are not known, for history has no full day of users: send users_per_day to get days and mde.",
    );
  if (usersPerDay?.source === "history")
    notes.push(
      "users_per_day counts all the org's users: send your own when only some of them meet the feature.",
    );
  return notes;
}

function toWireRow(row: PlanRow, days: number): WireRow {
  return {
    metric: row.metric,
    treatment: row.treatment,
    baseline: row.baseline,
    target_effect: row.targetEffect,
    needed: toWireNeeded(row.needed),
    needed_corrected: toWireNeeded(row.neededCorrected),
    mde: toWireMde(row.mde, days),
    mde_corrected: toWireMde(row.mdeCorrected, days),
    notes: [...row.notes],
  };
}

function toWireNeeded(needed: Requirement | null): WireRow["needed"] {
  return needed && { users: { ...needed.users }, users_total: needed.usersTotal, days: needed.days };
}

function toWireMde(mde: Sensitivity | null, days: number): WireRow["mde"] {
  return mde && { days, ...mde, users: { ...mde.users } };
}
