import { Type } from "typebox";
import { operation } from "../operation.ts";
import { ComparisonOrder, Comparisons, PickBody, PickSchema } from "../schemas/comparisons.ts";
import { Id, strict } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;

export const listComparisons = operation({
  operationId: "listComparisons",
  method: "GET",
  path: "/v1/experiments/{id}/comparisons",
  plane: "dashboard",
  summary:
    "Sets the variants' answers to the same or the nearest question side by side, from the newest calls.",
  auth: member,
  params: Type.Object({ id: Id }),
  query: Type.Object(
    {
      order: Type.Optional(ComparisonOrder),
      text: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: "In the question or an answer, any case." }),
      ),
      calls: Type.Optional(
        Type.String({
          minLength: 1,
          // Encoded in an address, it stays below the 16 KiB that the header of a request may have.
          maxLength: 4_000,
          pattern: "^[!-~]+$",
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
    "Stores which of several answers a person found best, and names their variants; an earlier pick of the same answers is replaced.",
  auth: member,
  params: Type.Object({ id: Id }),
  body: PickBody,
  answers: { 201: { description: "The pick.", schema: PickSchema } },
  problems: ["experiment-not-found"],
});
