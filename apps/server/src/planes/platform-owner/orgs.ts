import { memberAnswer, admin as operations, planAnswer } from "@assay/contract";
import { DomainError, monthOf, type OrgSummary, PLAN_LIMITS, type UsageMonth } from "@assay/domain";
import { definePlatformRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";

const MAX_MEMBERS = 200;

export const listOrgs = definePlatformRoute(operations.listOrgs, async ({ query }, { control, clock }) => {
  const now = clock.now();
  const month = monthOf(now);
  const page = await control.admin.listOrgs(month, toPageQuery(query));
  return pageAnswer(page, (org) => summaryAnswer(org, { month, now }));
});

export const getOrg = definePlatformRoute(operations.getOrg, async ({ params }, { control, clock }) => {
  const now = clock.now();
  const month = monthOf(now);
  const org = await control.admin.findOrg(params.id, month);
  if (org === null) throw new DomainError("org-not-found", "No organization has this id.");
  const members = await control.people.listMembers(params.id, { limit: MAX_MEMBERS });
  return {
    ...summaryAnswer(org, { month, now }),
    memberList: members.items.map(memberAnswer),
    membersTruncated: members.nextCursor !== null,
  };
});

function summaryAnswer(
  { org, plan: state, members, experiments, usage }: OrgSummary,
  { month, now }: { readonly month: UsageMonth; readonly now: number },
) {
  const plan = planAnswer(state, now);
  const eventAllowance = PLAN_LIMITS[plan.plan].monthlyEventAllowance;
  return {
    ...plan,
    orgId: org.id,
    name: org.name || org.externalId,
    createdAt: org.createdAt,
    members,
    experiments,
    usage: { month, ...usage, eventAllowance },
  };
}
