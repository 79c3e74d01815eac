import {
  KEY_SCOPES,
  METRIC_CATEGORIES,
  METRIC_KINDS,
  METRIC_ROLES,
  MODEL_CALL_FIELDS,
  ROLES,
  TEST_METHODS,
} from "@assay/domain";
import { type TSchema, Type } from "typebox";

/** One of the strings, as an `enum` in the document. */
export const OneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: "string", enum: values, ...options });

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const strict = { additionalProperties: false };

export const Id = Type.String({ format: "uuid", description: "UUIDv7, lower case." });
export const Instant = Type.String({
  format: "date-time",
  description: "RFC 3339 in UTC with milliseconds.",
});
const Share = Type.Number({ minimum: 0, maximum: 1 });
const Shares = Type.Record(Type.String(), Type.Number());
const Counts = Type.Record(Type.String(), Type.Integer());
/** Any JSON object. */
const JsonObjectSchema = Type.Record(Type.String(), Type.Unknown());

export const AllocationSlice = Type.Object(
  {
    variant: Type.String({ minLength: 1, maxLength: 100 }),
    weight: Type.Number({
      minimum: 0,
      maximum: 1e12,
      description: "Relative: 1/1, 50/50 and 0.5/0.5 are the same.",
    }),
  },
  strict,
);

export const VariantBody = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 100 }),
    prompt: Type.Optional(Nullable(Type.String({ maxLength: 262_144 }))),
    variables: Type.Optional(Nullable(JsonObjectSchema)),
    description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
    enabled: Type.Optional(
      Type.Boolean({
        description: "false: its users get null (control behaviour) and nobody else gets its buckets.",
      }),
    ),
  },
  strict,
);

const MetricSourceBody = Type.Union([
  Type.Object({ event: Type.Literal("model_call"), field: OneOf(MODEL_CALL_FIELDS) }, strict),
  Type.Object(
    { event: Type.Literal("business_event"), business_metric: Type.String({ minLength: 1, maxLength: 200 }) },
    strict,
  ),
  Type.Object({ event: Type.Literal("judge") }, strict),
]);

export const MetricDefinitionBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9_.\\-]+$" }),
    kind: OneOf(METRIC_KINDS),
    category: OneOf(METRIC_CATEGORIES),
    method_default: OneOf(TEST_METHODS),
    metric_version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    shared_org_wide: Type.Boolean(),
    source: Type.Optional(MetricSourceBody),
    quantile: Type.Optional(Share),
    desired: Type.Optional(OneOf(["increase", "decrease"])),
    role: Type.Optional(OneOf(METRIC_ROLES)),
    margin: Type.Optional(Nullable(Type.Number({ minimum: 0 }))),
    window_days: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 365 }))),
    cap: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0 }))),
    method: Type.Optional(
      Nullable(OneOf(TEST_METHODS, { description: "Overrides method_default; audited." })),
    ),
    judge: Type.Optional(Nullable(JsonObjectSchema)),
    description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  },
  strict,
);

const configFields = {
  name: Type.String({ minLength: 1, maxLength: 100, description: "Unique in the org." }),
  salt: Type.String({ minLength: 1, maxLength: 64, description: "Frozen at creation." }),
  bucket_count: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Frozen at creation." }),
  allocation: Type.Array(AllocationSlice, { minItems: 2, maxItems: 20 }),
  metrics: Type.Array(MetricDefinitionBody, { maxItems: 50 }),
};

const optionalConfigFields = {
  coverage: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Share of all buckets that the experiment takes; default 1.",
    }),
  ),
  variants: Type.Optional(
    Type.Array(VariantBody, { minItems: 2, maxItems: 100, description: "Absent: made from the allocation." }),
  ),
  control: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Default: "control" if there is one, else the first allocated.',
    }),
  ),
  status: Type.Optional(OneOf(["draft", "running", "stopped"])),
  hypothesis: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
};

export const ExperimentConfigBody = Type.Object(
  { ...configFields, ...optionalConfigFields },
  { ...strict, $id: "ExperimentConfig" },
);

/** What an answer of ours carries beyond the config: accepted on update, so that a read can be edited and sent back. */
const serverFields = {
  id: Type.Optional(Type.Unknown()),
  version: Type.Optional(Type.Unknown()),
  created_at: Type.Optional(Type.Unknown()),
  updated_at: Type.Optional(Type.Unknown()),
  effective_allocation: Type.Optional(Type.Unknown()),
};
export const ExperimentChangeBody = Type.Object(
  { ...Type.Partial(Type.Object(configFields)).properties, ...optionalConfigFields, ...serverFields },
  { ...strict, minProperties: 1, $id: "ExperimentChange" },
);

export const ExperimentSchema = Type.Object(
  {
    ...configFields,
    ...optionalConfigFields,
    id: Id,
    version: Type.Integer({ minimum: 1 }),
    created_at: Instant,
    updated_at: Instant,
    effective_allocation: Type.Record(Type.String(), Share, {
      description: "Each variant's real share of all buckets.",
    }),
  },
  { $id: "Experiment" },
);

