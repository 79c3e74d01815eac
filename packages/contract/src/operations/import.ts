import { operation } from "../operation.ts";
import { IMPORT_MEDIA_TYPES, ImportBody, ImportQuery, ImportResult } from "../schemas/import.ts";

export const postImport = operation({
  operationId: "importEvents",
  method: "POST",
  path: "/v1/events/import",
  plane: "ingest",
  summary:
    "Imports events from CSV, JSON or NDJSON, at most 100 MiB, gzip accepted. Rows are independent: a malformed one is reported and skipped.",
  auth: { kind: "key", scopes: ["secret"] },
  query: ImportQuery,
  body: ImportBody,
  mediaTypes: Object.values(IMPORT_MEDIA_TYPES),
  answers: {
    200: { description: "How many rows were accepted, and why others were not.", schema: ImportResult },
  },
  problems: ["rate-limited", "allowance-exhausted", "queue-full"],
});
