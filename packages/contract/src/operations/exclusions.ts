import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  ExclusionList,
  ExclusionPreview,
  ExclusionQuery,
  ExclusionRequest,
  ExclusionSchema,
  LiftRequest,
} from "../schemas/exclusions.ts";
import { Id, SHORT_NUMBER } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;

export const listExclusions = operation({
  operationId: "listExclusions",
  method: "GET",
  path: "/v1/experiments/{id}/exclusions",
  plane: "dashboard",
  summary: "Lists an experiment's exclusions and lifts, newest first.",
  auth: member,
  params: Type.Object({ id: Id }),
  answers: { 200: { description: "The entries.", schema: ExclusionList } },
  problems: ["experiment-not-found"],
});

export const createExclusion = operation({
  operationId: "createExclusion",
  method: "POST",
  path: "/v1/experiments/{id}/exclusions",
  plane: "dashboard",
  summary:
    "Excludes matching events, past and future, from all later analyses. With dry_run, only reports what would be removed.",
  auth: member,
  params: Type.Object({ id: Id }),
  query: ExclusionQuery,
  body: ExclusionRequest,
  answers: {
    200: { description: "With dry_run: what would be removed, by arm.", schema: ExclusionPreview },
    201: { description: "The stored entry.", schema: ExclusionSchema },
  },
  problems: ["experiment-not-found"],
});

export const liftExclusion = operation({
  operationId: "liftExclusion",
  method: "POST",
  path: "/v1/experiments/{id}/exclusions/{number}/lift",
  plane: "dashboard",
  summary: "Lifts an exclusion by adding an entry. Later analyses include the events again.",
  auth: member,
  params: Type.Object({ id: Id, number: Type.String({ pattern: SHORT_NUMBER }) }),
  body: LiftRequest,
  answers: { 201: { description: "The entry that lifts it.", schema: ExclusionSchema } },
  problems: ["experiment-not-found", "exclusion-not-found", "exclusion-lifted"],
});