export const ExperimentVersionSchema = Type.Object(
  { ...ExperimentSchema.properties, created_by: Nullable(Id) },
  { $id: "ExperimentVersion" },
);

export const Distribution = Type.Object(
  { bin_edges: Type.Array(Type.Number()), counts: Type.Array(Type.Integer()) },
  { $id: "Distribution" },
);

export const MetricResultSchema = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    treatment: Type.String(),
    control: Type.String(),
    role: OneOf(METRIC_ROLES),
    desired: OneOf(["increase", "decrease"]),
    test: Type.String({ description: "The test that ran." }),
    statistic: Nullable(Type.Number()),
    p_value: Type.Number({ description: "Raw; never decides." }),
    p_value_fdr: Type.Number({
      description: "Benjamini-Hochberg over every row of the run; decides at < 0.05.",
    }),
    significant: Type.Boolean(),
    verdict: OneOf(["better", "worse", "inconclusive"]),
    control_value: Type.Number(),
    treatment_value: Type.Number(),
    effect: Type.Number({ description: "Treatment minus control, in the metric's unit." }),
    ci_low: Nullable(Type.Number()),
    ci_high: Nullable(Type.Number()),
    relative_effect: Nullable(Type.Number()),
    relative_ci_low: Nullable(Type.Number()),
    relative_ci_high: Nullable(Type.Number()),
    ci_seq_low: Nullable(Type.Number()),
    ci_seq_high: Nullable(Type.Number()),
    p_value_seq: Nullable(Type.Number()),
    mde: Nullable(Type.Number()),
    n_per_arm: Counts,
    events_per_arm: Counts,
    srm_p: Type.Number(),
    permutations_used: Type.Integer(),
    sample_cap_used: Type.Integer(),
    window_days: Type.Number(),
    retention_truncated: Type.Boolean(),
    preliminary: Type.Boolean(),
    distribution: Type.Record(Type.String(), Distribution),
  },
  { $id: "MetricResult" },
);

export const HealthEntrySchema = Type.Object(
  { code: Type.String(), severity: OneOf(["info", "warning", "critical"]), detail: Type.String() },
  { $id: "HealthEntry" },
);

export const ResultsSchema = Type.Object(
  {
    experiment_id: Id,
    version: Type.Integer(),
    computed_for: Type.String({ description: "A UTC day, or manual-<ISO instant>." }),
    available_days: Type.Array(Type.String()),
    preliminary: Type.Boolean(),
    computed_at: Instant,
    window: Type.Object({ from: Nullable(Instant), to: Instant }),
    srm: Type.Object({
      status: OneOf(["passed", "halted"]),
      p_value: Type.Number(),
      threshold: Type.Number(),
      observed: Counts,
      expected: Shares,
    }),
    results: Type.Record(Type.String(), MetricResultSchema, {
      description: 'Keyed "<metric>::<treatment>"; empty when the SRM gate halted.',
    }),
    health: Type.Array(HealthEntrySchema),
  },
  { $id: "Results" },
);

export const LiveStats = Type.Object(
  {
    experiment_id: Id,
    as_of: Instant,
    exposures: Counts,
    users: Counts,
    distributions: Type.Record(Type.String(), Type.Record(Type.String(), Distribution), {
      description: "By metric, then by arm.",
    }),
    note: Type.String(),
  },
  { $id: "LiveStats" },
);

export const TrafficSeries = Type.Object(
  {
    experiment_id: Id,
    days: Type.Array(Type.Object({ day: Type.String(), exposures: Counts, users: Counts })),
  },
  { $id: "TrafficSeries" },
);

export const ExperimentHealth = Type.Object(
  { experiment_id: Id, computed_for: Nullable(Type.String()), checks: Type.Array(HealthEntrySchema) },
  { $id: "ExperimentHealth" },
);

export const AssignRequest = Type.Object(
  {
    experiment_id: Type.String({ minLength: 1, maxLength: 200, description: "Id or name." }),
    user_id: Type.String({ minLength: 1, maxLength: 256 }),
  },
  { ...strict, $id: "AssignRequest" },
);
export const AssignResponse = Type.Object(
  { variant: Nullable(Type.String()), config_version: Type.Integer() },
  { $id: "AssignResponse" },
);

const OptionalNumber = Type.Optional(Nullable(Type.Number({ minimum: 0 })));
const OptionalName = Type.Optional(Nullable(Type.String({ maxLength: 200 })));
const OptionalText = Type.Optional(Nullable(Type.String({ description: "At most 256 KiB." })));

