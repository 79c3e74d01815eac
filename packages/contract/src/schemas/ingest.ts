import { EVENT_FIELDS, EXPERIMENT_UNITS } from "@assay/domain";
import { Type } from "typebox";
import { sentFields } from "./event-fields.ts";
import { Id, JsonObjectSchema, Nullable, OneOf, strict } from "./shared.ts";

export const AssignRequest = Type.Object(
  {
    experiment_id: Type.String({ minLength: 1, maxLength: 200, description: "Id or name." }),
    user_id: Type.String({ minLength: 1, maxLength: EVENT_FIELDS.userId.max }),
    unit_id: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: EVENT_FIELDS.unitId.max,
          description: "The conversation or the run. Required if the experiment's unit is not the user.",
        }),
      ),
    ),
  },
  { ...strict, $id: "AssignRequest" },
);
export const AssignResponse = Type.Object(
  { variant: Nullable(Type.String()), config_version: Type.Integer() },
  { $id: "AssignResponse" },
);

const { event_id, type, experiment_id, user_id, timestamp, variant, metadata, ...values } = sentFields;

/** One row of an ingest batch. The domain's `checkEvent` checks rows; a test compares it with this schema. */
export const EventSchema = Type.Object(
  {
    ...{ event_id, type, experiment_id, user_id, timestamp, variant, metadata },
    payload: Type.Optional(
      Nullable(Type.Record(Type.String(), Type.Unknown(), { description: "The same fields, nested." })),
    ),
    ...values,
  },
  { $id: "Event" },
);

const EventList = Type.Array(EventSchema, { minItems: 1, maxItems: 1_000 });
const ClientHealth = Type.Object(
  {
    null_before_ready: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        "Number of assignments since the last batch that returned null because no config was loaded yet.",
    }),
  },
  { description: "State of the client library that sends the batch. Other fields are ignored." },
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

/** The maximum number of experiments that a `GET /v1/config` request may select. */
export const MAX_CONFIG_NAMES = 100;

/** Many proxies close a connection after a minute without traffic, so the wait is shorter. */
export const MAX_CONFIG_WAIT_SECONDS = 50;

/** Not strict: a client may add its own parameter to bypass a cache. */
export const ConfigQuery = Type.Object({
  experiments: Type.Optional(
    Type.String({
      minLength: 1,
      description: `Only these experiments: up to ${MAX_CONFIG_NAMES} ids, names or former names, separated by commas. Use the id if a name contains a comma.`,
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_CONFIG_WAIT_SECONDS,
      description:
        "With If-None-Match: how many seconds to wait for a change before answering 304. Default 0.",
    }),
  ),
});

export const ClientConfig = Type.Object(
  {
    config_version: Type.Integer(),
    experiments: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String({ description: "A renamed experiment also has one entry for each former name." }),
        version: Type.Integer(),
        status: OneOf(["running", "stopped"], {
          description:
            "running (also for shipped experiments): users have variants. stopped (also for archived and held experiments): nobody has a variant, so the entry has no buckets, variants or control.",
        }),
        shipped: Type.Optional(
          Type.Boolean({
            description:
              "true: the experiment has ended, and everybody gets the one listed variant. Clients record no exposures.",
          }),
        ),
        unit: Type.Optional(
          OneOf(EXPERIMENT_UNITS, {
            description:
              "What gets a variant: conversation or run. Its id, instead of the user's, decides the bucket. Absent: the user.",
          }),
        ),
        salt: Type.String(),
        bucket_count: Type.Integer(),
        buckets: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
          description: "Ranges [end, variant_index], in order from bucket 0. variant_index -1: nobody.",
        }),
        variants: Type.Array(
          Type.Object({
            key: Type.String(),
            prompt: Nullable(
              Type.String({
                description:
                  "Also null if the request uses a publishable key and the experiment's visibility is server.",
              }),
            ),
            variables: Nullable(JsonObjectSchema),
            enabled: Type.Boolean(),
          }),
        ),
        control: Type.Optional(Type.String()),
        business_metrics: Type.Optional(
          Type.Array(Type.String(), {
            description:
              "The values of business_metric that the experiment's metrics read, so that clients can warn about a misspelled one. Absent if the request uses a publishable key and the experiment's visibility is server.",
          }),
        ),
        qa_users: Type.Optional(
          Type.Record(Type.String(), Type.Integer(), {
            description:
              "The variant index of each QA user, regardless of bucket. The key is 16 hex digits: the MurmurHash3 x86 32 of `salt:id:user_id` with seed 1, then with seed 2.",
          }),
        ),
      }),
    ),
  },
  { $id: "ClientConfig" },
);
