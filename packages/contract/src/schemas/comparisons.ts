import { Type } from "typebox";
import { Instant, Nullable, NullableNumber, OneOf, Share, strict } from "./shared.ts";
import { CallScore } from "./stored-events.ts";

/** What a list of comparisons shows first. */
export const COMPARISON_ORDERS = ["difference", "asked", "longest", "failed", "disagreement"] as const;

/** Most characters of an answer in a comparison. */
export const COMPARED_ANSWER_LENGTH = 4_000;
/** Most answers of a pick or a comparison by ids: the variants that an experiment may have. */
export const MAX_COMPARED = 20;

const ComparedAnswer = Type.Object(
  {
    event_id: Type.String(),
    variant: Type.String(),
    occurred_at: Instant,
    question: Nullable(
      Type.String({ description: "What was asked, where it is only the nearest; null: the same question." }),
    ),
    likeness: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Share of words that its question has in common with the comparison's.",
    }),
    answer: Nullable(
      Type.String({ description: `The first ${COMPARED_ANSWER_LENGTH} characters; null: the call failed.` }),
    ),
    is_cut: Type.Boolean({ description: "The answer is longer." }),
    model: Nullable(Type.String()),
    input_tokens: Nullable(Type.Integer()),
    output_tokens: Nullable(Type.Integer()),
    cost_usd: NullableNumber("As sent or else priced; null: neither."),
    latency_ms: NullableNumber("Null: not sent."),
    scores: Type.Array(
      Type.Object({
        ...CallScore.properties,
        reason: Nullable(Type.String({ description: "The judge's." })),
      }),
      { description: "Of a call that was drawn for a judge." },
    ),
  },
  { $id: "ComparedAnswer" },
);

const Comparison = Type.Object(
  {
    question: Type.String({ description: "What was asked, without the variant's prompt." }),
    asked: Type.Integer({
      description: "Calls that asked it in the same words, among those that were read.",
    }),
    difference: Type.Union([Share, Type.Null()], {
      description:
        "One minus the share of words that answers have in common, on average over all pairs; null: fewer than two answers.",
    }),
    answers: Type.Array(ComparedAnswer, { description: "At most one per variant." }),
  },
  { $id: "Comparison" },
);

const PickSummary = Type.Object(
  {
    variants: Type.Record(
      Type.String(),
      Type.Object({
        compared: Type.Integer({ description: "Picks in which it had an answer." }),
        best: Type.Integer({ description: "Picks of its answer." }),
      }),
    ),
    same: Type.Integer({ description: "Picks of none, because the answers are the same to the person." }),
    judges: Type.Array(
      Type.Object({
        metric: Type.String(),
        pairs: Type.Integer({ description: "Pairs of the best and another answer with different scores." }),
        agreed: Type.Integer({
          description: "Of these, pairs in which the judge gave the best answer more.",
        }),
        ties: Type.Integer({ description: "Pairs with the same score." }),
      }),
      { description: "How the judges order the same answers." },
    ),
  },
  { $id: "PickSummary" },
);

export const Comparisons = Type.Object(
  {
    items: Type.Array(Comparison),
    total: Type.Integer({ description: "Comparisons that fit, of which `items` are the first." }),
    calls: Type.Integer({ description: "Calls that were read: the newest of each variant." }),
    picks: PickSummary,
  },
  { $id: "Comparisons" },
);

export const PickBody = Type.Object(
  {
    event_ids: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      minItems: 2,
      maxItems: MAX_COMPARED,
      uniqueItems: true,
      description: "The answers that were shown, of different variants.",
    }),
    best: Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Null()], {
      description: "One of them; null: they are all the same.",
    }),
  },
  { ...strict, $id: "PickRequest" },
);

export const PickSchema = Type.Object(
  {
    variants: Type.Record(Type.String(), Type.String(), { description: "The variant of each event id." }),
    best: Type.Union([Type.String(), Type.Null()], { description: "The variant; null: all the same." }),
    picked_at: Instant,
  },
  { $id: "Pick" },
);

export const ComparisonOrder = OneOf(COMPARISON_ORDERS, {
  description:
    "difference (default): where answers differ most; asked: most asked; longest: the longest answer; failed: only with a failed call; disagreement: only where a person's label differs from the judge's score.",
});
