import {
  ASSIGNMENTS,
  DECISION_OUTCOMES,
  DEFAULT_TARGET_EFFECT,
  EVENT_FIELDS,
  EVENT_SOURCES,
  EXPERIMENT_STATUSES,
  EXPERIMENT_UNITS,
  MAX_HOLDS,
  MAX_QA_USERS,
  MAX_TARGET_EFFECT,
  METRIC_CATEGORIES,
  METRIC_KINDS,
  METRIC_ROLES,
  MODEL_CALL_FIELDS,
  POOLED_CAP,
  RUN_FIELDS,
  TEST_METHODS,
  VISIBILITIES,
} from "@assay/domain";
import { Type } from "typebox";
import { DecisionPlanBody } from "./decision-plan.ts";
import { GuardBody } from "./guard.ts";
import { shippingFields } from "./holdback.ts";
import { JudgeBody } from "./judge.ts";
import {
  Id,
  Instant,
  JsonObjectSchema,
  MetricName,
  NotBlank,
  Nullable,
  OneOf,
  Share,
  strict,
  Tag,
} from "./shared.ts";

export const AllocationSlice = Type.Object(
  {
    variant: Type.String({ minLength: 1, maxLength: 100 }),
    weight: Type.Number({
      minimum: 0,
      maximum: 1e12,
      description: "Relative: 1/1, 50/50 and 0.5/0.5 are the same.",
    }),
  },
  { ...strict, $id: "AllocationSlice" },
);

export const VariantBody = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 100 }),
    prompt: Type.Optional(Nullable(Type.String({ maxLength: 262_144 }))),
    variables: Type.Optional(Nullable(JsonObjectSchema)),
    description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
    enabled: Type.Optional(
      Type.Boolean({
        description: "false: the variant's users get null (control behavior), and its buckets stay reserved.",
      }),
    ),
  },
  strict,
);

const MetricSourceBody = Type.Union([
  Type.Object({ event: Type.Literal("model_call"), field: OneOf(MODEL_CALL_FIELDS) }, strict),
  Type.Object(
    { event: Type.Literal("business_event"), business_metric: Type.String({ minLength: 1, maxLength: 200 }) },
    strict,
  ),
  Type.Object({ event: Type.Literal("judge") }, strict),
  Type.Object(
    {
      event: Type.Literal("run"),
      field: OneOf(RUN_FIELDS, {
        description:
          "The value to take from each agent's run that has ended. completed goes with kinds binary and ratio; the other fields go with mean, ratio and quantile.",
      }),
    },
    strict,
  ),
]);

/** A relative effect: 0.05 is 5% of control's value. */
export const TargetEffect = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_TARGET_EFFECT,
  description: `Smallest effect worth finding, relative to control's value. Planning and days to go use it; default ${DEFAULT_TARGET_EFFECT}.`,
});

const StatTest = OneOf(TEST_METHODS, {
  $id: "StatTest",
  description: "A statistical test; auto: chosen by the metric's kind and data.",
});

export const MetricDefinitionBody = Type.Object(
  {
    name: MetricName,
    kind: OneOf(METRIC_KINDS),
    category: OneOf(METRIC_CATEGORIES),
    method_default: StatTest,
    metric_version: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        "Must rise whenever kind, source, quantile, cap, window_days, judge or accept_from changes, and can never fall. If only the judge changes, it rises automatically.",
    }),
    shared_org_wide: Type.Boolean({
      description:
        "true: one definition for the organization, changed with PUT /v1/metrics/{name}. The first experiment that sets it creates the definition.",
    }),
    source: Type.Optional(MetricSourceBody),
    accept_from: Type.Optional(
      Nullable(
        Type.Array(OneOf(EVENT_SOURCES), {
          minItems: 1,
          uniqueItems: true,
          description:
            "Only events sent in these ways count; null: all events. All run metrics in an experiment need the same list, since a run consists of the events that they accept.",
        }),
      ),
    ),
    quantile: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        exclusiveMaximum: 1,
        description: "For kind quantile only: the quantile, between 0 and 1; default 0.95.",
      }),
    ),
    desired: Type.Optional(OneOf(["increase", "decrease"])),
    role: Type.Optional(OneOf(METRIC_ROLES)),
    margin: Type.Optional(
      Nullable(Type.Number({ minimum: 0, description: "Largest acceptable loss, in the metric's unit." })),
    ),
    target_effect: Type.Optional(TargetEffect),
    window_days: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 365 }))),
    cap: Type.Optional(
      Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Literal(POOLED_CAP), Type.Null()], {
        description: `For kind mean only: a user's larger value is cut to this. "${POOLED_CAP}": the 99.9% quantile over the users of all arms together.`,
      }),
    ),
    method: Type.Optional(
      Type.Union([StatTest, Type.Null()], { description: "Overrides method_default; audited." }),
    ),
    judge: Type.Optional(
      Type.Union([JudgeBody, Type.Null()], {
        description: "Only for a metric whose source is a judge. Null: nothing is judged.",
      }),
    ),
    description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
    display_name: Type.Optional(
      Nullable(NotBlank(80, { description: "Shown on pages instead of the name." })),
    ),
    unit: Type.Optional(
      Nullable(
        NotBlank(20, {
          description: 'Unit of the values, such as "orders" or "€", if the source does not imply it.',
        }),
      ),
    ),
  },
  { ...strict, $id: "MetricDefinition" },
);

