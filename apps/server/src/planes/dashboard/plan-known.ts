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
import { type OrgHistory, openHistory } from "./plan-history.ts";
import type { SentBaselines } from "./plan-request.ts";

type Plan = ValueOf<typeof ConfigPlan>;
type Request = ValueOf<typeof PlanRequest>;
type Shares = Readonly<Record<string, number>>;

/** The experiment to plan, stored or not. */
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

/** Reads from history the values that the request leaves out. */
export async function loadKnown(planned: Planned, request: Request, deps: Deps): Promise<Known> {
  return readKnown(planned, request, await openOf(planned, request, deps));
}

/** Does the same, and adds what smaller units would gain. */
export async function loadKnownAndGains(
  planned: Planned,
  request: Request,
  deps: Deps,
): Promise<Known & { readonly gains: ReadonlyMap<string, readonly UnitGain[]> }> {
  const opened = await openOf(planned, request, deps);
  const [known, gains] = await Promise.all([
    readKnown(planned, request, opened),
    readGains(planned.config, opened),
  ]);
  return { ...known, gains };
}

/** The values to read from history. */
interface Opened {
  /** The metrics for which the request has no baseline. */
  readonly metrics: readonly MetricDefinition[];
  /** Null if the request has all values. */
  readonly history: OrgHistory | null;
  readonly now: number;
}

async function openOf({ orgId, config, id }: Planned, request: Request, deps: Deps): Promise<Opened> {
  const sent = sentBaselines(request);
  const now = deps.clock.now();
  const metrics = config.metrics.filter(
    ({ name }) => (request.metrics?.includes(name) ?? true) && !sent.has(name),
  );
  const isComplete = metrics.length === 0 && request.usersPerDay !== undefined;
  const history = isComplete ? null : await openHistory(orgId, { ...deps, now, plannedId: id });
  return { metrics, history, now };
}

async function readKnown(
  planned: Planned,
  request: Request,
  { metrics, history, now }: Opened,
): Promise<Known> {
  const { config, bucketMap } = planned;
  // An experiment without buckets takes no users, so there are no shares to plan with.
  const shares = allocationPeriods([{ config, bucketMap, updatedAt: now }])[0]?.shares ?? {};
  const baseline = history && (await history.baseline(config.unit, metrics));
  return {
    shares,
    baselines: baselinesOf(config.metrics, sentBaselines(request), baseline),
    usersPerDay: usersPerDayOf(shareOfUsers(planned), request.usersPerDay, {
      history: baseline,
      shares,
      today: dayOf(now),
    }),
  };
}

/** Computes what smaller units would gain for each metric planned from history, if the experiment assigns users. */
async function readGains(
  { unit }: Planned["config"],
  { metrics, history }: Opened,
): Promise<ReadonlyMap<string, readonly UnitGain[]>> {
  const asked = metrics.filter(hasUnitHistory);
  if (unit !== "user" || history === null || asked.length === 0) return new Map();
  const found = await Promise.all(
    SMALLER_UNITS.map(async (smaller) => [smaller, await history.ofUnits(smaller, asked)] as const),
  );
  return unitGains(new Map(found));
}

/** Quantiles, judges' scores and agents' runs are not read by unit. */
function hasUnitHistory({ kind, source }: MetricDefinition): boolean {
  return kind !== "quantile" && source.event !== "judge" && source.event !== "run";
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
