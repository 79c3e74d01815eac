import { Type } from "typebox";
import { operation } from "../operation.ts";
import { ComparisonOrder, Comparisons, PickBody, PickSchema } from "../schemas/comparisons.ts";
import { Id, strict, VISIBLE_ASCII } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;

export const listComparisons = operation({
  operationId: "listComparisons",
  method: "GET",
  path: "/v1/experiments/{id}/comparisons",
  plane: "dashboard",
  summary:
    "Lists the variants' answers to the same question, or to the most similar one, side by side. Reads only the newest calls.",
  auth: member,
  params: Type.Object({ id: Id }),
  query: Type.Object(
    {
      order: Type.Optional(ComparisonOrder),
      text: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "Text to find in the question or an answer; case is ignored.",
        }),
      ),
      calls: Type.Optional(
        Type.String({
          minLength: 1,
          // URL-encoded, this stays below the 16 KiB limit of a request's headers.
          maxLength: 4_000,
          pattern: VISIBLE_ASCII,
          description: "Only these calls: event ids, each percent-encoded, joined by commas.",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    },
    strict,
  ),
  answers: { 200: { description: "The comparisons.", schema: Comparisons } },
  problems: ["experiment-not-found", "event-not-found", "rate-limited"],
});

export const createPick = operation({
  operationId: "createPick",
  method: "POST",
  path: "/v1/experiments/{id}/picks",
  plane: "dashboard",
  summary:
    "Stores which of several answers a person found best, and reveals their variants. Replaces an earlier pick of the same answers.",
  auth: member,
  params: Type.Object({ id: Id }),
  body: PickBody,
  answers: { 201: { description: "The pick.", schema: PickSchema } },
  problems: ["experiment-not-found"],
});
