import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  CreatedReportLink,
  ReportLinkRequest,
  ReportLinkSetting,
  ReportLinks,
  SharedReport,
  SharedReportRequest,
} from "../schemas/report-links.ts";
import { Id } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const byExperiment = Type.Object({ id: Id });

export const listReportLinks = operation({
  operationId: "listReportLinks",
  method: "GET",
  path: "/v1/experiments/{id}/report-links",
  plane: "dashboard",
  summary: "Lists the valid links that show an experiment's report to people without an account.",
  auth: member,
  params: byExperiment,
  answers: { 200: { description: "The links.", schema: ReportLinks } },
  problems: ["experiment-not-found"],
});

export const createReportLink = operation({
  operationId: "createReportLink",
  method: "POST",
  path: "/v1/experiments/{id}/report-links",
  plane: "dashboard",
  summary:
    "Creates a link that shows an experiment's newest report, prompts included, to anybody who has the link; audit-logged.",
  auth: member,
  params: byExperiment,
  body: ReportLinkRequest,
  answers: { 201: { description: "The link.", schema: CreatedReportLink } },
  problems: ["experiment-not-found", "report-links-forbidden", "too-many-report-links"],
});

export const revokeReportLink = operation({
  operationId: "revokeReportLink",
  method: "DELETE",
  path: "/v1/experiments/{id}/report-links/{link_id}",
  plane: "dashboard",
  summary: "Revokes a link, so that it no longer shows the report; audit-logged.",
  auth: member,
  params: Type.Object({ id: Id, link_id: Id }),
  answers: { 204: { description: "Revoked." } },
  problems: ["experiment-not-found", "report-link-not-found"],
});

export const getReportLinkSetting = operation({
  operationId: "getReportLinkSetting",
  method: "GET",
  path: "/v1/report-link-setting",
  plane: "dashboard",
  summary: "Reads whether the organization allows report links.",
  auth: member,
  answers: { 200: { description: "The setting.", schema: ReportLinkSetting } },
  problems: [],
});

export const putReportLinkSetting = operation({
  operationId: "putReportLinkSetting",
  method: "PUT",
  path: "/v1/report-link-setting",
  plane: "dashboard",
  summary: "Allows or forbids report links, including existing ones; audit-logged.",
  auth: { kind: "session", role: "admin" },
  body: ReportLinkSetting,
  answers: { 200: { description: "The setting.", schema: ReportLinkSetting } },
  problems: [],
});

export const readSharedReport = operation({
  operationId: "readSharedReport",
  method: "POST",
  path: "/v1/shared-report",
  plane: "public",
  summary: "Reads the report that a link shows. The link's token is the credential.",
  auth: { kind: "none" },
  body: SharedReportRequest,
  answers: { 200: { description: "The report.", schema: SharedReport } },
  problems: ["report-link-not-found", "rate-limited"],
});
