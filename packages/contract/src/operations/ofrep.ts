import { operation } from "../operation.ts";
import {
  FlagEvaluation,
  FlagFailure,
  FlagNotFound,
  FlagParams,
  FlagRequest,
  FlagSet,
  FlagSetFailure,
} from "../schemas/ofrep.ts";

const auth = { kind: "key", scopes: ["publishable", "secret"], takesBearer: true } as const;

export const postFlag = operation({
  operationId: "evaluateFlag",
  method: "POST",
  path: "/ofrep/v1/evaluate/flags/{key}",
  plane: "ingest",
  summary:
    "Evaluates an experiment as a flag for one user (OpenFeature Remote Evaluation Protocol). Assigns like `POST /v1/assign`, and records no exposure.",
  auth,
  params: FlagParams,
  body: FlagRequest,
  answers: {
    200: {
      description:
        "The evaluation. The publishable key receives no prompts or variables for experiments with visibility server.",
      schema: FlagEvaluation,
    },
    400: { description: "The body or its context cannot be used.", schema: FlagFailure },
    404: {
      description:
        "There is no such experiment, it is a draft, or another system's flag assigns its variants.",
      schema: FlagNotFound,
    },
  },
  problems: ["rate-limited"],
});

export const postFlags = operation({
  operationId: "evaluateFlags",
  method: "POST",
  path: "/ofrep/v1/evaluate/flags",
  plane: "ingest",
  summary:
    "Evaluates all experiments as flags for one user (OpenFeature Remote Evaluation Protocol). Each name and former name has three keys. Assigns like `POST /v1/assign`, and records no exposures.",
  auth,
  body: FlagRequest,
  headers: {
    "If-None-Match":
      "The ETag of the last response. If nothing has changed for this user, the answer is 304.",
  },
  answers: {
    200: { description: "The evaluations, with a strong ETag.", headers: ["ETag"], schema: FlagSet },
    304: { description: "Unchanged.", headers: ["ETag"] },
    400: { description: "The body or its context cannot be used.", schema: FlagSetFailure },
  },
  problems: ["rate-limited"],
});
