import { Type } from "typebox";
import { operation } from "../operation.ts";
import { Id } from "../schemas/shared.ts";
import { OrgPlan, PlanOverrideRequest, UsageSummary } from "../schemas/usage.ts";

export const getUsage = operation({
  operationId: "getUsage",
  method: "GET",
  path: "/v1/usage",
  plane: "dashboard",
  summary: "Reads this UTC calendar month's usage and the plan's limits.",
  auth: { kind: "session", role: "member" },
  answers: { 200: { description: "The month so far.", schema: UsageSummary } },
  problems: [],
});

export const putPlanOverride = operation({
  operationId: "putPlanOverride",
  method: "PUT",
  path: "/v1/admin/orgs/{id}/plan-override",
  plane: "platform-owner",
  summary:
    "Sets an org's plan, overriding the billing provider; null removes the override. Takes effect at once.",
  auth: { kind: "platform-owner" },
  params: Type.Object({ id: Id }),
  body: PlanOverrideRequest,
  answers: { 200: { description: "The org's plan.", schema: OrgPlan } },
  problems: ["org-not-found"],
});
