import { PLANS, ROLES, RUN_OUTCOMES } from "@assay/domain";
import { type TObjectOptions, Type } from "typebox";
import { Id, Instant, InstantOf, NextCursor, Nullable, OneOf, strict } from "./shared.ts";

const Day = Type.String({ description: "UTC day, YYYY-MM-DD." });
const Count = Type.Integer({ minimum: 0 });

/** One whole count per name. */
const CountOf = <const T extends readonly string[]>(names: T, options: TObjectOptions = {}) =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, Count])) as Record<T[number], typeof Count>,
    options,
  );

export const AdminOverview = Type.Object(
  {
    orgs: Count,
    users: Count,
    experiments: CountOf(["draft", "running", "stopped"], {
      description: "Experiments by status; shipped and archived ones count as stopped.",
    }),
    plans: CountOf(PLANS),
    events_this_month: Type.Integer({ description: "Metered events of this UTC calendar month." }),
    judge_evaluations_this_month: Count,
    traffic: Type.Array(Type.Object({ day: Day, events: Count }), {
      description: "Events by UTC day of receipt: the last 30 days, oldest first.",
    }),
  },
  { $id: "AdminOverview" },
);

const summaryFields = {
  org_id: Id,
  name: Type.String(),
  created_at: Instant,
  plan: OneOf(PLANS, { description: "The plan in force." }),
  plan_override: Nullable(
    OneOf(PLANS, { description: "Set by a platform owner; overrides the subscription." }),
  ),
  subscription_plan: OneOf(PLANS, { description: "From the billing provider's subscription." }),
  members: Count,
  experiments: Count,
  usage: Type.Object({
    month: Type.String({ description: "UTC calendar month, YYYY-MM." }),
    events: Count,
    judge_evaluations: Count,
    event_allowance: Nullable(Type.Integer({ description: "Null: no limit." })),
  }),
};

export const AdminOrgSummary = Type.Object(summaryFields, { $id: "AdminOrgSummary" });
export const AdminOrgPage = Type.Object(
  { items: Type.Array(AdminOrgSummary), next_cursor: NextCursor },
  { $id: "AdminOrgPage" },
);
export const AdminOrg = Type.Object(
  {
    ...summaryFields,
    member_list: Type.Array(
      Type.Object({
        user_id: Id,
        name: Type.String(),
        email: Type.String(),
        role: OneOf(ROLES),
        joined_at: Nullable(Instant),
      }),
      { description: "The newest 200. `joined_at` is null until the member's first session." },
    ),
    members_truncated: Type.Boolean(),
  },
  { $id: "AdminOrg" },
);

const HEALTH_STATES = ["ok", "degraded", "down"] as const;

export const AdminHealth = Type.Object(
  {
    status: OneOf(HEALTH_STATES, {
      description: "down: a dependency does not answer. degraded: the queue is behind, or analyses failed.",
    }),
    version: Type.String(),
    started_at: InstantOf("When the process that answers started."),
    dependencies: Type.Array(
      Type.Object({
        name: OneOf(["control_plane", "event_store", "queue"]),
        status: OneOf(HEALTH_STATES),
        latency_ms: Nullable(Type.Number({ description: "Null: no ping was needed." })),
        detail: Nullable(Type.String({ description: "What is wrong, in one sentence." })),
      }),
    ),
    queue: Nullable(
      Type.Object(
        {
          batches: Count,
          bytes: Count,
          oldest_age_seconds: Nullable(Type.Number({ description: "Null when the queue is empty." })),
        },
        { description: "Null when the queue does not answer." },
      ),
    ),
    pipeline: Type.Object({
      last_run: Nullable(
        Type.Object({
          day: Day,
          finished_at: Nullable(Instant),
          outcomes: CountOf([...RUN_OUTCOMES, "running"]),
        }),
      ),
      next_run_at: Instant,
      failures: Type.Array(
        Type.Object({
          org_id: Id,
          experiment_id: Id,
          name: Type.String(),
          day: Day,
          detail: Nullable(Type.String()),
        }),
        { description: "Failures in the last 7 days that no later attempt fixed; at most the newest 50." },
      ),
    }),
  },
  { $id: "AdminHealth" },
);

export const DeadLetters = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: "All dead letters, listed or not." }),
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        org_id: Nullable(
          Type.String({ description: "Null when another program put the batch into the queue." }),
        ),
        received_at: Instant,
        buried_at: Instant,
        reason: Type.String({
          description: "Why the event store refused the batch, without any event data.",
        }),
        bytes: Count,
      }),
      { description: "The newest 100." },
    ),
  },
  { $id: "DeadLetters" },
);

export const DeadLetterReplay = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 1_000,
        description: "Default: all dead letters. Unknown ids are ignored.",
      }),
    ),
  },
  { $id: "DeadLetterReplay", ...strict },
);
export const DeadLetterReport = Type.Object(
  { replayed: Type.Integer({ minimum: 0, description: "Batches put back into the queue." }) },
  { $id: "DeadLetterReport" },
);
