import { JUDGE_SCALES, METRIC_ROLES, WITHHOLDING_CHECKS } from "@assay/domain";
import { Type } from "typebox";
import { DecisionStatusSchema } from "./decision-status.ts";
import { PriceListMarkSchema } from "./prices.ts";
import { Counts, Id, Instant, Nullable, NullableNumber, OneOf, Shares, UsersOfUnits } from "./shared.ts";

export const Distribution = Type.Object(
  { bin_edges: Type.Array(Type.Number()), counts: Type.Array(Type.Integer()) },
  { $id: "Distribution" },
);

export const WithheldBy = Type.Union([OneOf(WITHHOLDING_CHECKS), Type.Null()], {
  description: "The health check that withholds the rows. Null: they are shown.",
});

const DaysToGo = Type.Object(
  {
    target_effect: Type.Number({
      description: "The metric's target_effect as an effect in the metric's unit.",
    }),
    days: NullableNumber(
      "Days until that effect would be found with 80% power at the traffic so far; 0: now. Null: not known yet, or more than ten years.",
    ),
    days_low: NullableNumber("The same at the upper quartile of recent daily traffic."),
    days_high: NullableNumber("The same at the lower quartile of recent daily traffic."),
  },
  { $id: "DaysToGo" },
);

const Cuped = Type.Object(
  {
    theta: Type.Number({
      description: "Factor applied to the value from before the first exposure, which is then subtracted.",
    }),
    coverage: Type.Number({
      description: "Share of users who have a value from before their first exposure.",
    }),
    variance_reduction: Type.Number({
      description: "1 − variance after the adjustment / variance before it.",
    }),
  },
  { $id: "CovariateAdjustment" },
);

const JudgeMarkSchema = Type.Object(
  {
    version: Type.String({ description: "Model and fingerprint of rubric, scale and protocol." }),
    scale: OneOf(JUDGE_SCALES),
    judged_per_arm: Type.Record(Type.String(), Type.Integer(), { description: "Judged calls." }),
    labels_per_arm: Type.Record(Type.String(), Type.Integer(), {
      description: "Judged calls that were shown to a person at random and given a score.",
    }),
    probability_low: Type.Number({
      description: "The smallest probability with which any judged call was drawn.",
    }),
    probability_high: Type.Number({ description: "The largest such probability." }),
    retest_sd: NullableNumber(
      "Standard deviation between two judgements of the same answer. Null: fewer than two answers were judged twice.",
    ),
    calibrated: Type.Boolean({
      description: "true: people's labels correct the row (PPI++). false: it is the judge's opinion.",
    }),
    lambda: Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()], {
      description: "Weight of the judge's scores relative to the labels, 0 to 1. Null: not calibrated.",
    }),
    uncalibrated: Type.Union(
      [
        Type.Object({
          test: Type.String(),
          p_value: Type.Number(),
          control_value: Type.Number(),
          treatment_value: Type.Number(),
          effect: Type.Number(),
          ci_low: NullableNumber("95% interval of effect."),
          ci_high: NullableNumber("See ci_low."),
        }),
        Type.Null(),
      ],
      {
        description:
          "The effect from the judge's scores alone. Null: the row is already the judge's opinion.",
      },
    ),
  },
  { $id: "JudgeMark" },
);

const NonInferioritySchema = Type.Object(
  {
    margin: Type.Number({ description: "Largest acceptable loss, in the metric's unit." }),
    worst_loss: NullableNumber(
      "The largest loss that the 95% interval of effect does not exclude. Below 0: even the interval's worst end is a gain. Null: no interval.",
    ),
    is_not_worse: Type.Boolean({ description: "Whether worst_loss < margin: a one-sided test at 2.5%." }),
    is_not_worse_seq: Type.Boolean({
      description: "The same, from the confidence sequence: valid however often you look.",
    }),
  },
  { $id: "NonInferiority" },
);

export const TradeoffSchema = Type.Object(
  {
    treatment: Type.String(),
    verdict: OneOf(["cheaper-and-not-worse"]),
    saving: Type.Object({
      metric: Type.String({ description: "The cost metric whose corrected p-value is below 0.05." }),
      usd_per_1000_users: Type.Number({ description: "US dollars saved, positive." }),
      ci_low: Type.Number({ description: "95% interval of the saving." }),
      ci_high: Type.Number(),
      relative_effect: NullableNumber("Relative effect of the cost metric: -0.18 is 18% cheaper."),
      relative_ci_low: NullableNumber("See relative_effect."),
      relative_ci_high: NullableNumber("See relative_effect."),
    }),
    not_worse: Type.Array(
      Type.Object({
        metric: Type.String(),
        margin: Type.Number(),
        worst_loss: Type.Number(),
        is_judge_opinion: Type.Boolean({
          description: "The metric rests on a judge's scores that labels do not correct.",
        }),
      }),
      { description: "Every metric with a margin." },
    ),
    is_settled: Type.Boolean({
      description: "Whether the finding is valid at any look, or the planned precision is reached.",
    }),
  },
  { $id: "Tradeoff" },
);

