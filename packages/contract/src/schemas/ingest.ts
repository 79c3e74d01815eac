import { Type } from "typebox";
import { Id, JsonObjectSchema, Nullable, OneOf, strict } from "./shared.ts";

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
const amount = (description: string) => Type.Optional(Nullable(Type.Number({ minimum: 0, description })));
const name = (about: { description?: string } = {}) =>
  Type.Optional(Nullable(Type.String({ maxLength: 200, ...about })));
const OptionalName = name();
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
    model: name({ description: "The model that answered, as the provider names it." }),
    requested_model: name({ description: "The model asked for." }),
    provider: OptionalName,
    input_tokens: amount("All input tokens, cached ones included."),
    cached_input_tokens: amount("Of the input tokens, those read from the provider's cache."),
    output_tokens: amount("All output tokens, reasoning included."),
    reasoning_tokens: amount("Of the output tokens, those spent on reasoning."),
    cost_usd: amount("Absent: computed from the tokens and the model's price."),
    error: Type.Optional(Nullable(Type.Boolean())),
    error_type: OptionalName,
    finish_reason: name({ description: "Why the model stopped, in the provider's word." }),
    prompt: OptionalText,
    response: OptionalText,
    business_metric: OptionalName,
    value: Type.Optional(Nullable(Type.Number({ description: "Default 1." }))),
  },
  { $id: "Event" },
);

const EventList = Type.Array(EventSchema, { minItems: 1, maxItems: 1_000 });
const ClientHealth = Type.Object(
  {
    null_before_ready: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: "Assignments answered null because no config was loaded yet, since the last batch.",
    }),
  },
  { description: "How the client library that sends the batch is doing. Anything else here is ignored." },
);
export const EventBatch = Type.Union(
  [Type.Object({ events: EventList, client: Type.Optional(ClientHealth) }), EventList],
  { $id: "EventBatch" },
);

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
