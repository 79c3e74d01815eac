import { type EventType, TRUNCATED } from "@assay/domain";

/** The properties by which an experiment's facts distinguish events. */
export interface EventKind {
  readonly type: EventType;
  /** These are empty if the events name none. */
  readonly variant: string;
  readonly source: string;
  readonly businessMetric: string;
  readonly ineligibleReason: string;
  readonly model: string;
  readonly requestedModel: string;
  /** Also empty for outcomes. */
  readonly assignedVariant: string;
  readonly client: string;
}

/** Returns whether events of a kind are exposures that count. */
export function isEligible({ type, variant, ineligibleReason }: EventKind): boolean {
  return type === "exposure" && variant !== "" && ineligibleReason === "";
}

/** Conditions on an event that do not depend on the user's arm, as bits of a group's `marks`. The bits are stored in states. */
export const MARK = {
  test: 1,
  completed: 2,
  missingUsage: 4,
  truncated: 8,
  cutStreams: 16,
  reportsCached: 32,
  late: 64,
  future: 128,
  unpriced: 256,
} as const;

/** Some of the conditions in SQL. Later ones may use the names of earlier ones. */
export const MARKED = {
  completed: "(type = 'model_call' AND NOT coalesce(error, 0)) AS completed",
  missingUsage: "completed AND (isNull(input_tokens) OR isNull(output_tokens))",
  truncated: `completed AND lower(finish_reason) IN (${TRUNCATED.map((reason) => `'${reason}'`).join(", ")})`,
} as const;
