import { operation } from "../operation.ts";
import {
  LangfuseBatch,
  LangfuseBatchAnswer,
  LangfuseHealth,
  LangfuseProjects,
  LangfuseScoreCreated,
  LangfuseScores,
  LangfuseScoresAccepted,
  LangfuseScoresPartly,
} from "../schemas/langfuse.ts";

const auth = { kind: "key", scopes: ["secret"], takesBasic: true } as const;
const stores = ["queue-full", "rate-limited", "allowance-exhausted"] as const;

export const postLangfuseBatch = operation({
  operationId: "ingestLangfuseBatch",
  method: "POST",
  path: "/api/public/ingestion",
  plane: "ingest",
  summary:
    "Accepts a batch of traces, observations and scores, as Langfuse's SDKs send it. What is acknowledged is on disk. At most 5 MiB, plain or gzipped, and 1,000 items.",
  auth,
  body: LangfuseBatch,
  answers: {
    207: { description: "Of each item, whether it was accepted.", schema: LangfuseBatchAnswer },
  },
  hasLangfuseErrors: true,
  problems: stores,
});

export const postLangfuseScores = operation({
  operationId: "ingestLangfuseScores",
  method: "POST",
  path: "/api/public/scores",
  plane: "ingest",
  summary:
    "Accepts a score, or up to 1,000 of them, as Langfuse's SDKs send them. What is acknowledged is on disk.",
  auth,
  body: LangfuseScores,
  answers: {
    200: { description: "A single score was accepted.", schema: LangfuseScoreCreated },
    202: { description: "All scores of a list were accepted.", schema: LangfuseScoresAccepted },
    207: { description: "Some scores of a list were not accepted.", schema: LangfuseScoresPartly },
  },
  hasLangfuseErrors: true,
  problems: stores,
});

export const getLangfuseProjects = operation({
  operationId: "listLangfuseProjects",
  method: "GET",
  path: "/api/public/projects",
  plane: "ingest",
  summary: "Returns the key's org as a project of Langfuse, by which its SDKs check their keys.",
  auth,
  answers: { 200: { description: "One project.", schema: LangfuseProjects } },
  hasLangfuseErrors: true,
  problems: ["rate-limited"],
});

export const getLangfuseHealth = operation({
  operationId: "getLangfuseHealth",
  method: "GET",
  path: "/api/public/health",
  plane: "public",
  summary: "Answers Langfuse's SDKs that the service runs.",
  auth: { kind: "none" },
  answers: { 200: { description: "It runs.", schema: LangfuseHealth } },
  hasLangfuseErrors: true,
  problems: [],
});
