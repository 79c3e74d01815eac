import { operation } from "../operation.ts";
import { ScimToken, ScimTokenStatus } from "../schemas/scim.ts";

const admin = { kind: "session", role: "admin" } as const;
const adminInPerson = { ...admin, isPersonal: true } as const;

export const getScimToken = operation({
  operationId: "getScimToken",
  method: "GET",
  path: "/v1/scim-token",
  plane: "dashboard",
  summary: "Reads whether the org has a SCIM 2.0 token, without the token itself.",
  auth: admin,
  answers: { 200: { description: "Whether there is a token, and since when.", schema: ScimTokenStatus } },
  problems: [],
});

export const rotateScimToken = operation({
  operationId: "rotateScimToken",
  method: "POST",
  path: "/v1/scim-token",
  plane: "dashboard",
  summary:
    "Creates the token with which the identity provider manages the org's people at /scim/v2. The previous token stops working at once. Needs a sign-in within the last 15 minutes.",
  auth: { ...admin, isSignInRecent: true },
  answers: { 201: { description: "The token, shown only once.", schema: ScimToken } },
  problems: [],
});

export const removeScimToken = operation({
  operationId: "removeScimToken",
  method: "DELETE",
  path: "/v1/scim-token",
  plane: "dashboard",
  summary: "Revokes the SCIM token at once. Provisioned people stay. Repeating the call is harmless.",
  auth: adminInPerson,
  answers: { 204: { description: "The org has no SCIM token." } },
  problems: [],
});
