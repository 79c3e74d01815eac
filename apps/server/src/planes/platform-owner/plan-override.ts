import { usage as operations, planAnswer } from "@assay/contract";
import { DomainError } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { definePlatformRoute } from "../../http/define-route.ts";

/** Pins an org's plan, or unpins it, with immediate effect (spec §3). */
export const putPlanOverride = definePlatformRoute(
  operations.putPlanOverride,
  async ({ params, body, caller }, deps) => {
    const orgId = params.id;
    const state = await deps.control.transaction(async ({ orgs, plans, audit }) => {
      if ((await orgs.find(orgId)) === null)
        throw new DomainError("org-not-found", "No organization has this id.");
      const { override } = await plans.get(orgId);
      await plans.putOverride(orgId, body.plan);
      const summary = body.plan === null ? "Unpinned the plan." : `Pinned the plan ${body.plan}.`;
      const diff = { plan_override: { from: override, to: body.plan } };
      const entry = { action: "plan.override", targetType: "org", targetId: orgId, summary, diff };
      // Recorded in the org's own trail, because it is the org's plan.
      await audit.record(auditEntry({ ...caller, orgId }, entry, deps));
      return plans.get(orgId);
    });
    deps.plans.forget(orgId);
    void deps.seatCaps.push(orgId);
    return { orgId, ...planAnswer(state, deps.clock.now()) };
  },
);
