import { Type } from "typebox";
import { operation } from "../operation.ts";
import { NewServiceToken, ServiceTokenList, ServiceTokenRequest } from "../schemas/service-tokens.ts";
import { Id } from "../schemas/shared.ts";

const recentAdmin = { kind: "session", role: "admin", isSignInRecent: true } as const;
const adminInPerson = { kind: "session", role: "admin", isPersonal: true } as const;

export const listServiceTokens = operation({
  operationId: "listServiceTokens",
  method: "GET",
  path: "/v1/service-tokens",
  plane: "dashboard",
  summary: "Lists the org's service tokens, newest first, expired ones included, without the raw tokens.",
  auth: { kind: "session", role: "admin" },
  answers: { 200: { description: "At most 100.", schema: ServiceTokenList } },
  problems: [],
});

export const createServiceToken = operation({
  operationId: "createServiceToken",
  method: "POST",
  path: "/v1/service-tokens",
  plane: "dashboard",
  summary:
    "Creates a token that lets a machine call the session routes. The token is shown only once. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  body: ServiceTokenRequest,
  answers: { 201: { description: "The token, shown only once.", schema: NewServiceToken } },
  problems: ["platform-owner-required", "too-many-tokens"],
});

export const revokeServiceToken = operation({
  operationId: "revokeServiceToken",
  method: "DELETE",
  path: "/v1/service-tokens/{id}",
  plane: "dashboard",
  summary: "Revokes a service token. Every process refuses it from the next request on.",
  auth: adminInPerson,
  params: Type.Object({ id: Id }),
  answers: { 204: { description: "The token is revoked." } },
  problems: ["token-not-found"],
});
