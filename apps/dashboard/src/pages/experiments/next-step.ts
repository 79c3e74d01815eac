import type { ExperimentOverview, ExperimentState } from "../../api/types.ts";

interface NextStep {
  readonly verb: string;
  readonly to:
    | "/experiments/$id"
    | "/experiments/$id/health"
    | "/experiments/$id/decide"
    | "/experiments/$id/change";
}

const STEPS: Readonly<Partial<Record<ExperimentState, NextStep>>> = {
  draft: { verb: "Start it", to: "/experiments/$id/change" },
  "no-traffic": { verb: "Check the code", to: "/experiments/$id" },
  failed: { verb: "See why", to: "/experiments/$id" },
  withheld: { verb: "Find the cause", to: "/experiments/$id/health" },
  "guardrail-failing": { verb: "Look at the guardrail", to: "/experiments/$id" },
  losing: { verb: "Stop & decide", to: "/experiments/$id/decide" },
  "ready-to-decide": { verb: "Stop & decide", to: "/experiments/$id/decide" },
  "no-difference": { verb: "Stop & decide", to: "/experiments/$id/decide" },
};

/** Returns what somebody should do about an experiment, or null when it just goes on. */
export function nextStep({ state, worst_remark, needs_attention }: ExperimentOverview): NextStep | null {
  const step = STEPS[state];
  if (step !== undefined) return step;
  const isUnhealthy = worst_remark === "critical" || worst_remark === "warning";
  return needs_attention && isUnhealthy ? { verb: "Find the cause", to: "/experiments/$id/health" } : null;
}
