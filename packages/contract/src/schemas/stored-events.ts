import { JUDGE_SCALES, JUDGEMENT_STATES, MODEL_CALL_FIELDS } from "@assay/domain";
import { Type } from "typebox";
import { listedFields, objectFields, previewFields, textFields } from "./event-fields.ts";
import { JudgementSchema } from "./judge.ts";
import { Instant, NextCursor, Nullable, NullableNumber, OneOf } from "./shared.ts";

/** The number of characters of a text that lists show. */
export const PREVIEW_LENGTH = 200;

/** A judge's and a person's score of a call. */
export const CallScore = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    scale: Nullable(OneOf(JUDGE_SCALES)),
    state: OneOf(JUDGEMENT_STATES),
    score: NullableNumber("The judge's score. Null: the judgement is pending or failed."),
    label: NullableNumber("A person's score. Null: nobody has scored the call."),
  },
  { $id: "CallScore" },
);

const Preview = Type.Union([Type.String(), Type.Null()], {
  description: `The first ${PREVIEW_LENGTH} characters. Null: none were sent.`,
});

const { event_id, type, occurred_at, received_at, user_id, variant, ...values } = listedFields;

const summaryFields = {
  ...{ event_id, type, occurred_at, received_at, user_id, variant },
  arm: Type.Union([Type.String(), Type.Null()], {
    description:
      "The variant that the event names. Without one: the variant of its unit's first exposure, if the event did not occur before it. Null: the event counts in no arm.",
  }),
  is_test: Type.Boolean({
    description: "Whether the event belongs to a test user. Metrics leave such events out.",
  }),
  ...values,
};

export const StoredEventSummary = Type.Object(
  {
    ...summaryFields,
    ...previewFields(Preview),
    scores: Type.Array(CallScore, { description: "Scores, if the call was drawn for a judge." }),
  },
  { $id: "StoredEventSummary" },
);

export const StoredEventPage = Type.Object(
  { items: Type.Array(StoredEventSummary), next_cursor: NextCursor },
  { $id: "StoredEventPage" },
);

export const StoredEventDetail = Type.Object(
  {
    ...summaryFields,
    ...textFields,
    ...objectFields,
    raw_expires_at: Type.Union([Instant, Type.Null()], {
      description: "When the plan's retention removes the event's texts. Null: no plan limit applies.",
    }),
    judgements: Type.Array(JudgementSchema, {
      description: "Judgements, if the call was drawn for a judge.",
    }),
    outcomes: Type.Array(
      Type.Object({ business_metric: Type.String(), value: Type.Number(), occurred_at: Instant }),
      { description: "The user's business events in the experiment, newest first, at most 20." },
    ),
  },
  { $id: "StoredEventDetail" },
);

/** The fields by which a list of events can be sorted. */
export const EVENT_SORTS = [
  "occurred_at",
  ...MODEL_CALL_FIELDS.filter((field) => field !== "error"),
] as const;
