import {
  JUDGE_SCALES,
  JUDGEMENT_FAILURES,
  MAX_OPEN_REHEARSALS,
  MAX_REHEARSAL_ANSWERS,
  MAX_REHEARSAL_ARMS,
  MAX_REHEARSAL_BUDGET_USD,
  MAX_REHEARSAL_REPEATS,
  MAX_RUBRIC_LENGTH,
  MIN_REHEARSAL_ARMS,
  PREFERENCES,
  REHEARSAL_ENDS,
  REHEARSAL_FAULTS,
  REHEARSAL_JUDGE_MODES,
  REHEARSAL_METRICS,
  REHEARSAL_REQUESTS,
  REHEARSAL_STATES,
  REHEARSAL_VERDICTS,
} from "@assay/domain";
import { Type } from "typebox";
import {
  Id,
  Instant,
  JsonObjectSchema,
  Line,
  NextCursor,
  NotBlank,
  Nullable,
  NullableNumber,
  OneOf,
  PageQuery,
  strict,
} from "./shared.ts";

const MAX_PROMPT = 262_144;

const ArmRequest = Type.Object(
  {
    name: Line(64),
    prompt: Type.Optional(
      Nullable(Type.String({ maxLength: MAX_PROMPT, description: "The system message; null: none." })),
    ),
    model: Type.Optional(Line(200)),
    parameters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Sent with each request: temperature, max_tokens and the like.",
      }),
    ),
    experiment_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          "Id or name of an experiment. The arm takes the prompt from that experiment's variant, and the model and parameters from the variant's variables. The arm's own fields take precedence.",
      }),
    ),
    variant: Type.Optional(Line(64)),
  },
  strict,
);

const JudgeRequestBody = Type.Object(
  {
    rubric: NotBlank(MAX_RUBRIC_LENGTH),
    mode: Type.Optional(
      OneOf(REHEARSAL_JUDGE_MODES, {
        description:
          "pairwise: which of two answers is better, asked in both orders; score: each answer by itself. Default pairwise.",
      }),
    ),
    scale: Type.Optional(OneOf(JUDGE_SCALES, { description: "For mode score only; default pass_fail." })),
  },
  strict,
);

export const RehearsalBody = Type.Object(
  {
    dataset_id: Id,
    arms: Type.Array(ArmRequest, {
      minItems: MIN_REHEARSAL_ARMS,
      maxItems: MAX_REHEARSAL_ARMS,
      description: "The first is control.",
    }),
    repeats: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_REHEARSAL_REPEATS,
        description: `How many answers each arm gives to each input; default 1. All arms together give at most ${MAX_REHEARSAL_ANSWERS} answers.`,
      }),
    ),
    judge: JudgeRequestBody,
    margin: Type.Number({
      exclusiveMinimum: 0,
      maximum: 4,
      description:
        "Largest acceptable loss of quality: in the preference, which ranges from -1 to 1, or for mode score in points of the scale.",
    }),
    budget_usd: Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_REHEARSAL_BUDGET_USD,
      description: "Budget in US dollars. Once it is spent, no new requests are made.",
    }),
    stop_when_enough: Type.Optional(
      Type.Boolean({
        description:
          "Whether the rehearsal ends automatically when every treatment's quality is decided; default true.",
      }),
    ),
  },
  {
    ...strict,
    $id: "RehearsalRequest",
    description: `An organization can have at most ${MAX_OPEN_REHEARSALS} rehearsals that are running or paused.`,
  },
);

const ArmSchema = Type.Object({
  name: Type.String(),
  prompt: Nullable(Type.String()),
  model: Type.String(),
  parameters: JsonObjectSchema,
});

const standing = {
  id: Id,
  dataset_id: Id,
  state: OneOf(REHEARSAL_STATES, { description: "stopped: ended by a person; done: ended automatically." }),
  ended_because: Type.Union([OneOf(REHEARSAL_ENDS), Type.Null()], {
    description:
      "completed: every request is settled; enough: every treatment's quality is decided; budget: the budget is spent. Null unless state is done.",
  }),
  ended_at: Nullable(Instant),
  fault: Type.Union([Type.String(), Type.Null()], {
    description: "Why no requests are made at present, and what to do. Null: no fault is known.",
  }),
  inputs: Type.Integer(),
  budget_usd: Type.Number(),
  spent_usd: Type.Number({
    description: "US dollars. Answers whose cost the endpoint does not report are counted with an estimate.",
  }),
  created_at: Instant,
  created_by: Type.Object({ id: Type.String(), name: Type.String() }),
};

export const RehearsalPage = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { ...standing, arms: Type.Array(Type.String(), { description: "Names; the first is control." }) },
        { $id: "RehearsalSummary" },
      ),
    ),
    next_cursor: NextCursor,
  },
  { $id: "RehearsalPage" },
);

