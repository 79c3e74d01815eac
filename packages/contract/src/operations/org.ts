import { KEY_SCOPES } from "@assay/domain";
import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  ApiKey,
  AuditPage,
  KeyRequest,
  KeySummary,
  PipelineRunReport,
  PipelineRunRequest,
  PublishableKeyRequest,
  UnusualDays,
  WhoAmI,
} from "../schemas/org.ts";
import { SecurityEventPage } from "../schemas/security-events.ts";
import { OneOf, PageQuery, strict } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const admin = { kind: "session", role: "admin" } as const;
const recentAdmin = { ...admin, isSignInRecent: true } as const;

export const getWhoAmI = operation({
  operationId: "whoami",
  method: "GET",
  path: "/v1/whoami",
  plane: "dashboard",
  summary: "Reads the caller's org, user and role.",
  auth: member,
  answers: { 200: { description: "The caller.", schema: WhoAmI } },
  problems: [],
});

export const listKeys = operation({
  operationId: "listKeys",
  method: "GET",
  path: "/v1/keys",
  plane: "dashboard",
  summary: "Lists the active API keys, without the raw keys.",
  auth: member,
  answers: { 200: { description: "At most one key per scope.", schema: Type.Array(KeySummary) } },
  problems: [],
});

export const rotateKey = operation({
  operationId: "rotateKey",
  method: "POST",
  path: "/v1/keys",
  plane: "dashboard",
  summary:
    "Creates a new API key for a scope. The previous key stops working at once. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  body: KeyRequest,
  answers: { 201: { description: "The raw key.", schema: ApiKey } },
  problems: [],
});

export const putPublishableKey = operation({
  operationId: "putPublishableKey",
  method: "PUT",
  path: "/v1/keys/publishable",
  plane: "dashboard",
  summary: "Sets the origins whose pages may use the publishable key; audit-logged.",
  auth: admin,
  body: PublishableKeyRequest,
  answers: { 200: { description: "The key.", schema: KeySummary } },
  problems: ["not-found"],
});

export const listUnusualDays = operation({
  operationId: "listUnusualDays",
  method: "GET",
  path: "/v1/keys/publishable/unusual-days",
  plane: "dashboard",
  summary:
    "Lists the days in the last week on which the publishable key sent far more events than in the four weeks before.",
  auth: member,
  answers: { 200: { description: "The days, newest first; usually none.", schema: UnusualDays } },
  problems: [],
});

export const revealKey = operation({
  operationId: "revealKey",
  method: "GET",
  path: "/v1/keys/{scope}/reveal",
  plane: "dashboard",
  summary:
    "Reveals the active API key for a scope; audit-logged. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  params: Type.Object({ scope: OneOf(KEY_SCOPES) }),
  answers: { 200: { description: "The raw key.", schema: ApiKey } },
  problems: ["key-not-revealable"],
});

export const listAudit = operation({
  operationId: "listAudit",
  method: "GET",
  path: "/v1/audit",
  plane: "dashboard",
  summary: "Lists the audit log, newest first.",
  auth: member,
  query: Type.Object(
    { target_id: Type.Optional(Type.String({ maxLength: 200 })), ...PageQuery.properties },
    strict,
  ),
  answers: { 200: { description: "One page.", schema: AuditPage } },
  problems: [],
});

export const listSecurityEvents = operation({
  operationId: "listSecurityEvents",
  method: "GET",
  path: "/v1/security-events",
  plane: "dashboard",
  summary: "Lists the org's security events from the last 90 days, newest first.",
  auth: admin,
  query: PageQuery,
  answers: { 200: { description: "One page.", schema: SecurityEventPage } },
  problems: [],
});

export const postPipelineRun = operation({
  operationId: "runPipeline",
  method: "POST",
  path: "/v1/admin/pipeline-runs",
  plane: "platform-owner",
  summary: "Runs the nightly pipeline for one or more UTC days, and reports what it did.",
  auth: { kind: "platform-owner", takesNightTokens: true },
  body: PipelineRunRequest,
  answers: { 200: { description: "The outcome per experiment.", schema: PipelineRunReport } },
  problems: ["experiment-not-found"],
});
