import { PLAN_BASES, SMALLER_UNITS } from "@assay/domain";
import { Type } from "typebox";
import { ExperimentConfigBody, TargetEffect } from "./experiment.ts";
import { Id, Nullable, NullableNumber, OneOf, strict } from "./shared.ts";

/** Larger than any sensible value, yet small enough that its square does not overflow. */
const LARGEST = 1e100;
const baselineFields = {
  value: Type.Number({
    minimum: -LARGEST,
    maximum: LARGEST,
    description:
      "Control's value in the metric's unit: the share of users (binary), per call (ratio, quantile) or per user (mean, ordinal).",
  }),
};

const SOURCES = "request: sent by the client; history: from the org's events of the last 14 days";
const Source = OneOf(["request", "history"], { description: `${SOURCES}.` });
const BaselineSource = OneOf(["request", "history", "test"], {
  description: `${SOURCES}; test: the rank test fixes it.`,
});

export const PlanRequest = Type.Object(
  {
    metrics: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: "Names; default: every metric of the experiment.",
      }),
    ),
    users_per_day: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e9,
        description:
          "New users that enter the experiment per day, all arms together. Default: the median of the org's daily new users over the last 7 full days, times the experiment's coverage.",
      }),
    ),
    days: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 3650,
        description: "How long the experiment will run, for mde; default 14.",
      }),
    ),
    target_effect: Type.Optional(
      Type.Number({
        ...TargetEffect,
        description:
          "Relative to control's value, for every metric; default: each metric's own target_effect.",
      }),
    ),
    baselines: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            ...baselineFields,
            sd: Type.Optional(
              Type.Number({
                minimum: 0,
                maximum: LARGEST,
                description:
                  "Standard deviation over users. Required, except for kind binary, where it follows from the share and must not be sent. For a ratio: the standard deviation of the users' own averages, if users make about equally many calls.",
              }),
            ),
          },
          strict,
        ),
        {
          description: "Baselines by metric name, to replace those from history or to plan without history.",
        },
      ),
    ),
    power: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: 0.999,
        description: "Probability of finding a true effect of the target size; default 0.8.",
      }),
    ),
    alpha: Type.Optional(
      Type.Number({
        minimum: 0.0001,
        maximum: 0.5,
        description: "Two-sided level; default 0.05, the level at which results decide.",
      }),
    ),
  },
  { ...strict, $id: "PlanRequest" },
);

const Needed = Type.Object(
  {
    users: Type.Record(Type.String(), Type.Integer(), {
      description: "Users of the two arms. At least 200 (kind binary) or 20, the minimum for a nightly row.",
    }),
    users_total: Type.Integer({
      description: "Users of all arms who must enter for both arms to reach their number.",
    }),
    days: NullableNumber(
      "Whole days until users_total have entered, plus window_days. Null: users per day are not known.",
    ),
  },
  { $id: "PlanNeeded" },
);

const DetectableEffect = Type.Object(
  {
    days: Type.Number({ description: "As requested." }),
    users: Type.Record(Type.String(), Type.Integer(), {
      description: "Users of the two arms whose window_days have passed by then.",
    }),
    absolute: Type.Number({ description: "In the metric's unit." }),
    relative: NullableNumber("Relative to the baseline's value. Null: the baseline is 0."),
  },
  { $id: "PlanDetectableEffect" },
);

const corrected =
  "The same at alpha_corrected: enough even if no other comparison of the experiment shows an effect.";

const SmallerUnit = Type.Object(
  {
    unit: OneOf(SMALLER_UNITS),
    units_per_user: Type.Number({ description: "Mean over users who have one." }),
    correlation: Type.Number({
      description:
        "Correlation of the metric between two units of the same user, from 0 to 1, in the org's last 14 days.",
    }),
    gain: Type.Number({
      description: "How many times fewer units give the same interval, compared with randomizing users.",
    }),
    days: NullableNumber(
      "Like needed.days, but with users_total divided by gain. Null: needed or the users per day are not known.",
    ),
  },
  { $id: "PlanSmallerUnit" },
);

const PlanRow = Type.Object(
  {
    metric: Type.String(),
    treatment: Type.String(),
    baseline: Type.Union(
      [
        Type.Object({
          ...baselineFields,
          sd: Type.Number({
            description:
              "Standard deviation of one user. The standard error of an arm of n users is sd / √n.",
          }),
          source: BaselineSource,
        }),
        Type.Null(),
      ],
      { description: "Null: not known; notes say which data to send." },
    ),
    target_effect: Type.Object({
      relative: Type.Number(),
      absolute: NullableNumber("Size in the metric's unit. Null without a baseline."),
    }),
    needed: Type.Union([Needed, Type.Null()], {
      description: "What is needed to find the target effect with the requested power. Null: notes say why.",
    }),
    needed_corrected: Type.Union([Needed, Type.Null()], { description: corrected }),
    needed_for_margin: Type.Union([Needed, Type.Null()], {
      description:
        "What is needed to settle the metric's margin if the variants do not differ, with the power corrected for the number of margins. Null: the metric has no margin, or notes say why.",
    }),
    mde: Type.Union([DetectableEffect, Type.Null()], {
      description:
        "The smallest effect that can be found with the requested power after `days`. Null: users per day or the baseline are not known, no user's window is over by then, or no effect is large enough.",
    }),
    mde_corrected: Type.Union([DetectableEffect, Type.Null()], { description: corrected }),
    smaller_units: Type.Array(SmallerUnit, {
      description:
        "What randomizing conversations or runs would gain, from the org's last 14 days. Empty if the events name no conversation or run, if the request sends the metric's baseline, or if the experiment's unit is one of these.",
    }),
    notes: Type.Array(Type.String(), { description: "What the row is based on, and what is missing." }),
  },
  { $id: "PlanRow" },
);

const planFields = {
  alpha: Type.Number(),
  alpha_corrected: Type.Number({
    description:
      "alpha / (metrics × treatments of the experiment) (Bonferroni). This is cautious: the Benjamini-Hochberg correction of results needs this level only if a single comparison has an effect.",
  }),
  power: Type.Number(),
  users_per_day: Nullable(Type.Object({ value: Type.Number(), source: Source })),
  shares: Type.Record(Type.String(), Type.Number(), {
    description: "Each arm's share of the users in the experiment, from its current bucket map.",
  }),
  horizon: Type.Object(
    {
      horizon_weeks: Type.Integer(),
      basis: OneOf(PLAN_BASES),
      expected_users: NullableNumber(
        "Users of all arms expected by the horizon. Null: users per day are not known.",
      ),
      notes: Type.Array(Type.String()),
    },
    {
      $id: "PlannedHorizon",
      description:
        "What plan.horizon_weeks becomes when the experiment starts without one: whole weeks until the primary metrics find their target effects and every margin is settled, 8 at most.",
    },
  ),
  rows: Type.Array(PlanRow),
  notes: Type.Array(Type.String()),
};

export const ExperimentPlan = Type.Object(
  { experiment_id: Id, version: Type.Integer(), ...planFields },
  { $id: "ExperimentPlan" },
);

/** The plan of an experiment that has not been stored. */
export const ConfigPlan = Type.Object(planFields, { $id: "ConfigPlan" });
export const ConfigPlanRequest = Type.Object(
  { experiment: ExperimentConfigBody, plan: Type.Optional(PlanRequest) },
  { ...strict, $id: "ConfigPlanRequest" },
);
