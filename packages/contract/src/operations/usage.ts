import { Type } from "typebox";
import { operation } from "../operation.ts";
import { Id } from "../schemas/shared.ts";
import { OrgPlan, PlanOverrideRequest, UsageSummary } from "../schemas/usage.ts";

export const getUsage = operation({
  operationId: "getUsage",
  method: "GET",
  path: "/v1/usage",
  plane: "dashboard",
  summary: "Reads what this UTC calendar month has used of the plan, and the plan's limits.",
  auth: { kind: "session", role: "member" },
  answers: { 200: { description: "The month so far.", schema: UsageSummary } },
  problems: [],
});

export const putPlanOverride = operation({
  operationId: "putPlanOverride",
  method: "PUT",
  path: "/v1/admin/orgs/{id}/plan-override",
  plane: "platform-owner",
  summary: "Pins an org's plan over what the billing provider says; null unpins it. In force at once.",
  auth: { kind: "platform-owner" },
  params: Type.Object({ id: Id }),
  body: PlanOverrideRequest,
  answers: { 200: { description: "The org's plan.", schema: OrgPlan } },
  problems: ["org-not-found"],
});
