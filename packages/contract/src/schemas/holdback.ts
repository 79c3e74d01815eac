import { HOLDBACK_WEEKS, SMALLEST_HOLDBACK_PERCENT } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, Nullable, NullableNumber, OneOf, strict } from "./shared.ts";

const HoldbackBody = Type.Object(
  {
    percent: Type.Number({
      minimum: SMALLEST_HOLDBACK_PERCENT,
      maximum: 5,
      description: "Percent of all users who keep control, rounded down to whole buckets.",
    }),
    from: Type.Optional(
      Type.Union([Instant, Type.Null()], { description: "When the variant was shipped; ignored when sent." }),
    ),
    to: Type.Optional(
      Type.Union([Instant, Type.Null()], {
        description:
          "When everybody got the shipped variant; null: the holdback is still running. Ignored when sent.",
      }),
    ),
  },
  { ...strict, $id: "Holdback" },
);

/** Only updates accept these fields: a create cannot ship a variant. */
export const shippingFields = {
  holdback: Type.Optional(
    Type.Union([HoldbackBody, Type.Null()], {
      description: `Some of control's users keep control after the shipping, so that the lift can still be measured. Send it together with status shipped. It ends after ${HOLDBACK_WEEKS} weeks, or with POST /v1/experiments/{id}/holdback/end.`,
    }),
  ),
};

const HoldbackRow = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    desired: OneOf(["increase", "decrease"]),
    test: Type.String(),
    control_value: Type.Number(),
    treatment_value: Type.Number(),
    effect: Type.Number({ description: "The shipped variant minus control, in the metric's unit." }),
    ci_low: NullableNumber("95% interval of the effect."),
    ci_high: NullableNumber("95% interval of the effect."),
    relative_effect: NullableNumber("The lift: the effect as a share of control's value."),
    relative_ci_low: NullableNumber("95% interval of the lift."),
    relative_ci_high: NullableNumber("95% interval of the lift."),
    n_per_arm: Type.Record(Type.String(), Type.Number()),
  },
  { $id: "HoldbackRow" },
);

const HoldbackWindow = Type.Object(
  {
    from: Instant,
    to: Instant,
    users: Type.Record(Type.String(), Type.Number(), {
      description: "Users by variant, from their first exposure in this window.",
    }),
    srm_p: Type.Number({ description: "p-value of the test of the users' split against the shares." }),
    is_withheld: Type.Boolean({
      description:
        "Whether the rows are withheld, because the split differs from the shares and the users cannot be compared.",
    }),
    rows: Type.Array(HoldbackRow, { description: "One per metric with enough events in both arms." }),
  },
  { $id: "HoldbackWindow" },
);

const LiftChange = Type.Object(
  {
    metric: Type.String(),
    lift_then: Type.Number({ description: "The lift in the experiment, relative to control." }),
    lift_now: Type.Number({ description: "The lift since the shipping, relative to control." }),
    change: Type.Number({ description: "lift_now minus lift_then." }),
    ci_low: Type.Number({ description: "95% interval of the change." }),
    ci_high: Type.Number({ description: "95% interval of the change." }),
    p_value: Type.Number(),
    p_value_fdr: Type.Number({ description: "Corrected over the metrics." }),
    verdict: Type.Union([OneOf(["smaller", "larger", "no-difference"]), Type.Null()], {
      description:
        "Decided by the corrected p-value, in the desired direction: smaller if, for example, a cost now falls by less. no-difference: no change of the lift was found, which does not prove that there is none. Null while the holdback is running: there is only one test, at its end.",
    }),
  },
  { $id: "LiftChange" },
);

export const HoldbackView = Type.Object(
  {
    experiment_id: Id,
    computed_at: Type.Union([Instant, Type.Null()], {
      description: "Null: no week has been analyzed yet. A week is analyzed a day after its end.",
    }),
    ends_at: Type.Union([Instant, Type.Null()], {
      description: "When the holdback ends automatically, or when it ended. Null: there is no holdback.",
    }),
    weeks: Type.Array(HoldbackWindow, {
      description: "Oldest first. They are descriptive: only changes is tested.",
    }),
    overall: Nullable(HoldbackWindow),
    compared_with: Type.Union([Type.String(), Type.Null()], {
      description: "The last night before the shipping. changes compares with its lifts.",
    }),
    changes: Type.Array(LiftChange),
    text_changes: Type.Array(
      Type.Object({
        at: Instant,
        variants: Type.Array(Type.String(), { description: "Control, the shipped variant, or both." }),
      }),
      {
        description:
          "Changes to the prompt or variables of a compared variant since the shipping, oldest first. Weeks before and after such a change compare different texts.",
      },
    ),
  },
  { $id: "HoldbackView" },
);
