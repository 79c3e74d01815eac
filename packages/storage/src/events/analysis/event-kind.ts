import { type EventType, TRUNCATED } from "@assay/domain";

/** What events have in common that an experiment's facts tell apart. */
export interface EventKind {
  readonly type: EventType;
  /** These are empty when the events name none. */
  readonly variant: string;
  readonly source: string;
  readonly businessMetric: string;
  readonly ineligibleReason: string;
  readonly model: string;
  readonly requestedModel: string;
  /** Empty for outcomes, too. */
  readonly assignedVariant: string;
  readonly client: string;
}

/** Whether events of a kind are exposures that count. */
export function isEligible({ type, variant, ineligibleReason }: EventKind): boolean {
  return type === "exposure" && variant !== "" && ineligibleReason === "";
}

/** The conditions that an event is marked by, whatever arm its user is in: bits of a group's `marks`. States are stored with them. */
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

/** Some of the conditions in SQL; a later one may use the names of those before it. */
export const MARKED = {
  completed: "(type = 'model_call' AND NOT coalesce(error, 0)) AS completed",
  missingUsage: "completed AND (isNull(input_tokens) OR isNull(output_tokens))",
  truncated: `completed AND lower(finish_reason) IN (${TRUNCATED.map((reason) => `'${reason}'`).join(", ")})`,
} as const;
