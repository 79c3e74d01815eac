import type { ExperimentResults } from "../results/results.ts";
import { type Day, dayOf } from "../time/day.ts";
import { type Alert, type AlertedExperiment, type AlertType, VERDICTS } from "./alert.ts";

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
  readonly isRunning: boolean;
  readonly at: number;
  readonly results: Pick<ExperimentResults, "window" | "srm" | "health"> &
    Partial<Pick<ExperimentResults, "decision">>;
}

/**
 * Compares an experiment's newest night with the facts that hold. A broken split is reported alone: its critical remarks have the same
 * cause, and open facts stay. A verdict holds until another replaces it, so a verdict that comes and goes is raised only once. An
 * experiment that has ended raises nothing, and its facts end.
 */
export function nightAlerts(night: Night, open: readonly OpenFact[]): NightAlerts {
  const nightly = open.filter(({ type }) => NIGHTLY.has(type));
  if (!night.isRunning) return { raised: [], ended: nightly };
  const isSplitBroken = night.results.srm.status === "halted";
  const faults = isSplitBroken ? [srmAlert(night)] : criticalAlerts(night);
  const ready = faults.length > 0 ? [] : readyAlerts(night);
  const holding = [...faults, ...ready];
  const isKept = ({ type }: OpenFact) =>
    (type === "experiment.ready" && ready.length === 0) ||
    (type === "experiment.health_critical" && isSplitBroken);
  return {
    raised: holding.filter((fact) => !has(open, fact)),
    ended: nightly.filter((fact) => !isKept(fact) && !has(holding, fact)),
  };
}

/** The types of facts that nights begin and end. */
const NIGHTLY: ReadonlySet<AlertType> = new Set([
  "experiment.ready",
  "experiment.srm",
  "experiment.health_critical",
]);

const has = (facts: readonly OpenFact[], { type, key }: OpenFact): boolean =>
  facts.some((fact) => fact.type === type && fact.key === key);

const dayOfNight = ({ results }: Night): Day => dayOf(results.window.to - 1);

function srmAlert(night: Night): Alert {
  const { orgId, experiment, at, results } = night;
  const data = { experiment, day: dayOfNight(night), pValue: results.srm.pValue };
  return { type: "experiment.srm", orgId, key: experiment.id, at, data };
}

function criticalAlerts(night: Night): readonly Alert[] {
  const { orgId, experiment, at, results } = night;
  return results.health
    .filter(({ severity }) => severity === "critical")
    .map(({ code, detail }) => ({
      ...{ type: "experiment.health_critical", orgId, key: `${experiment.id} ${code}`, at },
      data: { experiment, day: dayOfNight(night), code, detail },
    }));
}

function readyAlerts(night: Night): readonly Alert[] {
  const { orgId, experiment, at, results } = night;
  const { state, treatment } = results.decision ?? { state: null, treatment: null };
  const verdict = VERDICTS.find((one) => one === state);
  if (verdict === undefined) return [];
  const data = { experiment, day: dayOfNight(night), state: verdict, treatment };
  const key = `${experiment.id} ${verdict} ${treatment ?? ""}`;
  return [{ type: "experiment.ready", orgId, key, at, data }];
}
