import { operation } from "../operation.ts";
import { ScimToken, ScimTokenStatus } from "../schemas/scim.ts";

const admin = { kind: "session", role: "admin" } as const;
const adminInPerson = { ...admin, isPersonal: true } as const;

export const getScimToken = operation({
  operationId: "getScimToken",
  method: "GET",
  path: "/v1/scim-token",
  plane: "dashboard",
  summary: "Reads whether the org has a token for SCIM 2.0, never the token.",
  auth: admin,
  answers: { 200: { description: "Whether, and since when.", schema: ScimTokenStatus } },
  problems: [],
});

export const rotateScimToken = operation({
  operationId: "rotateScimToken",
  method: "POST",
  path: "/v1/scim-token",
  plane: "dashboard",
  summary:
    "Makes the token with which the identity provider manages the org's people at /scim/v2; the previous one stops working at once. Needs a sign-in of the last 15 minutes.",
  auth: { ...admin, isSignInRecent: true },
  answers: { 201: { description: "The token, shown once.", schema: ScimToken } },
  problems: [],
});

export const removeScimToken = operation({
  operationId: "removeScimToken",
  method: "DELETE",
  path: "/v1/scim-token",
  plane: "dashboard",
  summary: "Revokes the SCIM token at once. What was provisioned stays. Harmless to repeat.",
  auth: adminInPerson,
  answers: { 204: { description: "The org has none." } },
  problems: [],
});
