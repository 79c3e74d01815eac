import { REPLAY_CAUSES, REPLAY_VERDICTS } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, Nullable, NullableNumber, OneOf } from "./shared.ts";

const MetricReplaySchema = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    users: Type.Integer({ description: "Users, or units, of the control arm that were split." }),
    test: Nullable(Type.String({ description: "The test that was used for each split. Null without data." })),
    splits: Type.Integer({ description: "Number of splits that the test could compare." }),
    false_positive_rate: NullableNumber("Share of those splits with p < 0.05. Null without data."),
    band_low: NullableNumber("A correct rate lies between band_low and band_high with 99% probability."),
    band_high: NullableNumber("See band_low."),
    value: NullableNumber("Mean of the control halves, in the metric's unit. Null without data."),
    effect_sd: NullableNumber(
      "Standard deviation of the effects between the halves: the real precision. Null without data.",
    ),
    standard_error: NullableNumber(
      "The same precision, from the test's formula. Null for a test without a standard error.",
    ),
    smallest_effect: NullableNumber(
      "The smallest effect that a test of two such halves finds with 80% power, given effect_sd. Null without data.",
    ),
    largest_user_share: NullableNumber(
      "The largest share of the metric's calls, or of its sum, that a single user, or unit, contributes. Null: all count the same.",
    ),
    verdict: OneOf(REPLAY_VERDICTS, {
      description:
        "correct; doubtful: the rate is right, but the standard error is not, or one user or unit weighs too much; false-alarms: the rate is above its band; cautious: the rate is below its band; no-data: too few users or units.",
    }),
    causes: Type.Array(OneOf(REPLAY_CAUSES), { description: "Why the verdict is other than `correct`." }),
    detail: Type.String({ description: "What was found and what to do, in plain text." }),
  },
  { $id: "MetricReplay" },
);

export const ExperimentReplaySchema = Type.Object(
  {
    experiment_id: Id,
    version: Type.Integer({ description: "The experiment's version." }),
    control: Type.String({ description: "The variant whose users, or units, were split." }),
    until: Instant,
    computed_at: Instant,
    splits: Type.Integer({ description: "Random splits per metric." }),
    permutations: Type.Integer({
      description: "The maximum number of permutations for a permutation test in a split.",
    }),
    max_users: Type.Integer({
      description:
        "The maximum number of users, or units, per metric that are split one by one; a quarter of this for a judged metric. If there are more, an even selection of them is split.",
    }),
    metrics: Type.Array(MetricReplaySchema, { description: "In the experiment's order." }),
  },
  { $id: "ExperimentReplay" },
);
