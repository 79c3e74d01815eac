import { Type } from "typebox";
import { EventSchema } from "./ingest.ts";
import { Id, Instant, Nullable, OneOf } from "./shared.ts";

const { user_id, timestamp, variant, metadata, value } = EventSchema.properties;

/** One downstream outcome. It is checked like the events of every other ingest route. */
export const BusinessEvent = Type.Object(
  {
    experiment_id: Type.String({
      ...Id,
      description:
        "The experiment's id, not its name: the id determines the org whose secret signs the request.",
    }),
    user_id,
    business_metric: Type.String({ minLength: 1, maxLength: 200 }),
    value,
    variant,
    metadata,
    event_id: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 128, description: "Default: the webhook-id." })),
    ),
    timestamp: Type.Optional(
      Nullable(Type.Union(timestamp.anyOf, { description: "Default: the webhook-timestamp." })),
    ),
    type: Type.Optional(Nullable(OneOf(["business_event"]))),
  },
  { $id: "BusinessEvent" },
);

export const WebhookSecretStatus = Type.Object(
  { configured: Type.Boolean(), created_at: Nullable(Instant) },
  { $id: "WebhookSecretStatus" },
);
export const WebhookSecret = Type.Object(
  {
    secret: Type.String({ description: "whsec_ and 32 bytes in base64. Shown only once." }),
    created_at: Instant,
  },
  { $id: "WebhookSecret" },
);
