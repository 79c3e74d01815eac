import {
  type AnyValueField,
  EVENT_TYPES,
  type EventField,
  type EventType,
  type FieldKind,
  type OrgField,
} from "./field-types.ts";

export * from "./field-types.ts";

const CALL_NAME = { of: "model_call", kind: "name", isAlwaysChecked: true } as const;
const CALL_AMOUNT = { of: "model_call", kind: "number", min: 0, isAnalyzed: true } as const;
const MAX_TEXT = 256 * 1024;
const CALL_TEXT = { of: "model_call", kind: "text", max: MAX_TEXT } as const;
const TOOL_TEXT = { of: "tool_call", kind: "text", max: MAX_TEXT } as const;
/** Model calls and tool calls. */
const ANY_CALL = ["model_call", "tool_call"] as const;

/**
 * Every field of an event, by its property of `StoredEvent`. To add a field, add a row here: the check of sent rows, imported
 * columns, the API's schemas, the event store's columns and the code that writes and reads them, and docs/import.md are derived
 * from this table. The API document lists the fields in this order.
 */
export const EVENT_FIELDS = {
  orgId: { name: "org_id", sentAs: null, kind: "org", description: "The organization that sent it." },
  eventId: { name: "event_id", kind: "id", max: 128, description: "Idempotency key within the org." },
  type: { name: "type", kind: "type", description: "What happened." },
  experimentId: { name: "experiment_id", kind: "experiment", description: "Id or name." },
  userId: { name: "user_id", kind: "id", max: 256, description: "The user, by the application's own id." },
  unitId: {
    name: "unit_id",
    kind: "reference",
    max: 256,
    isAnalyzed: true,
    description:
      "The conversation or the run, by the application's own id. Required if the experiment's unit is not the user.",
  },
  runId: {
    name: "run_id",
    kind: "reference",
    max: 256,
    isAnalyzed: true,
    requiredOf: "run_end",
    description:
      "The agent's run that the event is part of, by the application's own id. Required for the end of a run.",
  },
  occurredAt: {
    name: "occurred_at",
    sentAs: "timestamp",
    kind: "instant",
    description: "RFC 3339 or epoch milliseconds; at most 24 h in the future, not before 2000.",
  },
  receivedAt: {
    name: "received_at",
    sentAs: null,
    kind: "instant",
    description: "When the service accepted it.",
  },
  variant: {
    name: "variant",
    kind: "name",
    isAnalyzed: true,
    description:
      "The user's variant. Without it, an exposure gets the variant that assign returned at its timestamp, and any other event belongs to the arm of the user's first exposure.",
  },
  source: {
    name: "source",
    sentAs: null,
    kind: "name",
    isAnalyzed: true,
    description:
      "How the event was sent: publishable or secret (key), import, signed (webhook), test (event), otlp (OpenTelemetry). Null: stored by a version that did not record it.",
  },
  keyPrefix: {
    name: "key_prefix",
    sentAs: null,
    kind: "name",
    isAnalyzed: true,
    description: "The first characters of the API key that sent it.",
  },
  client: {
    name: "client",
    sentAs: null,
    kind: "name",
    isAnalyzed: true,
    description: "Name and version of the client library that sent it.",
  },
  assignedVariant: {
    name: "assigned_variant",
    sentAs: null,
    of: "exposure",
    kind: "name",
    isAnalyzed: true,
    description: "The variant that owned the user's bucket at the exposure's timestamp.",
  },
  ineligibleReason: {
    name: "ineligible_reason",
    sentAs: null,
    of: "exposure",
    kind: "name",
    isAnalyzed: true,
    description:
      "Why an exposure counts for no arm: not-started, stopped, shipped, qa, disabled, uncovered or stray. Null: it counts.",
  },
  markedTest: {
    name: "marked_test",
    sentAs: null,
    kind: "boolean",
    isAnalyzed: true,
    description: "True if its metadata marks it as a test event, which metrics leave out.",
  },
  metadata: {
    name: "metadata",
    kind: "object",
    max: 16 * 1024,
    description: "Additional information.",
  },
  samplingProbability: {
    name: "sampling_probability",
    kind: "number",
    above: 0,
    max: 1,
    isAnalyzed: true,
    description:
      "The probability with which a random sampler kept this event, if one was used. Metrics count the event 1 / probability times. Not accepted with a publishable key.",
  },
  model: {
    name: "model",
    ...CALL_NAME,
    isAnalyzed: true,
    description: "The model that answered, as the provider names it.",
  },
  requestedModel: {
    name: "requested_model",
    ...CALL_NAME,
    isAnalyzed: true,
    description: "The requested model.",
  },
  agentName: {
    name: "agent_name",
    of: ANY_CALL,
    kind: "name",
    isAnalyzed: true,
    description: "The agent that made the call, if several share a run.",
  },
  provider: {
    name: "provider",
    ...CALL_NAME,
    description: "The provider that was called: openai, azure, openrouter, or the host of the API.",
  },
  serviceTier: {
    name: "service_tier",
    ...CALL_NAME,
    isAnalyzed: true,
    description: "The provider's tier that answered: default, flex, priority, batch.",
  },
  latencyMs: {
    name: "latency_ms",
    ...CALL_AMOUNT,
    of: ANY_CALL,
    description: "Milliseconds from the request to the end of the answer.",
  },
  timeToFirstTokenMs: {
    name: "time_to_first_token_ms",
    ...CALL_AMOUNT,
    description: "Milliseconds from the request to the first token.",
  },
  inputTokens: {
    name: "input_tokens",
    ...CALL_AMOUNT,
    description: "All input tokens, including those read from and written to the provider's cache.",
  },
  cachedInputTokens: {
    name: "cached_input_tokens",
    ...CALL_AMOUNT,
    description: "Input tokens read from the provider's cache.",
  },
  cacheWrite5mTokens: {
    name: "cache_write_5m_tokens",
    ...CALL_AMOUNT,
    description: "Input tokens written to the provider's cache for 5 minutes.",
  },
  cacheWrite1hTokens: {
    name: "cache_write_1h_tokens",
    ...CALL_AMOUNT,
    description: "Input tokens written to the provider's cache for an hour.",
  },
  audioInputTokens: {
    name: "audio_input_tokens",
    ...CALL_AMOUNT,
    description: "Input tokens for audio.",
  },
  outputTokens: {
    name: "output_tokens",
    ...CALL_AMOUNT,
    description: "All output tokens, including reasoning.",
  },
  reasoningTokens: {
    name: "reasoning_tokens",
    ...CALL_AMOUNT,
    description: "Output tokens spent on reasoning.",
  },
  audioOutputTokens: {
    name: "audio_output_tokens",
    ...CALL_AMOUNT,
    description: "Output tokens for audio.",
  },
  usageEstimated: {
    name: "usage_estimated",
    of: "model_call",
    kind: "boolean",
    default: false,
    isAnalyzed: true,
    description: "Whether some token counts are estimates because the stream was cut short.",
  },
  costUsd: {
    name: "cost_usd",
    ...CALL_AMOUNT,
    description:
      "Cost in US dollars. If it is not sent, it is computed from the tokens and the model's price, if there is one.",
  },
  finishReason: {
    name: "finish_reason",
    ...CALL_NAME,
    isAnalyzed: true,
    description: "Why the model stopped, as the provider names it: stop, length, max_tokens.",
  },
  error: {
    name: "error",
    of: ANY_CALL,
    kind: "boolean",
    default: false,
    isAnalyzed: true,
    description: "Whether the call failed.",
  },
  errorType: {
    name: "error_type",
    ...CALL_NAME,
    of: ANY_CALL,
    description: "How the call failed, for example timeout.",
  },
  prompt: { name: "prompt", ...CALL_TEXT, description: "What the model was asked." },
  response: { name: "response", ...CALL_TEXT, description: "What the model answered." },
  toolName: {
    name: "tool_name",
    of: "tool_call",
    kind: "name",
    requiredOf: "tool_call",
    description: "The tool that was called. Required for tool calls.",
  },
  toolArguments: { name: "tool_arguments", ...TOOL_TEXT, description: "What the tool was called with." },
  toolResult: { name: "tool_result", ...TOOL_TEXT, description: "What the tool answered." },
  completed: {
    name: "completed",
    of: "run_end",
    kind: "boolean",
    default: true,
    isAnalyzed: true,
    description: "Whether the run completed its task.",
  },
  businessMetric: {
    name: "business_metric",
    of: "business_event",
    kind: "name",
    requiredOf: "business_event",
    isAnalyzed: true,
    description: "The metric that a business event counts for. Required for business events.",
  },
  value: {
    name: "value",
    of: "business_event",
    kind: "number",
    default: 1,
    refusesNull: true,
    isAnalyzed: true,
    description: "The value of a business event.",
  },
} as const satisfies Readonly<Record<string, EventField>>;