export const MetricResultSchema = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    treatment: Type.String(),
    control: Type.String(),
    role: OneOf(METRIC_ROLES),
    desired: OneOf(["increase", "decrease"]),
    test: Type.String({ description: "The test that ran." }),
    statistic: NullableNumber("The test's statistic. Null: the test has none."),
    p_value: Type.Number({ description: "Two-sided and uncorrected; never decides." }),
    p_value_fdr: Type.Number({
      description: "p_value, corrected over all rows of the run (Benjamini-Hochberg); decides at < 0.05.",
    }),
    p_floor: Type.Boolean({
      description:
        "true: p_value is the smallest value that this many permutations can give. The true value may be smaller: read p_value as ≤.",
    }),
    significant: Type.Boolean({ description: "p_value_fdr < 0.05." }),
    verdict: OneOf(["better", "worse", "inconclusive"]),
    control_value: Type.Number({ description: "In the metric's unit." }),
    treatment_value: Type.Number({ description: "In the metric's unit." }),
    effect: Type.Number({ description: "Treatment minus control, in the metric's unit." }),
    ci_low: NullableNumber(
      "95% interval of effect, valid for a single look, like p_value. Null: the test gives none.",
    ),
    ci_high: NullableNumber("See ci_low."),
    standard_error: NullableNumber(
      "Standard error of effect, in the metric's unit. Null: the values have no spread.",
    ),
    ci_selected_low: NullableNumber(
      "Low end of an interval of effect that keeps its 95% on average over the run's significant rows, and is wider than ci_low to ci_high (Benjamini & Yekutieli 2005). Null: not significant, or no interval.",
    ),
    ci_selected_high: NullableNumber("See ci_selected_low."),
    relative_effect: NullableNumber(
      "effect / control_value: 0.1 is +10%. Null: control is not above 0, or the metric has no relative effect.",
    ),
    relative_ci_low: NullableNumber("95% interval of relative_effect (Fieller). Null: unbounded."),
    relative_ci_high: NullableNumber("See relative_ci_low."),
    ci_seq_low: NullableNumber(
      "95% confidence sequence of effect: valid however often you look. Null: the values have no spread, a binary metric expects fewer than 10 cases in a cell, or an arm has fewer than users_for_skew users.",
    ),
    ci_seq_high: NullableNumber("See ci_seq_low."),
    p_value_seq: NullableNumber(
      "Always-valid p-value, the smallest over the nights so far: valid however often you look. Null when ci_seq_low is.",
    ),
    p_value_seq_fdr: NullableNumber(
      "The always-valid p-value of this run alone, corrected over the run's rows (e-BH). Null when ci_seq_low is.",
    ),
    mde: NullableNumber(
      "Smallest effect, in the metric's unit, that this much data can find with 80% power at 5%. Null when standard_error is.",
    ),
    mde_corrected: NullableNumber(
      "The same at 5% divided by the number of rows in the run (Bonferroni), which is cautious. Null when standard_error is.",
    ),
    days_to_go: Type.Union([DaysToGo, Type.Null()], {
      description:
        "Forecast of when the metric's target effect can be found at the traffic so far. Null: unknown.",
    }),
    users_for_skew: NullableNumber(
      "Users that every arm needs, given the split and the skewness of the users' values, before non_inferiority, ci_seq and p_value_seq are computed. With fewer users they are withheld (worst_loss null, is_not_worse false), since a few users would have too much weight. Null: the rule does not apply to this row.",
    ),
    cuped: Type.Union([Cuped, Type.Null()], {
      description:
        "The adjustment of the values for what users did before their first exposure (CUPED). Null: no adjustment.",
    }),
    shift: NullableNumber(
      "Hodges-Lehmann shift of mann_whitney_u, in the metric's unit: the median of all differences between a treatment and a control user, not a difference of means. Null for other tests.",
    ),
    n_per_arm: Type.Record(Type.String(), Type.Integer(), { description: "Users analyzed." }),
    users_per_arm: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description:
          "Users whose units were analyzed. Present only if the experiment's unit is not the user; every other count of users in the row then counts units, except users_for_skew.",
      }),
    ),
    carry_over: Type.Optional(
      Type.Object(
        {
          effect: Type.Number({
            description: "The effect in each user's first unit, which no earlier unit can influence.",
          }),
          ci_low: Type.Number(),
          ci_high: Type.Number(),
          n_per_arm: Type.Record(Type.String(), Type.Integer(), { description: "First units." }),
          p_value: Type.Number({
            description: "Two-sided, for the difference between the effect in first units and in all units.",
          }),
          earlier_effect: Type.Number({
            description:
              "The difference in a user's later units by the variant of the unit before: treatment minus control, among units of the same variant.",
          }),
          earlier_p_value: Type.Number({ description: "Two-sided, for earlier_effect." }),
        },
        {
          description:
            "The influence of users' earlier units on later ones. Absent if the unit is the user, if too few users have two units, and for quantiles and ranks.",
        },
      ),
    ),
    n_total_per_arm: Type.Record(Type.String(), Type.Integer(), {
      description:
        "Users who have the metric: more than n_per_arm if a sample was analyzed or an allocation period was left out.",
    }),
    periods: Type.Integer({
      description: "Periods of constant allocation within which the arms were compared.",
    }),
    events_per_arm: Type.Record(Type.String(), Type.Integer(), {
      description:
        "Evaluated events: events that gave the metric a value. For kind binary, each user counts as one event; for a judged metric, each judged call.",
    }),
    srm_p: Type.Number({ description: "p-value of the run's test of the traffic split." }),
    permutations_used: Type.Integer({
      description: "Number of permutations from which p_value was computed; 0 for a closed form.",
    }),
    sample_cap_used: Type.Integer({
      description: "Maximum number of users per arm if a sample was analyzed; 0: every user.",
    }),
    window_days: Type.Number({ description: "From the first exposure to the cut-off." }),
    retention_truncated: Type.Boolean({
      description: "true: some raw events had expired before the metric was defined, so it lacks them.",
    }),
    preliminary: Type.Boolean({ description: "true for manual runs." }),
    distribution: Type.Record(Type.String(), Distribution, {
      description: "Per arm: the distribution of the values.",
    }),
    judge: Type.Union([JudgeMarkSchema, Type.Null()], { description: "Null: the metric is not judged." }),
    non_inferiority: Type.Union([NonInferioritySchema, Type.Null()], {
      description: "Null: the metric has no margin.",
    }),
  },
  { $id: "MetricResult" },
);

