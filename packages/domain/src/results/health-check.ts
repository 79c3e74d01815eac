/** The checks of an experiment's health, in the order of the answer (docs/health.md). */
export const CHECK_CODES = [
  "srm",
  "srm-without-test-events",
  "lost-traces",
  "sampled-calls",
  "assignment-conflicts",
  "ineligible-exposures",
  "outcomes-before-exposure",
  "missing-usage",
  "unpriced-calls",
  "error-rate",
  "truncated-answers",
  "cut-streams",
  "other-model",
  "cache-hit-gap",
  "users-in-several-variants",
  "late-events",
  "future-events",
  "variant-conflicts",
  "runs-left-out",
  "runs-without-end",
  "test-events",
  "qa-users",
  "mixed-sources",
  "misspelt-metrics",
  "superseded-ids",
  "judge-backlog",
  "judge-failures",
  "judge-agreement",
  "judge-bias",
  "judge-length",
  "judge-cut",
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

export const CHECK_SEVERITIES = ["ok", "info", "warning", "critical", "no-data"] as const;
export type CheckSeverity = (typeof CHECK_SEVERITIES)[number];

/**
 * The kind of a check's value: a share, a difference between two arms' shares, a p-value, or a
 * count.
 */
export const CHECK_MEASURES = ["share", "gap", "p_value", "count"] as const;
export type CheckMeasure = (typeof CHECK_MEASURES)[number];

/** The count in an arm and its base; the share is null when the base is 0. */
export interface ArmShare {
  readonly count: number;
  readonly of: number;
  readonly share: number | null;
}

/** One check of an experiment's data, as of now. */
export interface HealthCheck {
  readonly code: CheckCode;
  readonly severity: CheckSeverity;
  /** One sentence with the numbers. */
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly action: string | null;
  readonly measure: CheckMeasure;
  /** Null without data. */
  readonly value: number | null;
  /** A share, gap or count alarms at this value or above, a p-value below it. */
  readonly threshold: number;
  /** When the first event with the fault occurred, epoch milliseconds. */
  readonly since: number | null;
  readonly arms: Readonly<Record<string, ArmShare>>;
  /** Names of the metrics with the fault, if it concerns single metrics. */
  readonly metrics?: readonly string[];
}
