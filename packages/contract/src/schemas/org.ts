import { KEY_SCOPES, ROLES } from "@assay/domain";
import { Type } from "typebox";
import { DayText, Id, Instant, JsonObjectSchema, NextCursor, Nullable, OneOf, strict } from "./shared.ts";

export const KeyRequest = Type.Object({ scope: OneOf(KEY_SCOPES) }, { ...strict, $id: "KeyRequest" });
export const ApiKey = Type.Object(
  { scope: OneOf(KEY_SCOPES), key: Type.String(), created_at: Instant },
  { $id: "ApiKey" },
);
const AllowedOrigins = Nullable(
  Type.Array(Type.String({ maxLength: 300, description: "Such as https://app.example.com." }), {
    minItems: 1,
    maxItems: 50,
    description:
      "Origins of the pages that may use the publishable key. Requests without an Origin header are not blocked. Null: any origin.",
  }),
);
export const PublishableKeyRequest = Type.Object(
  { allowed_origins: AllowedOrigins },
  { ...strict, $id: "PublishableKeyRequest" },
);
export const KeySummary = Type.Object(
  {
    scope: OneOf(KEY_SCOPES),
    created_at: Instant,
    revealable: Type.Boolean(),
    prefix: Type.Union([Type.String(), Type.Null()], {
      description: "The key's first characters, enough to recognize it. Null: not revealable.",
    }),
    allowed_origins: AllowedOrigins,
    last_used_at: Type.Union([Instant, Type.Null()], {
      description: "Last use, up to a minute behind. Null: no use has been recorded.",
    }),
    last_browser_use_at: Type.Union([Instant, Type.Null()], {
      description:
        "The last request with an Origin header, which web pages send; up to a minute behind. Null: no such request has been recorded.",
    }),
  },
  { $id: "KeySummary" },
);

export const UnusualDays = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        day: Type.String({ description: "UTC day of receipt." }),
        events: Type.Integer(),
        limit: Type.Integer({
          description: "The largest usual number. By chance, at most one day in 1,000 exceeds it.",
        }),
      }),
    ),
  },
  { $id: "UnusualDays" },
);

export const WhoAmI = Type.Object(
  {
    org_id: Id,
    org_name: Type.String({ description: '"": the identity provider has sent no name.' }),
    user_id: Id,
    role: OneOf(ROLES),
    email: Type.String(),
    name: Type.String(),
    platform_owner: Type.Boolean(),
  },
  { $id: "WhoAmI" },
);

export const PipelineRunRequest = Type.Object(
  {
    day: Type.Optional(DayText("UTC day; default: yesterday.")),
    from_day: Type.Optional(
      DayText("Runs the nights from this UTC day to `day`, oldest first; 31 at most. Default: `day` alone."),
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
        day: Type.String(),
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
  { items: Type.Array(AuditEntrySchema), next_cursor: NextCursor },
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
