import { CLAIM_KINDS, DECISION_STATES, LOOKS } from "@assay/domain";
import { Type } from "typebox";
import { Instant, Nullable, NullableNumber, OneOf, Share } from "./shared.ts";

const RowKeySchema = Type.Object({ metric: Type.String(), treatment: Type.String() });

const ClaimSchema = Type.Object(
  {
    kind: OneOf(CLAIM_KINDS, {
      description:
        "better: the treatment is better; not-worse: it is not worse by more than the metric's margin.",
    }),
    metric: Type.String(),
    metric_version: Type.Integer(),
    treatment: Type.String(),
    is_calibrated: Type.Boolean({
      description:
        "Whether people's labels correct the row. Looks before and after the labels corrected it count for separate claims.",
    }),
    z: NullableNumber("Evidence for the claim, as a standard normal deviate. Null: the row allows no claim."),
    fractions: Type.Array(Type.Number(), {
      description: "Share of the planned information at each look so far; a look at 1 is the last.",
    }),
    boundary: NullableNumber("What z had to reach at the last look. Null: no look could decide yet."),
    conditional_power: NullableNumber(
      "Chance that the claim is met by the planned end if the true effect is the target effect. Null: already met, at the planned end, or not computed.",
    ),
    is_unlikely: Type.Boolean({
      description: "Whether the futility boundary is crossed: the target effect has become unlikely.",
    }),
    met_on: Nullable(Type.String({ description: "The night on which the claim was met. Null: not met." })),
    effect: Type.Number({ description: "The row's effect at the last look." }),
    ci_low: NullableNumber("95% interval of the effect at that look."),
    ci_high: NullableNumber("See ci_low."),
    p_value: Type.Number({ description: "The row's p_value at that look." }),
  },
  { $id: "Claim" },
);

const OpenMarginSchema = Type.Object(
  {
    metric: Type.String(),
    treatment: Type.String(),
    days: NullableNumber(
      "Days until the margin is settled at current traffic if the variants do not differ. Null: not known, or more than ten years.",
    ),
    labels: NullableNumber(
      "People's labels still needed to settle the margin. Null: labels are not the limit.",
    ),
  },
  { $id: "OpenMargin" },
);

const summaryFields = {
  state: OneOf(DECISION_STATES, {
    description:
      "running: not decided; winning: better by evidence that holds at any look, before the plan lets it decide; better-guardrail-open: better, but a margin is not settled; mixed: better in one metric, significantly worse in another; ready-to-decide: a treatment may be shipped; no-difference: the planned looks are over and every margin is met; losing and guardrail-failing: worse by evidence that holds at any look.",
  }),
  decided_state: Nullable(
    OneOf(DECISION_STATES, {
      description:
        "The state at the decision look; state differs from it while there is an alarm. Null: no decision look yet.",
    }),
  ),
  treatment: Nullable(Type.String({ description: "The treatment that the state is about." })),
  looks: OneOf(LOOKS),
  look: Type.Integer({ description: "Number of looks so far." }),
  information: Share,
  boundary: NullableNumber("What z of the leading primary row has to reach. Null: no look could decide yet."),
  open: Type.Array(OpenMarginSchema, { description: "Margins that are not settled." }),
  alarms: Type.Array(RowKeySchema, {
    description: "Failing guardrails and losing primary rows, by evidence that holds at any look.",
  }),
  losses: Type.Array(RowKeySchema, {
    description:
      "Rows of any role that are significantly worse, unless the loss is certainly smaller than their margin.",
  }),
  started_on: Type.String({
    description: "The day by which 1% of the users had arrived, computed on the first night with rows.",
  }),
  earliest_end: Instant,
  planned_end: Instant,
  decided_on: Nullable(
    Type.String({
      description:
        "The night of the decision look. evidence keeps its numbers; later nights change the state only by evidence that holds at any look. Null: no decision look yet.",
    }),
  ),
};

export const DecisionSummarySchema = Type.Object(summaryFields, { $id: "DecisionSummary" });

export const DecisionStatusSchema = Type.Object(
  {
    ...summaryFields,
    evidence: Type.Array(ClaimSchema, {
      description: "From the decision look if there was one, else from the last look.",
    }),
    expected_users: Type.Record(Type.String(), Type.Number(), {
      description:
        "By treatment: users of treatment and control together that are expected by the planned end. The number is fixed on the first night, and confidence sequences are tuned to it.",
    }),
    plan_changes: Type.Array(Type.Object({ at: Instant, reason: Type.String() }), {
      description: "Changes of the plan after the first exposure.",
    }),
  },
  { $id: "DecisionStatus" },
);
