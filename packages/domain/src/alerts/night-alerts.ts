import type { DecisionStatus } from "../results/decision-status.ts";
import type { ExperimentResults } from "../results/results.ts";
import { dayOf } from "../time/day.ts";
import type { Alert, AlertedExperiment, AlertedVerdict, AlertType } from "./alert.ts";
import { VERDICTS } from "./alert.ts";

/** A fact that holds: one that was raised and has not ended. */
export interface OpenFact {
  readonly type: AlertType;
  readonly key: string;
}

/** What a night changes: facts that begin, and open facts that no longer hold. */
export interface NightAlerts {
  readonly raised: readonly Alert[];
  readonly ended: readonly OpenFact[];
}

interface Night {
  readonly orgId: string;
  readonly experiment: AlertedExperiment;
  readonly at: number;
  readonly results: Pick<ExperimentResults, "window" | "srm" | "health"> &
    Partial<Pick<ExperimentResults, "decision">>;
}

/**
 * Compares the newest night of an experiment with the facts that hold. While the split is broken, nothing else is news: its critical
 * remarks have the same cause, and it gives no verdict and takes none back. A verdict holds until another takes its place, so evidence
 * that wavers raises nothing twice.
 */
export function nightAlerts(
  { orgId, experiment, at, results }: Night,
  open: readonly OpenFact[],
): NightAlerts {
  const { window, srm, health, decision } = results;
  const day = dayOf(window.to - 1);
  const { id } = experiment;
  const isSplitBroken = srm.status === "halted";
  const critical = isSplitBroken ? [] : health.filter(({ severity }) => severity === "critical");
  const faults: readonly Alert[] = [
    ...(isSplitBroken
      ? [
          {
            ...{ orgId, key: id, at, type: "experiment.srm" as const },
            data: { experiment, day, pValue: srm.pValue },
          },
        ]
      : []),
    ...critical.map(({ code, detail }) => ({
      ...{ orgId, key: `${id} ${code}`, at, type: "experiment.health_critical" as const },
      data: { experiment, day, code, detail },
    })),
  ];
  const verdict = faults.length > 0 ? null : verdictOf(decision ?? null);
  const ready: readonly Alert[] =
    verdict === null
      ? []
      : [
          {
            ...{ orgId, at, type: "experiment.ready" as const },
            key: `${id} ${verdict.state} ${verdict.treatment ?? ""}`,
            data: { experiment, day, ...verdict },
          },
        ];
  const holding = [...faults, ...ready];
  const isOver = ({ type, key }: OpenFact): boolean => {
    if (type === "experiment.ready" && verdict === null) return false;
    if (type === "experiment.health_critical" && isSplitBroken) return false;
    return !holding.some((fact) => fact.type === type && fact.key === key);
  };
  const isNew = ({ type, key }: OpenFact): boolean =>
    !open.some((fact) => fact.type === type && fact.key === key);
  return {
    raised: holding.filter(isNew),
    ended: open.filter((fact) => NIGHTLY.has(fact.type) && isOver(fact)),
  };
}

const NIGHTLY: ReadonlySet<AlertType> = new Set([
  "experiment.ready",
  "experiment.srm",
  "experiment.health_critical",
]);

function verdictOf(
  decision: DecisionStatus | null,
): { readonly state: AlertedVerdict; readonly treatment: string | null } | null {
  const state = VERDICTS.find((verdict) => verdict === decision?.state);
  return decision === null || state === undefined ? null : { state, treatment: decision.treatment };
}
