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

/** Providers' finish reasons for an answer that ran out of tokens. */
export const TRUNCATED = ["length", "max_tokens", "max_output_tokens", "model_length", "incomplete"] as const;

/** Some of the conditions in SQL; a later one may use the names of those before it. */
export const MARKED = {
  completed: "(type = 'model_call' AND NOT coalesce(error, 0)) AS completed",
  missingUsage: "completed AND (isNull(input_tokens) OR isNull(output_tokens))",
  truncated: `completed AND lower(finish_reason) IN (${TRUNCATED.map((reason) => `'${reason}'`).join(", ")})`,
} as const;
