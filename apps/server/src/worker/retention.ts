import {
  type Clock,
  type ControlPlane,
  type DatasetRetention,
  type Day,
  dayOf,
  type EventStore,
  PLAN_LIMITS,
  type PlanState,
  planInForce,
  type RetentionRule,
  rawKeptSince,
} from "@assay/domain";
import type { Logger } from "pino";

interface OrgState {
  readonly orgId: string;
  readonly state: PlanState;
}

/** Lists what may be deleted at an instant: one rule per retention period. */
export function retentionRules(orgs: readonly OrgState[], now: number): readonly RetentionRule[] {
  return orgsByRetention(orgs, now).map(({ orgIds, retentionDays }) => ({
    orgIds,
    receivedBefore: rawKeptSince(now, retentionDays),
  }));
}

function orgsByRetention(orgs: readonly OrgState[], now: number): readonly DatasetRetention[] {
  const byDays = Map.groupBy(orgs, ({ state }) => PLAN_LIMITS[planInForce(state, now)].retentionDays);
  return [...byDays].map(([retentionDays, ofPlan]) => ({
    orgIds: ofPlan.map(({ orgId }) => orgId),
    retentionDays,
  }));
}

interface RetentionDeps {
  readonly control: Pick<ControlPlane, "plans"> & {
    readonly datasets: Pick<ControlPlane["datasets"], "expire">;
  };
  readonly events: Pick<EventStore, "sweepRaw">;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Makes the task that removes raw events past their org's retention, and datasets that were drawn from them, once per UTC day and process. A repeated sweep is harmless. A failed
 * sweep is retried the next time the task runs.
 */
export function retentionTask({ control, events, clock, log }: RetentionDeps): () => Promise<void> {
  let swept: Day | null = null;
  return async () => {
    const now = clock.now();
    if (swept === dayOf(now)) return;
    const orgs = await control.plans.list();
    const removed = await events.sweepRaw(retentionRules(orgs, now));
    if (removed > 0) log.info({ removed }, "removed raw events past their retention");
    const datasets = await control.datasets.expire(orgsByRetention(orgs, now), now);
    if (datasets > 0) log.info({ datasets }, "removed datasets whose calls are past their retention");
    swept = dayOf(now);
  };
}
