import { Type } from "typebox";
import { Instant, Nullable, NullableNumber, OneOf, Share, strict } from "./shared.ts";
import { CallScore } from "./stored-events.ts";

/** The orders in which comparisons can be listed. */
export const COMPARISON_ORDERS = ["difference", "asked", "longest", "failed", "disagreement"] as const;

/** The maximum number of characters of an answer in a comparison. */
export const COMPARED_ANSWER_LENGTH = 4_000;
/** The maximum number of answers in a pick or a comparison by ids, sized for the variants of an experiment. */
export const MAX_COMPARED = 20;

const ComparedAnswer = Type.Object(
  {
    event_id: Type.String(),
    variant: Type.String(),
    occurred_at: Instant,
    question: Nullable(
      Type.String({
        description: "The question that was answered, if it is only similar. Null: it is the same question.",
      }),
    ),
    likeness: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Share of words that this question has in common with the comparison's.",
    }),
    answer: Nullable(
      Type.String({ description: `The first ${COMPARED_ANSWER_LENGTH} characters. Null: the call failed.` }),
    ),
    is_cut: Type.Boolean({ description: "Whether the answer is longer than what is shown." }),
    model: Nullable(Type.String()),
    input_tokens: Nullable(Type.Integer()),
    output_tokens: Nullable(Type.Integer()),
    cost_usd: NullableNumber(
      "The cost that was sent, or else the cost computed from prices. Null: neither is available.",
    ),
    latency_ms: NullableNumber("Null: not sent."),
    scores: Type.Array(
      Type.Object({
        ...CallScore.properties,
        reason: Nullable(Type.String({ description: "The judge's reason." })),
      }),
      { description: "Scores, if the call was drawn for a judge." },
    ),
  },
  { $id: "ComparedAnswer" },
);

const Comparison = Type.Object(
  {
    question: Type.String({ description: "The question, without the variant's prompt." }),
    asked: Type.Integer({
      description: "Number of the calls read that asked the question in the same words.",
    }),
    difference: Type.Union([Share, Type.Null()], {
      description:
        "One minus the share of words that two answers have in common, averaged over all pairs. Null: fewer than two answers.",
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
        compared: Type.Integer({ description: "Picks in which the variant had an answer." }),
        best: Type.Integer({ description: "Picks in which its answer was best." }),
      }),
    ),
    same: Type.Integer({ description: "Picks in which the person found the answers equally good." }),
    judges: Type.Array(
      Type.Object({
        metric: Type.String(),
        pairs: Type.Integer({
          description: "Pairs of the best answer and another one with a different score.",
        }),
        agreed: Type.Integer({
          description: "Pairs in which the judge scored the best answer higher.",
        }),
        ties: Type.Integer({ description: "Pairs with the same score." }),
      }),
      { description: "How the judges rank the same answers." },
    ),
  },
  { $id: "PickSummary" },
);

export const Comparisons = Type.Object(
  {
    items: Type.Array(Comparison),
    total: Type.Integer({
      description: "Number of matching comparisons; `items` contains the first of them.",
    }),
    calls: Type.Integer({ description: "Number of calls read: the newest of each variant." }),
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
      description: "The id of the best answer. Null: all are equally good.",
    }),
  },
  { ...strict, $id: "PickRequest" },
);

export const PickSchema = Type.Object(
  {
    variants: Type.Record(Type.String(), Type.String(), { description: "The variant of each event id." }),
    best: Type.Union([Type.String(), Type.Null()], {
      description: "The variant with the best answer. Null: all are equally good.",
    }),
    picked_at: Instant,
  },
  { $id: "Pick" },
);

export const ComparisonOrder = OneOf(COMPARISON_ORDERS, {
  description:
    "difference (default): where answers differ most first; asked: most asked first; longest: longest answer first; failed: only comparisons with a failed call; disagreement: only those in which a person's label differs from the judge's score.",
});