export const DecisionBody = Type.Object(
  {
    outcome: OneOf(DECISION_OUTCOMES),
    variant: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 100, description: "Variant to ship." })),
    ),
    note: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  },
  strict,
);

const configFields = {
  name: Type.String({ minLength: 1, maxLength: 100, description: "Unique in the org." }),
  salt: Type.String({ minLength: 1, maxLength: 64, description: "Frozen at creation." }),
  bucket_count: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Frozen at creation." }),
  allocation: Type.Array(AllocationSlice, { minItems: 2, maxItems: 20 }),
  metrics: Type.Array(MetricDefinitionBody, { maxItems: 50 }),
};

/** Words that help people find an experiment. */
export const Tags = Type.Array(Tag, {
  maxItems: 10,
  uniqueItems: true,
  description: "Words that help people find the experiment, such as a team or an area.",
});

const RolloutBody = Type.Object(
  {
    stages: Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), {
      minItems: 1,
      maxItems: 20,
      description:
        "Percent of all users in treatments, rising. Control's share is added to it, so the weights are the same in every stage.",
    }),
    min_minutes: Type.Integer({
      minimum: 1,
      maximum: 30 * 24 * 60,
      description: "How long each stage lasts at least.",
    }),
    stage: Type.Optional(
      Type.Integer({ description: "Index of the current stage, from 0; ignored when sent." }),
    ),
    since: Type.Optional(
      Type.Union([Instant, Type.Null()], {
        description:
          "When the stage began, or began again after a hold; null before the start. Ignored when sent.",
      }),
    ),
  },
  { ...strict, $id: "Rollout" },
);

const optionalConfigFields = {
  unit: Type.Optional(
    OneOf(EXPERIMENT_UNITS, {
      description:
        "What gets a variant and is analyzed: user (default), or a user's conversation or agent run, which events name in unit_id. Frozen at creation.",
    }),
  ),
  coverage: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Share of all buckets that the experiment takes; default 1.",
    }),
  ),
  variants: Type.Optional(
    Type.Array(VariantBody, {
      minItems: 2,
      maxItems: 100,
      description: "Absent: created from the allocation.",
    }),
  ),
  control: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Default: "control" if there is one, else the first allocated.',
    }),
  ),
  assignment: Type.Optional(
    OneOf(ASSIGNMENTS, {
      description:
        "Who assigns variants. assay (default): Assay does, and it compares each exposure with the bucket map; external: another system does, and exposures name the variant.",
    }),
  ),
  flag_key: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          "Key of the flag in another system (flagd, Unleash, LaunchDarkly, GrowthBook) that assigns this experiment's variants; needs assignment external. The variants have the same keys as the flag's, and exposures name them. Assay gives nobody a variant: assign returns null, and the config and Assay's own flags omit the experiment. Frozen once the experiment has started.",
      }),
    ),
  ),
  visibility: Type.Optional(
    OneOf(VISIBILITIES, {
      description:
        "Which keys can read prompts and variables in GET /v1/config. client (default): both keys, so anybody who uses the application can read them; server: the secret key only. Before a running experiment with prompts or variables can use server, the org needs a secret key.",
    }),
  ),
  status: Type.Optional(
    OneOf(EXPERIMENT_STATUSES, {
      description:
        "Default running. shipped: everybody gets shipped_variant. Only running and stopped experiments can become shipped; only drafts and stopped experiments can become archived. Shipped and archived experiments can only become stopped again.",
    }),
  ),
  plan: Type.Optional(DecisionPlanBody),
  hypothesis: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  tags: Type.Optional(Tags),
  decision: Type.Optional(
    Type.Union([DecisionBody, Type.Null()], {
      description: "Only for status stopped, shipped or archived; restarting the experiment clears it.",
    }),
  ),
  shipped_variant: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 100,
        description:
          "The variant that GET /v1/config and POST /v1/assign give everybody. Required for status shipped; cleared when the status changes.",
      }),
    ),
  ),
  guard: Type.Optional(
    Type.Union([GuardBody, Type.Null()], {
      description:
        "What the guard watches between nights: these signals, the traffic split, and metrics with role guardrail. If one gets worse by more than is acceptable, the guard holds the experiment. Default: all signals with a rollout, otherwise null (no guard).",
    }),
  ),
  rollout: Type.Optional(
    Type.Union([RolloutBody, Type.Null()], {
      description:
        "Steps in which the experiment reaches more users automatically while its guard finds no harm. The rollout sets the coverage. It can be added only to drafts.",
    }),
  ),
  qa_users: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Array(Type.String({ minLength: 1, maxLength: EVENT_FIELDS.userId.max })),
      {
        ...strict,
        description: `User ids by variant. While the experiment runs, these users get that variant regardless of bucket, coverage and enabled. They are in no arm. At most ${MAX_QA_USERS} users in total.`,
      },
    ),
  ),
};

