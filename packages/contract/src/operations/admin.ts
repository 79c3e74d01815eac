import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  AdminHealth,
  AdminOrg,
  AdminOrgPage,
  AdminOverview,
  DeadLetterReplay,
  DeadLetterReport,
  DeadLetters,
} from "../schemas/admin.ts";
import { Id, PageQuery } from "../schemas/shared.ts";

const owner = { kind: "platform-owner" } as const;

export const getOverview = operation({
  operationId: "getAdminOverview",
  method: "GET",
  path: "/v1/admin/overview",
  plane: "platform-owner",
  summary: "Reads the totals for all orgs and the traffic in the last 30 days.",
  auth: owner,
  answers: { 200: { description: "The totals.", schema: AdminOverview } },
  problems: [],
});

export const listOrgs = operation({
  operationId: "listAdminOrgs",
  method: "GET",
  path: "/v1/admin/orgs",
  plane: "platform-owner",
  summary: "Lists every org with its plan and this month's usage, newest first.",
  auth: owner,
  query: PageQuery,
  answers: { 200: { description: "One page.", schema: AdminOrgPage } },
  problems: [],
});

export const getOrg = operation({
  operationId: "getAdminOrg",
  method: "GET",
  path: "/v1/admin/orgs/{id}",
  plane: "platform-owner",
  summary: "Reads one org's plan, members and usage.",
  auth: owner,
  params: Type.Object({ id: Id }),
  answers: { 200: { description: "The org.", schema: AdminOrg } },
  problems: ["org-not-found"],
});

export const getHealth = operation({
  operationId: "getAdminHealth",
  method: "GET",
  path: "/v1/admin/health",
  plane: "platform-owner",
  summary: "Reports the health of the dependencies, the queue and the nightly pipeline.",
  auth: owner,
  answers: {
    200: { description: "The health. The status is 200 even if something is down.", schema: AdminHealth },
  },
  problems: [],
});

export const listDeadLetters = operation({
  operationId: "listDeadLetters",
  method: "GET",
  path: "/v1/admin/dead-letters",
  plane: "platform-owner",
  summary: "Lists accepted batches of events that could not be stored, newest first.",
  auth: owner,
  answers: { 200: { description: "The dead letters.", schema: DeadLetters } },
  problems: [],
});

export const replayDeadLetters = operation({
  operationId: "replayDeadLetters",
  method: "POST",
  path: "/v1/admin/dead-letters/replay",
  plane: "platform-owner",
  summary: "Puts dead letters back into the queue of accepted events.",
  auth: owner,
  body: DeadLetterReplay,
  answers: { 200: { description: "How many batches were put back.", schema: DeadLetterReport } },
  problems: ["queue-full"],
});
