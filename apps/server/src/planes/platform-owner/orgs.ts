import { admin as operations } from "@assay/contract";
import {
  DomainError,
  monthOf,
  type OrgSummary,
  PLAN_LIMITS,
  planInForce,
  toInstant,
  type UsageMonth,
} from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";

const MAX_MEMBERS = 200;

export const listOrgs = defineRoute(operations.listOrgs, async ({ query }, { control, clock }) => {
  const { limit = 50, ...position } = query;
  const now = clock.now();
  const month = monthOf(now);
  const page = await control.admin.listOrgs(month, { limit, ...position });
  return { items: page.items.map((org) => toWire(org, { month, now })), next_cursor: page.nextCursor };
});

export const getOrg = defineRoute(operations.getOrg, async ({ params }, { control, clock }) => {
  const now = clock.now();
  const month = monthOf(now);
  const org = await control.admin.findOrg(params.id, month);
  if (org === null) throw new DomainError("org-not-found", "No organization has this id.");
  const members = await control.people.listMembers(params.id, { limit: MAX_MEMBERS });
  return {
    ...toWire(org, { month, now }),
    member_list: members.items.map(({ userId, name, email, role, joinedAt }) => ({
      user_id: userId,
      name: name || email,
      email,
      role,
      joined_at: joinedAt === null ? null : toInstant(joinedAt),
    })),
    members_truncated: members.nextCursor !== null,
  };
});

function toWire(
  { org, plan: state, members, experiments, usage }: OrgSummary,
  { month, now }: { readonly month: UsageMonth; readonly now: number },
) {
  const plan = planInForce(state, now);
  return {
    org_id: org.id,
    name: org.name || org.externalId,
    created_at: toInstant(org.createdAt),
    plan,
    plan_override: state.override,
    subscription_plan: state.subscription.plan,
    members,
    experiments,
    usage: {
      month,
      events: usage.events,
      judge_evaluations: usage.judgeEvaluations,
      event_allowance: PLAN_LIMITS[plan].monthlyEventAllowance,
    },
  };
}
