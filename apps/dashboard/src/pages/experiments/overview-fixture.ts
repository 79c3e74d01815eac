import type { ExperimentOverview } from "../../api/types.ts";

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
    variants: ["control", "concise"],
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
    failing_guardrails: [],
    progress: null,
    tradeoffs: [],
    worst_remark: null,
    last_run: null,
    last_night: null,
    decision: null,
    ...given,
  };
}
