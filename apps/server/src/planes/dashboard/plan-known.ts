import type { ConfigPlan, PlanRequest, ValueOf } from "@assay/contract";
import {
  allocationPeriods,
  type Baseline,
  type Day,
  dayOf,
  type MetricDefinition,
  SMALLER_UNITS,
  shareOfUsers,
  type VersionContent,
} from "@assay/domain";
import {
  historyBaseline,
  medianNewUsers,
  type PlanBaseline,
  shareSd,
  type UnitGain,
  unitGains,
} from "@assay/pipeline";
import type { Deps } from "../../deps.ts";
import { openHistory } from "./plan-history.ts";
import type { SentBaselines } from "./plan-request.ts";

type Plan = ValueOf<typeof ConfigPlan>;
type Request = ValueOf<typeof PlanRequest>;
type Shares = Readonly<Record<string, number>>;

/** The experiment that is planned, stored or not. */
export interface Planned extends VersionContent {
  readonly orgId: string;
  /** Null when it is not stored yet. */
  readonly id: string | null;
}

/** What planning knows of the experiment's users. */
export interface Known {
  readonly shares: Shares;
  readonly baselines: ReadonlyMap<string, PlanBaseline>;
  readonly usersPerDay: Plan["usersPerDay"];
}

export const sentBaselines = ({ baselines }: Request): SentBaselines =>
  new Map(Object.entries(baselines ?? {}));

/** Reads from history what the request leaves out. */
export async function loadKnown(planned: Planned, request: Request, deps: Deps): Promise<Known> {
  const { orgId, config, bucketMap, id } = planned;
  const sent = sentBaselines(request);
  const now = deps.clock.now();
  // An experiment without buckets takes no users, so there are no shares to plan with.
  const shares = allocationPeriods([{ config, bucketMap, updatedAt: now }])[0]?.shares ?? {};
  const open = config.metrics.filter(
    ({ name }) => (request.metrics?.includes(name) ?? true) && !sent.has(name),
  );
  const isComplete = open.length === 0 && request.usersPerDay !== undefined;
  const history = isComplete
    ? null
    : await (await openHistory(orgId, { ...deps, now, plannedId: id })).baseline(config.unit, open);
  return {
    shares,
    baselines: baselinesOf(config.metrics, sent, history),
    usersPerDay: usersPerDayOf(shareOfUsers(planned), request.usersPerDay, {
      history,
      shares,
      today: dayOf(now),
    }),
  };
}

/** Computes what smaller units would gain for each metric, if the experiment is on users. */
export async function loadGains(
  { orgId, config, id }: Planned,
  { metrics }: Request,
  deps: Deps,
): Promise<ReadonlyMap<string, readonly UnitGain[]>> {
  if (config.unit !== "user") return new Map();
  const asked = config.metrics.filter(({ name }) => metrics?.includes(name) ?? true);
  const history = await openHistory(orgId, { ...deps, now: deps.clock.now(), plannedId: id });
  const found = await Promise.all(
    SMALLER_UNITS.map(async (unit) => [unit, await history.ofUnits(unit, asked)] as const),
  );
  return unitGains(new Map(found));
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
  allocation: Shares,
  asked: number | undefined,
  { history, shares, today }: { history: Baseline | null; shares: Shares; today: Day },
): Plan["usersPerDay"] {
  if (asked !== undefined) return { value: asked, source: "request" };
  const users = history && medianNewUsers(history.usersByDay, today);
  const taken = Object.keys(shares).reduce((sum, arm) => sum + (allocation[arm] ?? 0), 0);
  return users === null || taken === 0 ? null : { value: users * taken, source: "history" };
}
