import type { ArmExposure, Claim, MetricResult, OpenMargin, RowKey } from "@assay/domain";
import { type DecisionStatus, dayOf } from "@assay/domain";
import { alwaysValidStandardErrors, daysToGo, detectableStandardErrors, normalQuantile } from "@assay/stats";
import { earlierRows } from "../nights.ts";
import { recentUsersPerDay, usersByDay } from "../recent-users.ts";
import type { RunFrame } from "../run-frame.ts";

interface OpenMarginsInput {
  readonly frame: Pick<RunFrame, "nights" | "until" | "experiment">;
  readonly exposures: readonly ArmExposure[];
  /** The number of different guardrails. */
  readonly guardrails: number;
  readonly expectedUsers: DecisionStatus["expectedUsers"];
  /**
   * Whether the planned looks are over, so that only evidence that holds at any look settles a
   * margin.
   */
  readonly isOver: boolean;
}

/**
 * Lists the open margins of these treatments, with the days and labels that would settle them if there is no
 * difference. A metric with a margin but without a row is open: nothing shows that it is not worse.
 */
export function openMargins(
  claims: readonly Claim[],
  { rows, treatments }: { readonly rows: readonly MetricResult[]; readonly treatments: readonly string[] },
  input: OpenMarginsInput,
): readonly OpenMargin[] {
  const isMet = (key: RowKey) =>
    claims.some((claim) => claim.kind === "not-worse" && claim.metOn !== null && isSameRow(claim, key));
  const bounded = input.frame.experiment.config.metrics.filter(({ margin }) => margin !== null);
  return bounded.flatMap(({ name: metric }) =>
    treatments.flatMap((treatment) => {
      const key = { metric, treatment };
      if (isMet(key)) return [];
      const row = rows.find((one) => isSameRow(one, key));
      return [{ ...key, ...(row === undefined ? { days: null, labels: null } : neededFor(row, input)) }];
    }),
  );
}

const isSameRow = (one: RowKey, other: RowKey) =>
  one.metric === other.metric && one.treatment === other.treatment;

function neededFor(row: MetricResult, input: OpenMarginsInput): Pick<OpenMargin, "days" | "labels"> {
  return { days: daysOpen(row, input), labels: labelsOpen(row, input) };
}

/**
 * Number of standard errors that the margin must span to be settled with the planned power, if there is no
 * difference.
 */
function standardErrorsOf(row: MetricResult, { frame, guardrails, isOver, expectedUsers }: OpenMarginsInput) {
  const { plan } = frame.experiment.config;
  // Beta is divided by the number of guardrails that must all hold; alpha is not (Schultzberg, Ankargren &
  // Frånberg 2024).
  const target = { alpha: plan.alpha, power: 1 - (1 - plan.power) / guardrails };
  const planned = detectableStandardErrors(target);
  if (!isOver) return planned;
  const n = usersOf(row);
  return (
    planned + Math.max(0, alwaysValidStandardErrors(n, expectedUsers[row.treatment]) - normalQuantile(0.975))
  );
}

function usersOf({ nPerArm }: MetricResult): number {
  return Object.values(nPerArm).reduce((sum, users) => sum + users, 0);
}

function daysOpen(row: MetricResult, input: OpenMarginsInput): number | null {
  const { frame, exposures } = input;
  if (row.standardError === null) return null;
  const { treatment, metric: name, metricVersion } = row;
  const isCalibrated = row.judge?.calibrated ?? false;
  const earlier = earlierRows(frame.nights, { name, metricVersion }, { treatment, isCalibrated });
  const pair = exposures.filter(({ arm }) => arm === row.control || arm === treatment);
  const left = daysToGo({
    history: earlier.flatMap(({ users, standardError }) =>
      standardError === null ? [] : [{ users, standardError }],
    ),
    usersNow: usersOf(row),
    standardErrorNow: row.standardError,
    newUsersPerDay: recentUsersPerDay(usersByDay(pair), dayOf(frame.until)),
    // The forecast is for an effect found at 5% with 80% power.
    targetEffect: (row.nonInferiority!.margin * detectableStandardErrors()) / standardErrorsOf(row, input),
  });
  return left === null ? null : Math.ceil(left.days);
}

/**
 * Number of labels still needed. The variance of a corrected row is at best inversely proportional to the number
 * of labels.
 */
function labelsOpen(row: MetricResult, input: OpenMarginsInput): number | null {
  const { judge, standardError } = row;
  const { margin } = row.nonInferiority!;
  if (!judge?.calibrated || standardError === null || margin === 0) return null;
  const labels = Object.values(judge.labelsPerArm).reduce((sum, count) => sum + count, 0);
  const excess = (standardError * standardErrorsOf(row, input)) / margin;
  return Math.ceil(labels * Math.max(0, excess ** 2 - 1));
}
