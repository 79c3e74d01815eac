import {
  type ConfigPlan,
  experiments as operations,
  type PlanRequest,
  toConfigInput,
  type ValueOf,
} from "@assay/contract";
import { firstVersion, type MetricDefinition } from "@assay/domain";
import { ALPHA, type PlanRow, planExperiment, planHorizon } from "@assay/pipeline";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { loadKnownAndGains, type Planned, sentBaselines } from "./plan-known.ts";
import { faultsUnder, rejectUnfit } from "./plan-request.ts";

const DEFAULTS = { days: 14, power: 0.8, alpha: ALPHA };

type Plan = ValueOf<typeof ConfigPlan>;
type Request = ValueOf<typeof PlanRequest>;

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
  return plan({ ...content, orgId: caller.orgId, id: null }, request, deps);
});

function rejectRequest(request: Request, metrics: readonly MetricDefinition[]): void {
  rejectUnfit(request.metrics ?? [], sentBaselines(request), metrics);
}

async function plan(planned: Planned, request: Request, deps: Deps): Promise<Plan> {
  const { days, power, alpha } = { ...DEFAULTS, ...request };
  const { shares, baselines, usersPerDay, gains } = await loadKnownAndGains(planned, request, deps);
  const horizon = planHorizon({
    ...{ config: planned.config, shares, baselines, plan: planned.config.plan },
    usersPerDay: usersPerDay?.value ?? null,
  });
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
    gains,
  });
  return {
    alpha,
    alphaCorrected,
    power,
    usersPerDay,
    shares,
    horizon,
    rows: rows.map((row) => ({
      ...row,
      mde: row.mde && { days, ...row.mde },
      mdeCorrected: row.mdeCorrected && { days, ...row.mdeCorrected },
    })),
    notes: notesOf(rows, usersPerDay),
  };
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
      "users_per_day counts all users of the organization: send your own number if only some of them meet the feature.",
    );
  return notes;
}
