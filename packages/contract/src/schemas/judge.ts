import {
  DEFAULT_JUDGE_SCALE,
  DEFAULT_SAMPLE_RATE,
  EXPERIMENT_UNITS,
  JUDGE_SCALES,
  JUDGEMENT_FAILURES,
  JUDGEMENT_STATES,
  MAX_RUBRIC_LENGTH,
} from "@assay/domain";
import { Type } from "typebox";
import {
  Counts,
  Id,
  Instant,
  NextCursor,
  NotBlank,
  Nullable,
  NullableNumber,
  OneOf,
  strict,
} from "./shared.ts";

/** A metric's judge. */
export const JudgeBody = Type.Object(
  {
    rubric: NotBlank(MAX_RUBRIC_LENGTH, {
      description: "What makes an answer good. Changing it or the scale starts a new version of the metric.",
    }),
    scale: Type.Optional(
      OneOf(JUDGE_SCALES, {
        description: `pass_fail: 1 or 0; 1-5: whole points; 0-1: any number; default ${DEFAULT_JUDGE_SCALE}.`,
      }),
    ),
    sample_rate: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description: `Share of calls to judge, within the plan's allowance; default ${DEFAULT_SAMPLE_RATE}.`,
      }),
    ),
  },
  strict,
);

/** The number of answers on which a draft rubric is tried. */
export const TRIED_ANSWERS = 10;

export const TryRubricBody = Type.Object(
  {
    judge: Type.Object({ rubric: JudgeBody.properties.rubric, scale: JudgeBody.properties.scale }, strict),
    experiment_id: Type.Optional(
      Type.String({
        format: "uuid",
        description: "The experiment whose answers are used. Default: the newest one with answers.",
      }),
    ),
    unit: Type.Optional(
      OneOf(EXPERIMENT_UNITS, {
        description:
          "Without experiment_id: take answers only from experiments with this unit. If it is the user, single answers are judged, otherwise whole conversations or runs. Default: any unit.",
      }),
    ),
  },
  { ...strict, $id: "TryRubricRequest" },
);

export const TriedRubric = Type.Object(
  {
    model: Type.String({ description: "The judge's model." }),
    experiment_id: Nullable(Id),
    experiment_name: Nullable(
      Type.String({ description: "The experiment that the answers come from. Null: there are none yet." }),
    ),
    unit: OneOf(EXPERIMENT_UNITS, {
      description: "What was scored: an answer (user), or a whole conversation or run up to its newest call.",
    }),
    items: Type.Array(
      Type.Object({
        event_id: Type.String(),
        question: Nullable(Type.String({ description: "Null: the whole conversation or run is scored." })),
        answer: Type.String({ description: "The answer, or the transcript of the conversation or run." }),
        score: NullableNumber("Null: the judge gave no score; `detail` says why."),
        reason: Nullable(Type.String({ description: "The judge's reason." })),
        detail: Nullable(Type.String()),
      }),
      { description: `The newest answers, at most ${TRIED_ANSWERS}, equally many from each variant.` },
    ),
    cost_usd: NullableNumber(
      "Cost of these requests in US dollars. Null: the model has no price, or the endpoint reports no tokens.",
    ),
  },
  { $id: "TriedRubric" },
);

/** Why a metric's calls are being judged, or why not. */
export const JUDGED_STATES = [
  "judging",
  "not-configured",
  "locked",
  "allowance-used",
  "no-rubric",
  "not-running",
  "judge-failing",
] as const;

const Kappa = {
  labels: Type.Integer({ description: "Number of labels with a score." }),
  kappa: NullableNumber(
    "Cohen's kappa. On the scale 1-5 it is quadratically weighted; on 0-1 it compares pass (0.5 or more) and fail. Null: too few labels, or all in one category.",
  ),
  ci_low: NullableNumber("95% interval of kappa."),
  ci_high: NullableNumber("See ci_low."),
};

