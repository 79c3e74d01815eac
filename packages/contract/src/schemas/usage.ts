import { PLANS } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, Nullable, OneOf, strict } from "./shared.ts";

const Allowance = Nullable(Type.Integer({ description: "Null: no limit." }));

export const PlanLimit = Type.Object(
  {
    plan: OneOf(PLANS),
    retention_days: Type.Integer({ description: "Days for which raw events are kept." }),
    max_permutations: Type.Integer(),
    max_sample_per_arm: Type.Integer({
      description:
        "Users per arm whose values an analysis reads one by one. Sums and counts include all users.",
    }),
    monthly_event_allowance: Allowance,
  },
  { $id: "PlanLimit" },
);

const UsageMeter = Type.Object({ used: Type.Integer(), allowance: Allowance }, { $id: "UsageMeter" });

export const UsageSummary = Type.Object(
  {
    month: Type.String({ description: "UTC calendar month, YYYY-MM." }),
    events: Type.Object({
      used: Type.Integer({ description: "Distinct events: a repeat counts once." }),
      allowance: Allowance,
      overage: Type.Integer({
        description:
          "Accepted events beyond the largest allowance of the month; 0 if the plan refuses them or has no limit.",
      }),
      publishable: Type.Object(
        { used: Type.Integer(), allowance: Allowance },
        {
          description:
            "How many of these events were sent with publishable keys, which may use only a share of the allowance.",
        },
      ),
    }),
    judge_evaluations: UsageMeter,
    overage_billed: Type.Boolean({
      description:
        "Whether the plan's terms bill events beyond the allowance, which it then accepts. This installation charges for them only where overage_metered is true.",
    }),
    overage_metered: Type.Boolean({
      description:
        "Whether events beyond the allowance are reported to the billing provider (ASSAY_BILLING_METER). False: nobody is charged for them.",
    }),
    resets_at: Instant,
    enforced: Type.Boolean({ description: "Whether this installation applies plan limits." }),
    limits: PlanLimit,
  },
  { $id: "UsageSummary" },
);

export const PlanOverrideRequest = Type.Object(
  { plan: Nullable(OneOf(PLANS)) },
  { ...strict, $id: "PlanOverrideRequest" },
);

export const OrgPlan = Type.Object(
  {
    org_id: Id,
    plan: OneOf(PLANS, { description: "The plan in force." }),
    plan_override: Nullable(OneOf(PLANS)),
    subscription_plan: OneOf(PLANS),
    next_plan: Nullable(OneOf(PLANS)),
    next_plan_at: Nullable(Instant),
  },
  { $id: "OrgPlan" },
);
