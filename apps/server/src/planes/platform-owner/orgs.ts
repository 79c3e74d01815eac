import { admin as operations, toWireMember, toWirePlan } from "@assay/contract";
import {
  DomainError,
  monthOf,
  type OrgSummary,
  PLAN_LIMITS,
  toInstant,
  type UsageMonth,
} from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { toPageQuery, toWirePage } from "../../http/page.ts";

const MAX_MEMBERS = 200;

export const listOrgs = defineRoute(operations.listOrgs, async ({ query }, { control, clock }) => {
  const now = clock.now();
  const month = monthOf(now);
  const page = await control.admin.listOrgs(month, toPageQuery(query));
  return toWirePage(page, (org) => toWire(org, { month, now }));
});

export const getOrg = defineRoute(operations.getOrg, async ({ params }, { control, clock }) => {
  const now = clock.now();
  const month = monthOf(now);
  const org = await control.admin.findOrg(params.id, month);
  if (org === null) throw new DomainError("org-not-found", "No organization has this id.");
  const members = await control.people.listMembers(params.id, { limit: MAX_MEMBERS });
  return {
    ...toWire(org, { month, now }),
    member_list: members.items.map(toWireMember),
    members_truncated: members.nextCursor !== null,
  };
});

function toWire(
  { org, plan: state, members, experiments, usage }: OrgSummary,
  { month, now }: { readonly month: UsageMonth; readonly now: number },
) {
  const { plan, plan_override, subscription_plan } = toWirePlan(state, now);
  return {
    org_id: org.id,
    name: org.name || org.externalId,
    created_at: toInstant(org.createdAt),
    plan,
    plan_override,
    subscription_plan,
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
