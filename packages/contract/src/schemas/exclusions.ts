import { EVENT_FIELDS, EVENT_SOURCES, MAX_EXCLUDED_IDS, MAX_NAME } from "@assay/domain";
import { Type } from "typebox";
import { Instant, InstantOf, Nullable, NullableNumber, OneOf, strict } from "./shared.ts";

const Ids = (field: { readonly max: number }, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: field.max }), {
      maxItems: MAX_EXCLUDED_IDS,
      description,
    }),
  );
const Name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME, description }));

const matchFields = {
  user_ids: Ids(
    EVENT_FIELDS.userId,
    "Events of one of these users. Empty once an erasure took the last one out.",
  ),
  event_ids: Ids(EVENT_FIELDS.eventId, "One of these events."),
  source: Type.Optional(OneOf(EVENT_SOURCES, { description: "Events that came this way." })),
  key_prefix: Name("Events that a key with these first characters sent, as raw events show them."),
  client: Name("Events that this client library sent: name/version, as raw events show it."),
  variant: Name("Events stored under this variant."),
  business_metric: Name("Business events of this name."),
  from: Type.Optional(InstantOf("Events with this timestamp or a later one.")),
  to: Type.Optional(InstantOf("Events with an earlier timestamp than this.")),
};

const ExclusionMatchSchema = Type.Object(matchFields, {
  ...strict,
  $id: "ExclusionMatch",
  description: "An event is set aside when every part that is given holds for it. At least one.",
});

const Reason = Type.String({ minLength: 1, maxLength: 1_000, description: "Why; shown with the results." });

export const ExclusionRequest = Type.Object(
  { reason: Reason, match: ExclusionMatchSchema },
  { ...strict, $id: "ExclusionRequest" },
);

export const LiftRequest = Type.Object({ reason: Reason }, { ...strict, $id: "LiftRequest" });

export const ExclusionQuery = Type.Object(
  {
    dry_run: Type.Optional(
      OneOf(["true", "false"], {
        description: "true: nothing is stored; the answer says what the exclusion would take out.",
      }),
    ),
  },
  strict,
);

export const ExclusionSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: "1, 2, and so on, within the experiment." }),
    reason: Type.String(),
    match: Type.Union([ExclusionMatchSchema, Type.Null()], {
      description: "Null: the entry lifts another one.",
    }),
    lifts: Type.Union([Type.Integer(), Type.Null()], {
      description: "Number of the exclusion that the entry lifts; null: it is an exclusion itself.",
    }),
    in_force: Type.Boolean({ description: "An exclusion that is not lifted: the next run applies it." }),
    actor: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
    created_at: Instant,
  },
  { $id: "Exclusion" },
);

export const ExclusionList = Type.Object(
  { items: Type.Array(ExclusionSchema, { description: "All entries, newest first." }) },
  { $id: "ExclusionList" },
);

export const ExclusionPreview = Type.Object(
  {
    arms: Type.Array(
      Type.Object({
        arm: Nullable(
          Type.String({ description: "Of the first exposure as it counts now; null: users without one." }),
        ),
        users: Type.Integer({ description: "Users in the arm." }),
        affected_users: Type.Integer({ description: "Of them, users who would lose at least one event." }),
        removed_users: Type.Integer({ description: "Of them, users who would no longer count in this arm." }),
        events: Type.Integer({ description: "Events of these users." }),
        removed_events: Type.Integer({ description: "Of them, events that would be set aside." }),
      }),
    ),
    p_value: NullableNumber(
      "That the arms lose users at the same rate (affected_users of users). Null: fewer than two arms have users.",
    ),
    differs: Type.Boolean({ description: "p_value is below 0.001." }),
    warning: Nullable(Type.String({ description: "What to think of before saving it; null: nothing." })),
  },
  { $id: "ExclusionPreview" },
);
