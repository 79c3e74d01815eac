import { DECISION_OUTCOMES, EXPERIMENT_STATUSES, MAX_REHEARSAL_ARMS, REHEARSAL_METRICS } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, Line, Nullable, NullableNumber, OneOf, strict } from "./shared.ts";

export const RehearsalExperimentBody = Type.Object(
  {
    name: Line(128),
    treatments: Type.Optional(
      Type.Array(Line(64), {
        minItems: 1,
        maxItems: MAX_REHEARSAL_ARMS - 1,
        uniqueItems: true,
        description: "Names of the treatments to test against control. Default: those that are not worse.",
      }),
    ),
  },
  { ...strict, $id: "RehearsalExperimentRequest" },
);

const metricOnline = {
  metric: OneOf(REHEARSAL_METRICS),
  treatment: Type.String(),
  unit: OneOf(["relative", "absolute"], {
    description:
      "relative: a share of control's value; absolute: in the metric's unit or, for preference, in the unit of judged quality.",
  }),
};

const Needed = Type.Union(
  [
    Type.Object({
      users: Type.Integer({ description: "Over all arms." }),
      days: Type.Union([Type.Integer(), Type.Null()], { description: "Null: users per day are unknown." }),
    }),
    Type.Null(),
  ],
  {
    description:
      "What an experiment needs to find the effect with 80% power. Null: nothing is known about the metric's values, or no number of users is certain to be enough.",
  },
);

const LedgerSummary = {
  entries: Type.Integer({ description: "Pairs of a rehearsal's effect and an experiment's." }),
  found: Type.Integer({ description: "Experiments whose interval excludes 0." }),
  agreed: Type.Integer({
    description: "How many of these have an effect with the same sign as the rehearsal's.",
  }),
  slope: NullableNumber(
    "The size of an experiment's effect relative to the rehearsal's, over all pairs. Null with fewer than 5 pairs.",
  ),
};

export const RehearsalForecast = Type.Object(
  {
    experiment_id: Type.Union([Id, Type.Null()], {
      description:
        "The experiment whose calls were rehearsed. The plan uses its metrics. Null: the plan uses the metrics of a rehearsal.",
    }),
    treatments: Type.Array(Type.String(), {
      description:
        "Treatments that are not worse: the planned experiment tests them against control. Empty: all treatments are planned with.",
    }),
    users_per_day: NullableNumber(
      "Users per day in all arms together, from the org's history. Null: unknown.",
    ),
    rows: Type.Array(
      Type.Object({
        ...metricOnline,
        online_metric: Type.String({ description: "The experiment's metric that measures the same." }),
        effect: Type.Number({ description: "What an experiment is expected to find." }),
        low: Type.Number({ description: "95% interval." }),
        high: Type.Number(),
        ledger: Type.Object(LedgerSummary),
        needed: Needed,
        needed_at_worst: Needed,
        notes: Type.Array(Type.String()),
      }),
      { description: "Metrics whose effect carries over to an experiment." },
    ),
  },
  { $id: "RehearsalForecast" },
);

export const RehearsalLedger = Type.Object(
  {
    metrics: Type.Array(Type.Object({ metric: OneOf(REHEARSAL_METRICS), ...LedgerSummary }), {
      description: "How well rehearsals and experiments agreed, for metrics with a pair.",
    }),
    needed: Type.Integer({
      description: "Number of pairs that a metric needs before they predict the next experiment.",
    }),
    items: Type.Array(
      Type.Object({
        rehearsal_id: Id,
        experiment: Type.Object({
          id: Id,
          name: Type.String(),
          status: OneOf(EXPERIMENT_STATUSES),
          outcome: Type.Union([OneOf(DECISION_OUTCOMES), Type.Null()], { description: "Null: not decided." }),
          shipped_variant: Nullable(Type.String()),
        }),
        treatments: Type.Array(Type.String(), {
          description: "Arms that the experiment tests against control.",
        }),
        started_at: Instant,
        started_by: Type.Object({ id: Type.String(), name: Type.String() }),
        pairs: Type.Array(
          Type.Object({
            ...metricOnline,
            online_metric: Type.String(),
            rehearsed: Type.Number(),
            found: Type.Number(),
            found_low: Type.Number({ description: "95% interval." }),
            found_high: Type.Number(),
          }),
          { description: "Empty until the experiment has ended." },
        ),
      }),
      { description: "Experiments that come from rehearsals, newest first; at most 200." },
    ),
  },
  { $id: "RehearsalLedger" },
);