export const JudgedMetric = Type.Object(
  {
    experiment_id: Id,
    experiment_name: Type.String(),
    is_demo: Type.Boolean(),
    metric: Type.String(),
    metric_version: Type.Integer(),
    judge: Nullable(JudgeBody),
    judge_version: Type.Union([Type.String(), Type.Null()], {
      description: "Model and fingerprint of rubric, scale and protocol. Null: no calls drawn yet.",
    }),
    state: OneOf(JUDGED_STATES),
    detail: Type.String({ description: "The state in one sentence, and what to do about it." }),
    arms: Type.Record(
      Type.String(),
      Type.Object({
        pending: Type.Integer(),
        scored: Type.Integer(),
        failed: Type.Integer(),
        labels: Type.Integer(),
      }),
    ),
    backlog: Type.Integer({ description: "Judgements still to make, including repeats." }),
    oldest_pending_at: Type.Union([Instant, Type.Null()], {
      description: "When the oldest judgement in the backlog was drawn.",
    }),
    failed_share: NullableNumber("Share of the finished judgements that failed. Null: none finished."),
    failures: Type.Array(Type.Object({ cause: OneOf(JUDGEMENT_FAILURES), count: Type.Integer() })),
    evaluations: Type.Integer(),
    evaluations_today: Type.Integer({ description: "Since midnight UTC." }),
    cost_usd: Type.Number({ description: "US dollars, by the org's prices." }),
    cost_usd_today: Type.Number(),
    unpriced: Type.Integer({ description: "Judgements whose tokens have no price." }),
    first_day: Nullable(Type.String({ description: "UTC day of the first calls that were drawn." })),
    last_day: Nullable(Type.String()),
    last_labelled_at: Nullable(Instant),
    agreement: Nullable(Type.Object(Kappa)),
  },
  { $id: "JudgedMetric" },
);

export const JudgesOverview = Type.Object(
  {
    is_configured: Type.Boolean({ description: "Whether ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL are set." }),
    model: Nullable(Type.String()),
    lock: Type.Union([Type.String(), Type.Null()], {
      description: "Why the plan allows no judge evaluations. Null: it allows them.",
    }),
    fault: Type.Union([Type.Object({ detail: Type.String(), since: Instant }), Type.Null()], {
      description: "Why the judge's endpoint currently returns no scores.",
    }),
    evaluations: Type.Object({
      used: Type.Integer({ description: "This UTC month." }),
      allowance: Type.Union([Type.Integer(), Type.Null()], { description: "Null: no limit." }),
      today: Type.Integer(),
      per_minute: Type.Number({ description: "Average of this process over the last five minutes." }),
    }),
    backlog: Type.Integer(),
    cost_usd_today: Type.Number(),
    items: Type.Array(JudgedMetric, {
      description: "Judged metrics of all experiments except drafts.",
    }),
  },
  { $id: "JudgesOverview" },
);

const Score = Type.Number({ description: "On the judge's scale." });