type Fields = typeof EVENT_FIELDS;
export type FieldProperty = keyof Fields;

/** Properties of the fields of a kind. */
export type PropertyOf<K extends FieldKind> = {
  [P in FieldProperty]: Fields[P]["kind"] extends K ? P : never;
}[FieldProperty];

/** A row of the table with its names. */
export type ListedField<F extends EventField = EventField> = F & {
  readonly property: FieldProperty;
  /** The name in sent rows; null: the service fills it in. */
  readonly sentName: string | null;
};

/** The table as a list. */
export const EVENT_FIELD_LIST: readonly ListedField[] = Object.entries<EventField>(EVENT_FIELDS).map(
  ([property, field]) => ({
    ...field,
    property: property as FieldProperty,
    sentName: field.sentAs === undefined ? field.name : field.sentAs,
  }),
);

/** The fields of a sent row. */
export const SENT_FIELDS = EVENT_FIELD_LIST.filter(
  (field): field is ListedField<Exclude<EventField, OrgField>> & { readonly sentName: string } =>
    field.sentName !== null,
);

/** The fields that an event may lack. */
export const VALUE_FIELDS = EVENT_FIELD_LIST.filter(isValueField);

/** Returns whether an event may lack the field. */
export function isValueField<F extends EventField>(field: F): field is F & AnyValueField {
  const { kind } = field;
  return kind !== "org" && kind !== "experiment" && kind !== "type" && kind !== "instant" && kind !== "id";
}

/** Lists the types of event that have a field. */
export function typesOf(field: EventField): readonly EventType[] {
  const of = isValueField(field) ? field.of : undefined;
  return of === undefined ? EVENT_TYPES : [of].flat();
}

/** Returns whether rows of a type must have the field. Null: a row without a valid type. */
export function isRequiredIn(field: EventField, type: EventType | null): boolean {
  return !isValueField(field) || (type !== null && field.requiredOf === type);
}

/** Returns whether a field may be absent but not null. */
export function refusesNull(field: EventField): boolean {
  return "refusesNull" in field;
}
