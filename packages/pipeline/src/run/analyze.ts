import {
  type AllocationPeriod,
  type ArmAgentRuns,
  type ArmHealth,
  type ArmSampling,
  type ArmSnapshot,
  type AttributionFacts,
  type Experiment,
  type ExperimentResults,
  type FirstExposure,
  formatRunLabel,
  type HealthEntry,
  type LoggedTraces,
  priceFingerprint,
  runSeed,
  WITHHOLDING_CHECKS,
} from "@assay/domain";
import { claim, decide } from "../decide/decide.ts";
import { expectedUsers } from "../decide/expected-users.ts";
import { scheduleOf } from "../decide/schedule.ts";
import { experimentHealth } from "../health/checks.ts";
import { countUsers, inShare, srmGate } from "../health/srm-gate.ts";
import type { RunFrame } from "../run-frame.ts";
import { correctRows } from "./correct.ts";
import { eventData, judgedData } from "./metric-data.ts";
import { metricRows } from "./metric-rows.ts";
import { floorEntry, runHealth } from "./run-health.ts";
import { tradeoffs } from "./tradeoffs.ts";

/** What a run needs from the event store in addition to its snapshot. */
export interface RunEvidence {
  readonly health: readonly ArmHealth[];
  readonly attribution: AttributionFacts;
  readonly loggedTraces: readonly LoggedTraces[];
  readonly sampling: readonly ArmSampling[];
  readonly agentRuns: readonly ArmAgentRuns[] | null;
  /** First exposures of the users of judged calls. */
  readonly firstExposures: readonly FirstExposure[];
}

/**
 * Analyzes a frozen snapshot: SRM gate, then significance tests, then FDR correction (spec §1.3). Pure: the same input
 * gives the same bytes.
 */
export function analyze(
  frame: RunFrame,
  snapshot: ArmSnapshot,
  { health: armHealth, attribution, loggedTraces, sampling, agentRuns, firstExposures }: RunEvidence,
): ExperimentResults {
  const { experiment, periods, label, until, computedAt, codeVersion, prices } = frame;
  const seed = runSeed(experiment.id);
  const exposures = inShare(snapshot.exposures, periods);
  const sums = inShare(snapshot.metrics, periods);
  const srm = srmGate(exposures, periods, { seed });
  const window = { from: snapshot.firstExposureAt, to: until };
  const arms = armsOf(experiment, periods);
  const schedule = scheduleOf(frame, exposures);
  const tuned = expectedUsers(frame, exposures, schedule);
  const input = { frame, arms, srmP: srm.pValue, window, expectedUsers: tuned };
  const checks = experimentHealth({
    ...{ experiment, periods, exposures, srm, health: armHealth, attribution },
    clusters: snapshot.clusters,
    loggedTraces: inShare(loggedTraces, periods),
    sampling,
    agentRuns: agentRuns && inShare(agentRuns, periods),
    strayUsers: countUsers(snapshot.exposures) - countUsers(exposures),
    judged: frame.judged,
    qaUsersSeen: frame.qaUsersSeen,
    // Not the time of the computation, so that a rerun gives the same bytes.
    asOf: until,
  });
  const withheldBy =
    WITHHOLDING_CHECKS.find((code) =>
      checks.some((check) => check.code === code && check.severity === "critical"),
    ) ?? null;
  const metrics = withheldBy === null ? experiment.config.metrics : [];
  const perMetric = metrics.map((metric) => {
    const data =
      metric.source.event === "judge"
        ? judgedData(metric, frame, inShare(firstExposures, periods))
        : eventData(metric, sums, exposures);
    return metricRows(metric, data, input);
  });
  const uncorrected = perMetric.flatMap((metric) => metric.rows);
  const rows = correctRows(uncorrected);
  const evident = rows.map((row, index) => ({ row, logEvidence: uncorrected[index]!.logEvidence }));
  const deciding = { frame, schedule, exposures, evident, expectedUsers: tuned };
  const claimed = claim(deciding);
  const saving = tradeoffs(rows, { frame, sums, claims: claimed.claims });
  const health: HealthEntry[] = [
    ...runHealth(frame, snapshot, { checks, srm }),
    ...perMetric.flatMap((metric) => metric.health),
    ...floorEntry(rows),
  ];
  return {
    experimentId: experiment.id,
    version: experiment.version,
    computedFor: formatRunLabel(label),
    preliminary: label.kind === "manual",
    computedAt,
    seed,
    codeVersion,
    priceList: { asOf: prices.asOf, fingerprint: priceFingerprint(prices) },
    window,
    srm,
    withheldBy,
    results: Object.fromEntries(rows.map((row) => [`${row.metric}::${row.treatment}`, row])),
    tradeoffs: saving,
    decision: rows.length === 0 ? null : decide(deciding, claimed, saving),
    health,
    exclusions: frame.exclusions.last,
  };
}

/** Control, then every other arm to which any period assigns users. */
function armsOf({ config }: Experiment, periods: readonly AllocationPeriod[]): readonly string[] {
  const allocated = new Set(
    periods.flatMap(({ shares }) => Object.keys(shares).filter((arm) => shares[arm]! > 0)),
  );
  const treatments = config.variants
    .map(({ key }) => key)
    .filter((key) => key !== config.control && allocated.has(key));
  return [config.control, ...treatments];
}
