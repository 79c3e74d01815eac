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
    "Accepts a batch of traces, observations and scores in the format of Langfuse's SDKs. Acknowledged items are on disk. At most 5 MiB, plain or gzipped, and 1,000 items.",
  auth,
  body: LangfuseBatch,
  answers: {
    207: { description: "For each item, whether it was accepted.", schema: LangfuseBatchAnswer },
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
    "Accepts one score, or a list of up to 1,000, in the format of Langfuse's SDKs. Acknowledged scores are on disk.",
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
  summary: "Returns the key's org as a Langfuse project. Langfuse's SDKs call this to check their keys.",
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
  summary: "Tells Langfuse's SDKs that the service is running.",
  auth: { kind: "none" },
  answers: { 200: { description: "The service is running.", schema: LangfuseHealth } },
  hasLangfuseErrors: true,
  problems: [],
});
