import type { ExperimentOverview } from "../../api/types.ts";
import type { PlanStatus } from "../../format/decision-words.ts";

/** Builds an overview for tests: running, without a run, overridden by what is given. */
export function overviewOf(given: Partial<ExperimentOverview>): ExperimentOverview {
  return {
    id: "0192a000-0000-7000-8000-000000000000",
    name: "greeting",
    former_names: [],
    status: "running",
    version: 1,
    is_demo: false,
    control: "control",
    unit: "user",
    variants: ["control", "concise"],
    tags: [],
    created_at: "2026-11-01T00:00:00.000Z",
    updated_at: "2026-11-01T00:00:00.000Z",
    created_by: null,
    state: "running",
    needs_attention: false,
    is_stale: false,
    users: {},
    exposures: 0,
    last_exposure_on: null,
    primary: null,
    primary_metric: null,
    failing_guardrails: [],
    progress: null,
    tradeoffs: [],
    plan_status: null,
    worst_remark: null,
    last_run: null,
    last_night: null,
    decision: null,
    shipped_variant: null,
    ...given,
  };
}

/** Builds what a plan of two weeks makes of a run before the decision look, overridden by what is given. */
export function planStatusOf(given: Partial<PlanStatus>): PlanStatus {
  return {
    state: "running",
    decided_state: null,
    treatment: "concise",
    looks: "group_sequential",
    look: 2,
    information: 0.43,
    boundary: 3.1,
    open: [],
    alarms: [],
    losses: [],
    started_on: "2026-11-01",
    earliest_end: "2026-01-12T00:00:00.000Z",
    planned_end: "2026-01-19T00:00:00.000Z",
    decided_on: null,
    ...given,
  };
}

/** The same after a decision look on 18 January. */
export function decidedOf(state: NonNullable<PlanStatus["decided_state"]>, given: Partial<PlanStatus> = {}) {
  const decided = { decided_state: state, decided_on: "2026-01-18", look: 5, information: 1 };
  return planStatusOf({ state, ...decided, ...given });
}