export const ExperimentConfigBody = Type.Object(
  { ...configFields, ...optionalConfigFields },
  { ...strict, $id: "ExperimentConfig" },
);

/** A period in which nobody got a variant. */
const HoldSchema = Type.Object(
  {
    from: Instant,
    to: Type.Union([Instant, Type.Null()], { description: "Null: the hold has not ended." }),
    reason: Nullable(Type.String()),
    guardrail: Type.Union([Type.String(), Type.Null()], {
      description: "The guardrail that held the experiment; null: a person held it.",
    }),
  },
  { $id: "Hold" },
);

/** Why a person holds an experiment. */
export const HoldBody = Type.Object(
  { reason: Type.Optional(Nullable(Type.String({ maxLength: 1_000 }))) },
  strict,
);

/** Fields that responses add to the config. Updates accept them, so that a response can be edited and sent back. */
const serverFields = {
  id: Type.Optional(Type.Unknown()),
  version: Type.Optional(Type.Unknown()),
  created_at: Type.Optional(Type.Unknown()),
  updated_at: Type.Optional(Type.Unknown()),
  effective_allocation: Type.Optional(Type.Unknown()),
  holds: Type.Optional(Type.Unknown()),
  is_demo: Type.Optional(Type.Unknown()),
};
export const ExperimentChangeBody = Type.Object(
  {
    ...Type.Partial(Type.Object(configFields)).properties,
    ...optionalConfigFields,
    ...shippingFields,
    ...serverFields,
  },
  { ...strict, minProperties: 1, $id: "ExperimentChange" },
);

export const ExperimentSchema = Type.Object(
  {
    ...configFields,
    ...optionalConfigFields,
    ...shippingFields,
    id: Id,
    version: Type.Integer({ minimum: 1 }),
    created_at: Instant,
    updated_at: Instant,
    effective_allocation: Type.Record(Type.String(), Share, {
      description: "Each variant's real share of all buckets; with flag_key, its share of the weights.",
    }),
    holds: Type.Array(HoldSchema, {
      maxItems: MAX_HOLDS,
      description: `Periods in which nobody got a variant, oldest first. POST /v1/experiments/{id}/hold starts one, and /resume ends it. What happens during a hold is in no analysis. Hold ${MAX_HOLDS} is the last: it ends only when the experiment is stopped.`,
    }),
    is_demo: Type.Boolean({ description: "Whether this is a demo experiment. DELETE /v1/demo removes it." }),
  },
  { $id: "Experiment" },
);

/** Selects the experiments of a list. */
export const StatusQuery = Type.Object(
  {
    status: Type.Optional(
      OneOf(EXPERIMENT_STATUSES, {
        description: "Only experiments with this status. Default: all but archived ones.",
      }),
    ),
  },
  strict,
);

export const ExperimentVersionSchema = Type.Object(
  {
    ...ExperimentSchema.properties,
    created_by: Type.Union([Id, Type.Null()], { description: "Null: Assay itself created the version." }),
  },
  { $id: "ExperimentVersion" },
);