export const JudgementSchema = Type.Object(
  {
    event_id: Type.String(),
    metric: Type.String(),
    metric_version: Type.Integer(),
    is_repeat: Type.Boolean({ description: "Whether this is the second judgement of the call." }),
    judge_version: Type.String(),
    user_id: Type.String(),
    unit_id: Nullable(
      Type.String({
        description:
          "The conversation or run that was judged, up to this call. Null: only the call was judged.",
      }),
    ),
    variant: Type.String(),
    occurred_at: Instant,
    probability: Type.Number({
      description:
        "Probability that the call was drawn, times the probability that a sampler kept it. The call has the weight 1 / probability. 0: the call was judged early, and counts only if the day's draw includes it.",
    }),
    state: OneOf(JUDGEMENT_STATES),
    score: Nullable(Score),
    reason: Nullable(Type.String({ description: "The judge's reason." })),
    cause: Type.Union([OneOf(JUDGEMENT_FAILURES), Type.Null()], {
      description: "Why the last attempt failed.",
    }),
    detail: Nullable(Type.String()),
    attempts: Type.Integer(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cost_usd: NullableNumber("US dollars. Null: no cost, or the model has no price."),
    judged_at: Nullable(Instant),
    label: Type.Union([Type.Number(), Type.Null()], { description: "A person's score for the same call." }),
  },
  { $id: "Judgement" },
);

export const JudgementPage = Type.Object(
  { items: Type.Array(JudgementSchema), next_cursor: NextCursor },
  { $id: "JudgementPage" },
);

export const RetriedJudgements = Type.Object({ retried: Type.Integer() }, { $id: "RetriedJudgements" });

export const LabelBody = Type.Object(
  {
    metric: Type.String({ minLength: 1, maxLength: 64 }),
    event_id: Type.String({
      minLength: 1,
      maxLength: 128,
      description: "Id of a model call that the judge has scored.",
    }),
    score: Type.Union([Type.Number(), Type.Null()], {
      description:
        "A score on the judge's scale. Null: the person cannot tell. Either way the call is not shown again.",
    }),
    note: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
  },
  { ...strict, $id: "LabelRequest" },
);

const labelFields = {
  event_id: Type.String(),
  metric: Type.String(),
  metric_version: Type.Integer(),
  score: Type.Union([Type.Number(), Type.Null()], { description: "Null: the person could not tell." }),
  note: Nullable(Type.String()),
  labelled_by: Type.Object({ id: Type.String(), name: Type.String() }),
  labelled_at: Instant,
  is_drawn: Type.Boolean({
    description:
      "Whether the call was shown at random. Such labels correct the judge; others only measure its agreement.",
  }),
};

export const LabelSchema = Type.Object(labelFields, { $id: "Label" });

export const LabelPage = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { ...labelFields, variant: Type.String(), judge_score: Score, judge_reason: Type.String() },
        { $id: "ComparedLabel" },
      ),
    ),
    next_cursor: NextCursor,
  },
  { $id: "LabelPage" },
);

export const LabelQueue = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    judge: JudgeBody,
    unit: OneOf(EXPERIMENT_UNITS, {
      description: "What is scored: an answer (user), or a whole conversation or run.",
    }),
    items: Type.Array(
      Type.Object({
        event_id: Type.String(),
        input: Type.Union([Type.String(), Type.Null()], {
          description:
            "The user's question without the variant's prompt. Null: the two cannot be separated, or the whole conversation or run is scored.",
        }),
        answer: Type.Union([Type.String(), Type.Null()], {
          description:
            "The answer, or the transcript of the conversation or run. Null: the model call failed, and the user got no answer.",
        }),
      }),
      {
        description: "Drawn calls without a label. Arms are mixed; variant and score are hidden.",
      },
    ),
    labelled: Type.Integer({
      description: "Number of labels that correct the judge, in the arm with the fewest.",
    }),
    needed: Type.Integer({ description: "Labels per arm that calibration needs." }),
    waiting: Type.Integer({
      description: "Judged calls without a label; at most 200 per arm are counted.",
    }),
  },
  { $id: "LabelQueue" },
);

const ArmAgreement = Type.Object(
  {
    ...Kappa,
    agreeing: Type.Integer({ description: "Labels that agree with the judge." }),
    matrix: Type.Array(Type.Array(Type.Integer()), {
      description: "Counts by category: rows are labels, columns the judge's scores.",
    }),
    false_passes: Type.Object(
      { count: Type.Integer(), of: Type.Integer() },
      {
        description:
          "of: answers that people fail; count: those of them that the judge passes. A pass is 0.5 or more (0-1), or 4 or more (1-5).",
      },
    ),
    false_fails: Type.Object(
      { count: Type.Integer(), of: Type.Integer() },
      { description: "of: answers that people pass; count: those of them that the judge fails." },
    ),
    mean_judge_score: NullableNumber("Over the labeled calls."),
    mean_label: NullableNumber("Over the labeled calls."),
  },
  { $id: "ArmAgreement" },
);

export const Agreement = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    judge_version: Nullable(Type.String()),
    categories: Type.Array(Type.String(), { description: "Categories of the matrices, worst first." }),
    needed: Type.Integer({
      description: "Randomly drawn labels per arm that calibration needs.",
    }),
    drawn_labels: Counts,
    overall: ArmAgreement,
    arms: Type.Record(Type.String(), ArmAgreement),
  },
  { $id: "Agreement" },
);
