import { EVENT_TYPES, JUDGE_SCALES, JUDGEMENT_STATES, MODEL_CALL_FIELDS } from "@assay/domain";
import { Type } from "typebox";
import { JudgementSchema } from "./judge.ts";
import { Instant, JsonObjectSchema, NextCursor, Nullable, NullableNumber, OneOf } from "./shared.ts";

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

const Text = Nullable(Type.String());
const Preview = Type.Union([Type.String(), Type.Null()], {
  description: `The first ${PREVIEW_LENGTH} characters; null: none was sent.`,
});

const summaryFields = {
  event_id: Type.String(),
  type: OneOf(EVENT_TYPES),
  occurred_at: Instant,
  received_at: Instant,
  user_id: Type.String(),
  variant: Text,
  is_test: Type.Boolean({ description: "Of a test user: in no metric's sample." }),
  model: Text,
  requested_model: Text,
  provider: Text,
  latency_ms: NullableNumber("Milliseconds."),
  time_to_first_token_ms: NullableNumber("Milliseconds."),
  input_tokens: NullableNumber("Tokens."),
  cached_input_tokens: NullableNumber("Tokens, part of input_tokens."),
  output_tokens: NullableNumber("Tokens."),
  reasoning_tokens: NullableNumber("Tokens, part of output_tokens."),
  cost_usd: NullableNumber("US dollars, as sent or from the org's prices. Null: neither is known."),
  finish_reason: Text,
  error: Nullable(Type.Boolean()),
  error_type: Text,
  business_metric: Text,
  value: NullableNumber("Of a business event."),
};

export const StoredEventSummary = Type.Object(
  {
    ...summaryFields,
    prompt_preview: Preview,
    response_preview: Preview,
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
    prompt: Text,
    response: Text,
    metadata: Nullable(JsonObjectSchema),
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
