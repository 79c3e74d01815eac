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
    "Events of these users. Empty once an erasure has removed the last user.",
  ),
  event_ids: Ids(EVENT_FIELDS.eventId, "Events with these ids."),
  source: Type.Optional(OneOf(EVENT_SOURCES, { description: "Events sent this way." })),
  key_prefix: Name("Events sent with a key that has these first characters, as raw events show them."),
  client: Name("Events sent by this client library: name/version, as raw events show it."),
  variant: Name("Events stored under this variant."),
  business_metric: Name("Business events of this name."),
  from: Type.Optional(InstantOf("Events with this timestamp or a later one.")),
  to: Type.Optional(InstantOf("Events with an earlier timestamp.")),
};

const ExclusionMatchSchema = Type.Object(matchFields, {
  ...strict,
  $id: "ExclusionMatch",
  description: "An event is excluded if it matches every given field. At least one is required.",
});

const Reason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: "The reason; shown with the results.",
});

export const ExclusionRequest = Type.Object(
  { reason: Reason, match: ExclusionMatchSchema },
  { ...strict, $id: "ExclusionRequest" },
);

export const LiftRequest = Type.Object({ reason: Reason }, { ...strict, $id: "LiftRequest" });

export const ExclusionQuery = Type.Object(
  {
    dry_run: Type.Optional(
      OneOf(["true", "false"], {
        description: "true: nothing is stored; the answer reports what the exclusion would remove.",
      }),
    ),
  },
  strict,
);

export const ExclusionSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: "Numbered from 1 within the experiment." }),
    reason: Type.String(),
    match: Type.Union([ExclusionMatchSchema, Type.Null()], {
      description: "Null: the entry lifts another one.",
    }),
    lifts: Type.Union([Type.Integer(), Type.Null()], {
      description: "Number of the exclusion that this entry lifts. Null: the entry is itself an exclusion.",
    }),
    in_force: Type.Boolean({
      description: "Whether the next run applies the entry: it is an exclusion that has not been lifted.",
    }),
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
          Type.String({
            description:
              "The variant of the users' first exposure, as it counts without this exclusion. Null: users without an exposure.",
          }),
        ),
        users: Type.Integer({ description: "Users in the arm." }),
        affected_users: Type.Integer({ description: "Users who would lose at least one event." }),
        removed_users: Type.Integer({ description: "Users who would no longer count in this arm." }),
        events: Type.Integer({ description: "Events of these users." }),
        removed_events: Type.Integer({ description: "Events that would be excluded." }),
      }),
    ),
    p_value: NullableNumber(
      "p-value of the test that the arms lose users (affected_users of users) at the same rate. Null: fewer than two arms have users.",
    ),
    differs: Type.Boolean({ description: "Whether p_value is below 0.001." }),
    warning: Nullable(
      Type.String({ description: "What to consider before saving the exclusion, if anything." }),
    ),
  },
  { $id: "ExclusionPreview" },
);
