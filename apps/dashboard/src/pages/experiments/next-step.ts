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
  held: { verb: "Resume or stop it", to: "/experiments/$id" },
  "no-traffic": { verb: "Check the code", to: "/experiments/$id" },
  failed: { verb: "See the reason", to: "/experiments/$id" },
  withheld: { verb: "Find the cause", to: "/experiments/$id/health" },
  "traces-lost": { verb: "Find the cause", to: "/experiments/$id/health" },
  "data-fault": { verb: "Find the cause", to: "/experiments/$id/health" },
  "guardrail-failing": { verb: "Check the guardrail", to: "/experiments/$id" },
  mixed: { verb: "Weigh it", to: "/experiments/$id/decide" },
  "better-guardrail-open": { verb: "See what is open", to: "/experiments/$id" },
  losing: { verb: "Stop & decide", to: "/experiments/$id/decide" },
  "ready-to-decide": { verb: "Stop & decide", to: "/experiments/$id/decide" },
  "no-difference": { verb: "Stop & decide", to: "/experiments/$id/decide" },
};

/** Returns the next step for an experiment, or null when it needs none. */
export function nextStep({
  state,
  needs_attention,
  is_stale,
  last_night,
}: Pick<ExperimentOverview, "state" | "needs_attention" | "is_stale" | "last_night">): NextStep | null {
  const step = STEPS[state];
  if (step !== undefined) return step;
  if (!needs_attention) return null;
  if (last_night?.outcome === "failed")
    return { verb: "See why the last run failed", to: "/experiments/$id" };
  return is_stale ? { verb: "Check the data", to: "/experiments/$id/health" } : null;
}
