import { Type } from "typebox";
import { operation } from "../operation.ts";
import { SessionList } from "../schemas/sessions.ts";

/** A service token has no sessions. */
const member = { kind: "session", role: "member", isPersonal: true } as const;

export const listSessions = operation({
  operationId: "listSessions",
  method: "GET",
  path: "/v1/sessions",
  plane: "dashboard",
  summary:
    "Lists the caller's own sessions, most recently used first. Sessions of an identity provider are not listed.",
  auth: member,
  answers: { 200: { description: "The sessions that have not ended.", schema: SessionList } },
  problems: [],
});

export const endSession = operation({
  operationId: "endSession",
  method: "DELETE",
  path: "/v1/sessions/{id}",
  plane: "dashboard",
  summary:
    "Ends one of the caller's sessions. Every process refuses it from the next request on. Repeating the call is harmless.",
  auth: member,
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
  answers: { 204: { description: "The caller no longer has this session." } },
  problems: [],
});

export const endSessions = operation({
  operationId: "endSessions",
  method: "DELETE",
  path: "/v1/sessions",
  plane: "dashboard",
  summary: "Ends all of the caller's sessions, including the current one.",
  auth: member,
  answers: { 204: { description: "The sessions have ended." } },
  problems: [],
});
