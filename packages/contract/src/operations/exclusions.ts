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
import { Id } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;

export const listExclusions = operation({
  operationId: "listExclusions",
  method: "GET",
  path: "/v1/experiments/{id}/exclusions",
  plane: "dashboard",
  summary: "Lists what was set aside of an experiment's events, lifts included, newest first.",
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
    "Sets stored events aside, past and future ones: no analysis from now on sees them. With dry_run, says what that would take out.",
  auth: member,
  params: Type.Object({ id: Id }),
  query: ExclusionQuery,
  body: ExclusionRequest,
  answers: {
    200: { description: "With dry_run: what it would take out, by arm.", schema: ExclusionPreview },
    201: { description: "The stored entry.", schema: ExclusionSchema },
  },
  problems: ["experiment-not-found"],
});

export const liftExclusion = operation({
  operationId: "liftExclusion",
  method: "POST",
  path: "/v1/experiments/{id}/exclusions/{number}/lift",
  plane: "dashboard",
  summary: "Lifts an exclusion with an entry of its own: analyses from now on see the events again.",
  auth: member,
  params: Type.Object({ id: Id, number: Type.String({ pattern: "^\\d{1,9}$" }) }),
  body: LiftRequest,
  answers: { 201: { description: "The entry that lifts it.", schema: ExclusionSchema } },
  problems: ["experiment-not-found", "exclusion-not-found", "exclusion-lifted"],
});
