import { JUDGE_SCALES, JUDGEMENT_STATES, MODEL_CALL_FIELDS } from "@assay/domain";
import { Type } from "typebox";
import { listedFields, objectFields, previewFields, textFields } from "./event-fields.ts";
import { JudgementSchema } from "./judge.ts";
import { Instant, NextCursor, Nullable, NullableNumber, OneOf } from "./shared.ts";

/** How many characters of a text a list shows. */
export const PREVIEW_LENGTH = 200;

/** What a judge, and a person, say of a call. */
export const CallScore = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    scale: Nullable(OneOf(JUDGE_SCALES)),
    state: OneOf(JUDGEMENT_STATES),
    score: NullableNumber("The judge's; null: not made yet, or failed."),
    label: NullableNumber("A person's; null: none."),
  },
  { $id: "CallScore" },
);

const Preview = Type.Union([Type.String(), Type.Null()], {
  description: `The first ${PREVIEW_LENGTH} characters; null: none was sent.`,
});

const { event_id, type, occurred_at, received_at, user_id, variant, ...values } = listedFields;

const summaryFields = {
  ...{ event_id, type, occurred_at, received_at, user_id, variant },
  is_test: Type.Boolean({ description: "Of a test user: in no metric's sample." }),
  ...values,
};

export const StoredEventSummary = Type.Object(
  {
    ...summaryFields,
    ...previewFields(Preview),
    scores: Type.Array(CallScore, { description: "Of a call that was drawn for a judge." }),
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
      description: "When the plan's retention removes the event's texts. Null: no plan limit is applied.",
    }),
    judgements: Type.Array(JudgementSchema, { description: "Of a call that was drawn for a judge." }),
    outcomes: Type.Array(
      Type.Object({ business_metric: Type.String(), value: Type.Number(), occurred_at: Instant }),
      { description: "The user's business events in the experiment, newest first, at most 20." },
    ),
  },
  { $id: "StoredEventDetail" },
);

/** What a list of events can be sorted by. */
export const EVENT_SORTS = [
  "occurred_at",
  ...MODEL_CALL_FIELDS.filter((field) => field !== "error"),
] as const;