/** One row of an ingest batch. Rows are checked one by one by hand-written code that a test holds to this schema. */
export const EventSchema = Type.Object(
  {
    event_id: Type.String({ minLength: 1, maxLength: 128, description: "Idempotency key within the org." }),
    type: OneOf(["exposure", "model_call", "business_event"]),
    experiment_id: Type.String({ minLength: 1, maxLength: 200, description: "Id or name." }),
    user_id: Type.String({ minLength: 1, maxLength: 256 }),
    timestamp: Type.Union([Type.String({ format: "date-time" }), Type.Number()], {
      description: "RFC 3339 or epoch milliseconds; at most 24 h in the future, not before 2000.",
    }),
    variant: OptionalName,
    metadata: Type.Optional(
      Nullable(Type.Record(Type.String(), Type.Unknown(), { description: "At most 16 KiB." })),
    ),
    payload: Type.Optional(
      Nullable(Type.Record(Type.String(), Type.Unknown(), { description: "The same fields, nested." })),
    ),
    latency_ms: OptionalNumber,
    time_to_first_token_ms: OptionalNumber,
    model: OptionalName,
    provider: OptionalName,
    input_tokens: OptionalNumber,
    output_tokens: OptionalNumber,
    cost_usd: OptionalNumber,
    error: Type.Optional(Nullable(Type.Boolean())),
    error_type: OptionalName,
    prompt: OptionalText,
    response: OptionalText,
    business_metric: OptionalName,
    value: Type.Optional(Nullable(Type.Number({ description: "Default 1." }))),
  },
  { $id: "Event" },
);

const EventList = Type.Array(EventSchema, { minItems: 1, maxItems: 1_000 });
export const EventBatch = Type.Union([Type.Object({ events: EventList }), EventList], { $id: "EventBatch" });

export const IngestAck = Type.Object(
  {
    accepted: Type.Integer(),
    config_version: Type.Integer(),
    rejected: Type.Array(
      Type.Object({ index: Type.Integer(), event_id: Nullable(Type.String()), detail: Type.String() }),
    ),
  },
  { $id: "IngestAck" },
);

export const ClientConfig = Type.Object(
  {
    config_version: Type.Integer(),
    experiments: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        version: Type.Integer(),
        status: OneOf(["running", "stopped"]),
        salt: Type.String(),
        bucket_count: Type.Integer(),
        buckets: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
          description: "Runs [end, variant_index] in order from bucket 0; -1: nobody.",
        }),
        variants: Type.Array(
          Type.Object({
            key: Type.String(),
            prompt: Nullable(Type.String()),
            variables: Nullable(JsonObjectSchema),
            enabled: Type.Boolean(),
          }),
        ),
        control: Type.String(),
      }),
    ),
  },
  { $id: "ClientConfig" },
);

export const KeyRequest = Type.Object({ scope: OneOf(KEY_SCOPES) }, { ...strict, $id: "KeyRequest" });
export const ApiKey = Type.Object(
  { scope: OneOf(KEY_SCOPES), key: Type.String(), created_at: Instant },
  { $id: "ApiKey" },
);
export const KeySummary = Type.Object(
  { scope: OneOf(KEY_SCOPES), created_at: Instant, revealable: Type.Boolean() },
  { $id: "KeySummary" },
);

export const WhoAmI = Type.Object(
  {
    org_id: Id,
    user_id: Id,
    role: OneOf(ROLES),
    email: Type.String(),
    name: Type.String(),
    platform_owner: Type.Boolean(),
  },
  { $id: "WhoAmI" },
);

export const InvitationRequest = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^@\\s]+@[^@\\s]+$" }),
    role: Type.Optional(OneOf(["member", "admin"])),
    name: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { ...strict, $id: "InvitationRequest" },
);
export const Invitation = Type.Object(
  { url: Type.String(), email: Type.String(), role: OneOf(ROLES), expires_at: Instant },
  { $id: "Invitation" },
);

export const PipelineRunRequest = Type.Object(
  {
    day: Type.Optional(
      Type.String({
        pattern: "^\\d{4}-\\d{2}-\\d{2}$",
        description: "UTC day; default: yesterday, the last whole one.",
      }),
    ),
    experiment_id: Type.Optional(Id),
  },
  { ...strict, $id: "PipelineRunRequest" },
);
export const PipelineRunReport = Type.Object(
  {
    day: Type.String(),
    runs: Type.Array(
      Type.Object({
        experiment_id: Id,
        name: Type.String(),
        outcome: OneOf(["computed", "withheld", "collecting", "failed", "already-done", "running-elsewhere"]),
        detail: Nullable(Type.String()),
      }),
    ),
  },
  { $id: "PipelineRunReport" },
);

export const AuditEntrySchema = Type.Object(
  {
    id: Id,
    at: Instant,
    actor: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
    action: Type.String(),
    target_type: Type.String(),
    target_id: Type.String(),
    summary: Type.String(),
    diff: Nullable(JsonObjectSchema),
  },
  { $id: "AuditEntry" },
);
export const AuditPage = Type.Object(
  { items: Type.Array(AuditEntrySchema), next_cursor: Nullable(Type.String()) },
  { $id: "AuditPage" },
);

export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: "urn:request:<id>" }),
    errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }))),
  },
  { $id: "Problem" },
);