const ReportRow = Type.Object({
  metric: OneOf(REHEARSAL_METRICS),
  treatment: Type.String(),
  inputs: Type.Integer(),
  clusters: Type.Integer({ description: "Number of users whose inputs these are." }),
  control_value: NullableNumber("Mean over inputs. Null for preference, or without data."),
  treatment_value: NullableNumber("See control_value."),
  effect: NullableNumber("Weighted mean of the paired differences. Null without data."),
  ci_low: NullableNumber("95% interval of the effect."),
  ci_high: NullableNumber("See ci_low."),
  always_valid_low: NullableNumber("Low end of an interval that is valid at every look."),
  always_valid_high: NullableNumber("See always_valid_low."),
  p_value: NullableNumber("Null without data."),
  adjusted_p_value: NullableNumber("p_value, corrected over the rows of the report (Benjamini-Hochberg)."),
  is_significant: Type.Boolean(),
  picks: Type.Integer({
    description: "Number of people's picks for this row's pairs; 0 for metrics other than preference.",
  }),
  is_corrected: Type.Boolean({ description: "Whether people's picks corrected the judge." }),
});

const Report = Type.Object(
  {
    verdicts: Type.Array(
      Type.Object({
        treatment: Type.String(),
        verdict: OneOf(REHEARSAL_VERDICTS),
        fault: Nullable(OneOf(REHEARSAL_FAULTS)),
        is_cheaper: Type.Boolean({
          description: "Whether the treatment is not worse and significantly cheaper.",
        }),
        detail: Type.String(),
      }),
    ),
    rows: Type.Array(ReportRow),
    order_bias: Type.Union(
      [
        Type.Object({
          estimate: Type.Number(),
          low: Type.Number(),
          high: Type.Number(),
          inconsistent_share: Type.Number(),
        }),
        Type.Null(),
      ],
      {
        description:
          "How much more often the judge prefers the answer that it sees first. Null in mode score.",
      },
    ),
    is_enough: Type.Boolean({
      description: "Whether the answers are enough: more would not change a verdict.",
    }),
  },
  { $id: "RehearsalReport" },
);

export const RehearsalSchema = Type.Object(
  {
    ...standing,
    arms: Type.Array(ArmSchema),
    repeats: Type.Integer(),
    judge: Type.Object({
      rubric: Type.String(),
      mode: OneOf(REHEARSAL_JUDGE_MODES),
      scale: OneOf(JUDGE_SCALES),
      model: Type.String(),
      version: Type.String(),
    }),
    margin: Type.Number(),
    stop_when_enough: Type.Boolean(),
    has_texts: Type.Boolean({
      description: "false: the texts of answers and reasons were removed, because the dataset was removed.",
    }),
    progress: Type.Object({
      finished_inputs: Type.Integer({ description: "Inputs for which no requests are left to make." }),
      requests: Type.Array(
        Type.Object({
          kind: OneOf(REHEARSAL_REQUESTS),
          pending: Type.Integer({ description: "Pending requests for the inputs that were begun." }),
          done: Type.Integer(),
          failed: Type.Integer(),
          cost_usd: Type.Number(),
        }),
      ),
    }),
    report: Report,
    picks_needed: Type.Integer({
      description: "Number of picks that a treatment needs so that they correct the judge.",
    }),
  },
  { $id: "Rehearsal" },
);

export const PairsQuery = Type.Object(
  {
    ...PageQuery.properties,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
  },
  strict,
);

const usage = {
  cost_usd: NullableNumber("Null: the endpoint reports no tokens."),
  cause: Type.Union([OneOf(JUDGEMENT_FAILURES), Type.Null()], { description: "Why the request failed." }),
  detail: Nullable(Type.String()),
};

export const Messages = Type.Array(Type.Object({ role: OneOf(["user", "assistant"]), text: Type.String() }));

export const RehearsalPairSchema = Type.Object(
  {
    item_id: Type.String(),
    user_id: Nullable(Type.String()),
    messages: Type.Union([Messages, Type.Null()], {
      description: "The input. Null: it is no longer stored.",
    }),
    reference: Nullable(Type.String()),
    answers: Type.Array(
      Type.Object({
        arm: Type.String(),
        repeat: Type.Integer({ description: "From 0." }),
        text: Type.Union([Type.String(), Type.Null()], {
          description: "Null: the request failed, or the text is no longer stored.",
        }),
        length: NullableNumber(
          "Number of characters in the whole answer, of which at most 100,000 are kept.",
        ),
        latency_ms: NullableNumber("Null: the request failed."),
        input_tokens: NullableNumber("Null: the endpoint does not report it."),
        output_tokens: NullableNumber("See input_tokens."),
        ...usage,
      }),
    ),
    judgements: Type.Array(
      Type.Object({
        treatment: Type.String(),
        repeat: Type.Integer(),
        first: Type.Union([OneOf(["control", "treatment"]), Type.Null()], {
          description: "Whose answer the judge saw first. Null: it scored the one answer of `treatment`.",
        }),
        preference: Nullable(OneOf(PREFERENCES)),
        score: NullableNumber("Only in mode score."),
        reason: Nullable(Type.String()),
        ...usage,
      }),
    ),
  },
  { $id: "RehearsalPair" },
);

export const PairPage = Type.Object(
  {
    items: Type.Array(RehearsalPairSchema, {
      description: "In the order in which the rehearsal works on them, which was drawn at random.",
    }),
    next_cursor: NextCursor,
  },
  { $id: "RehearsalPairPage" },
);