export const HealthEntrySchema = Type.Object(
  { code: Type.String(), severity: OneOf(["info", "warning", "critical"]), detail: Type.String() },
  { $id: "HealthEntry" },
);

export const ResultsSchema = Type.Object(
  {
    experiment_id: Id,
    version: Type.Integer(),
    computed_for: Type.String({ description: "A UTC day, or manual-<ISO instant>." }),
    revision: Type.Integer({
      minimum: 1,
      description: "1 for the first computation of the run, plus one for each time the night was run again.",
    }),
    revisions: Type.Array(Type.Integer(), {
      description: "Every revision of this run, oldest first. Without `revision`, the last one is returned.",
    }),
    available_days: Type.Array(Type.String(), {
      description: "The runs whose newest revision has rows, latest window first.",
    }),
    preliminary: Type.Boolean(),
    computed_at: Instant,
    seed: Nullable(
      Type.Integer({
        description:
          "Seed of every random draw in the run. With the same seed, the same events give the same results byte for byte.",
      }),
    ),
    code_version: Type.String({
      description: 'The version of Assay that computed the run; "" for runs from before it was stored.',
    }),
    price_list: Type.Union([PriceListMarkSchema, Type.Null()], {
      description:
        "The prices of calls that carry no cost, as GET /v1/prices?as_of= returns them. Null for runs from before they were stored.",
    }),
    window: Type.Object({ from: Nullable(Instant), to: Instant }),
    srm: Type.Object({
      status: OneOf(["passed", "halted"]),
      p_value: Type.Number({
        description:
          "p-value of the test of the traffic split against the allocation. Below threshold, the run is withheld.",
      }),
      p_value_seq: NullableNumber(
        "Always-valid p-value: valid however often you look; it does not decide. Null for runs from before it was stored.",
      ),
      threshold: Type.Number(),
      observed: Counts,
      expected: Shares,
    }),
    withheld_by: WithheldBy,
    results: Type.Record(Type.String(), MetricResultSchema, {
      description: 'Keyed "<metric>::<treatment>"; empty when the rows are withheld.',
    }),
    tradeoffs: Type.Array(TradeoffSchema, {
      description: "Treatments that are significantly cheaper and not worse by more than the margins allow.",
    }),
    decision: Type.Union([DecisionStatusSchema, Type.Null()], {
      description:
        "The run's decision status by the experiment's plan. Null: the run has no rows, or predates plans.",
    }),
    health: Type.Array(HealthEntrySchema),
    exclusions: Type.Integer({
      minimum: 0,
      description:
        "Number of the last entry of GET /v1/experiments/{id}/exclusions that the run applied; 0: there was none.",
    }),
  },
  { $id: "Results" },
);

export const LiveStats = Type.Object(
  {
    experiment_id: Id,
    as_of: Instant,
    exposures: Counts,
    users: Counts,
    users_of_units: UsersOfUnits,
    distributions: Type.Record(Type.String(), Type.Record(Type.String(), Distribution), {
      description: "By metric, then by arm.",
    }),
    evaluated_events: Type.Record(Type.String(), Counts, {
      description:
        "By metric, then by arm: events that gave the metric a value. For kind binary, each exposed user counts as one event.",
    }),
    exposures_by_minute: Type.Array(Type.Object({ minute: Instant, exposures: Counts }), {
      description: "The last 60 minutes, oldest first; a minute without exposures is absent.",
    }),
    note: Type.String(),
  },
  { $id: "LiveStats" },
);

export const TrafficSeries = Type.Object(
  {
    experiment_id: Id,
    days: Type.Array(Type.Object({ day: Type.String(), exposures: Counts, users: Counts })),
  },
  { $id: "TrafficSeries" },
);
