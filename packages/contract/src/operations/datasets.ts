import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  DatasetItems,
  DatasetList,
  DatasetSchema,
  DrawRequest,
  MaskingRulesSchema,
  UPLOAD_MEDIA_TYPES,
  UploadBody,
  UploadQuery,
} from "../schemas/datasets.ts";
import { Id, PageQuery } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const admin = { kind: "session", role: "admin" } as const;
const byId = Type.Object({ id: Id });
const created = { description: "The stored dataset.", headers: ["Location"], schema: DatasetSchema } as const;

export const drawDataset = operation({
  operationId: "drawDataset",
  method: "POST",
  path: "/v1/datasets",
  plane: "dashboard",
  summary:
    "Draws inputs from an experiment's calls, each with a known probability. Masks them and stores them as a dataset; audit-logged.",
  auth: member,
  body: DrawRequest,
  answers: { 201: created },
  problems: ["experiment-not-found", "too-many-datasets", "rate-limited"],
});

export const uploadDataset = operation({
  operationId: "uploadDataset",
  method: "POST",
  path: "/v1/datasets/upload",
  plane: "dashboard",
  summary:
    "Stores the inputs from a file: JSONL, CSV, OpenAI Evals samples, promptfoo tests, an Inspect log or Langfuse dataset items. If a row is invalid, nothing is stored; audit-logged.",
  auth: member,
  query: UploadQuery,
  body: UploadBody,
  mediaTypes: UPLOAD_MEDIA_TYPES,
  answers: {
    201: created,
    200: { ...created, description: "The newest version with this name, because it has the same inputs." },
  },
  problems: ["too-many-datasets", "rate-limited"],
});

export const listDatasets = operation({
  operationId: "listDatasets",
  method: "GET",
  path: "/v1/datasets",
  plane: "dashboard",
  summary: "Lists the organization's datasets, newest first.",
  auth: member,
  query: PageQuery,
  answers: { 200: { description: "A page of datasets.", schema: DatasetList } },
  problems: [],
});

export const getDataset = operation({
  operationId: "getDataset",
  method: "GET",
  path: "/v1/datasets/{id}",
  plane: "dashboard",
  summary: "Reads a dataset without its inputs.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The dataset.", schema: DatasetSchema } },
  problems: ["dataset-not-found"],
});

export const listDatasetItems = operation({
  operationId: "listDatasetItems",
  method: "GET",
  path: "/v1/datasets/{id}/items",
  plane: "dashboard",
  summary: "Lists a dataset's inputs in their order.",
  auth: member,
  params: byId,
  query: PageQuery,
  answers: { 200: { description: "A page of inputs.", schema: DatasetItems } },
  problems: ["dataset-not-found"],
});

export const deleteDataset = operation({
  operationId: "deleteDataset",
  method: "DELETE",
  path: "/v1/datasets/{id}",
  plane: "dashboard",
  summary: "Deletes a dataset and its inputs; audit-logged.",
  auth: admin,
  params: byId,
  answers: { 204: { description: "Deleted." } },
  problems: ["dataset-not-found"],
});

export const getMaskingRules = operation({
  operationId: "getMaskingRules",
  method: "GET",
  path: "/v1/masking-rules",
  plane: "dashboard",
  summary: "Reads the masking rules, which apply to inputs before they are stored.",
  auth: member,
  answers: { 200: { description: "The rules.", schema: MaskingRulesSchema } },
  problems: [],
});

export const putMaskingRules = operation({
  operationId: "putMaskingRules",
  method: "PUT",
  path: "/v1/masking-rules",
  plane: "dashboard",
  summary: "Sets the masking rules for later datasets; audit-logged.",
  auth: admin,
  body: MaskingRulesSchema,
  answers: { 200: { description: "The rules.", schema: MaskingRulesSchema } },
  problems: [],
});
