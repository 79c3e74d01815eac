import { LOOKS, MAX_HORIZON_WEEKS, PLAN_BASES } from "@assay/domain";
import { Type } from "typebox";
import { Nullable, OneOf, strict } from "./shared.ts";

const Weeks = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_HORIZON_WEEKS, description });

export const DecisionPlanBody = Type.Object(
  {
    horizon_weeks: Type.Optional(
      Nullable(
        Weeks(
          "Whole weeks from the start to the last look. Null: set when the experiment starts, from its traffic, target effects and margins. If these are not known, it is set to two weeks.",
        ),
      ),
    ),
    min_weeks: Type.Optional(
      Weeks("Number of whole weeks before the first look that may decide; default 1."),
    ),
    looks: Type.Optional(
      OneOf(LOOKS, {
        description:
          "group_sequential (default): every night may decide, at boundaries that spread the error over the nights; fixed: only the planned end decides; always_valid: every night may decide, by the confidence sequence.",
      }),
    ),
    alpha: Type.Optional(
      Type.Number({
        minimum: 0.001,
        maximum: 0.2,
        description:
          "Two-sided level of the decision; default 0.05. Which rows are significant does not depend on it.",
      }),
    ),
    power: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: 0.99,
        description: "Chance of finding the target effects; default 0.8.",
      }),
    ),
    futility: Type.Optional(
      Type.Boolean({
        description:
          "Whether results report that the target effect has become unlikely; default true. This never ends an experiment.",
      }),
    ),
    reason: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 1_000,
          description:
            "The reason for changing the plan. Required once a user is exposed; shown with the results.",
        }),
      ),
    ),
    basis: Type.Optional(
      Nullable(
        OneOf(PLAN_BASES, {
          description:
            "In answers: where the horizon comes from. request: sent by the client; traffic: planned from history; default: two weeks, because there was no traffic to plan from. Ignored when sent.",
        }),
      ),
    ),
    expected_users: Type.Optional(
      Nullable(
        Type.Number({
          description:
            "In answers: users of all arms expected by the horizon. Null: not known. Ignored when sent.",
        }),
      ),
    ),
  },
  { ...strict, $id: "DecisionPlan" },
);
