import { SECURITY_EVENT_NAMES } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, NextCursor, Nullable, OneOf } from "./shared.ts";

export const SecurityEventSchema = Type.Object(
  {
    id: Id,
    at: Instant,
    event: OneOf(SECURITY_EVENT_NAMES),
    actor: Nullable(
      Type.Object({
        id: Type.String({
          description: "Id of a member or service token, or the first characters of an API key.",
        }),
        name: Type.String(),
      }),
    ),
    network: Nullable(Type.String({ description: "IPv4 address, or the first 64 bits of an IPv6 one." })),
    route: Nullable(Type.String()),
    reason: Nullable(Type.String({ description: "The problem that was returned." })),
    subject: Nullable(Type.String({ description: "The first characters of the key or token concerned." })),
    left_out: Type.Integer({ description: "Number of similar refusals without their own entry." }),
  },
  { $id: "SecurityEvent" },
);
export const SecurityEventPage = Type.Object(
  { items: Type.Array(SecurityEventSchema), next_cursor: NextCursor },
  { $id: "SecurityEventPage" },
);
