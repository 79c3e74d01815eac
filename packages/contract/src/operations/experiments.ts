import { Type } from "typebox";
import { operation } from "../operation.ts";
import { EVIDENCE_FORMATS, EVIDENCE_MEDIA_TYPES } from "../schemas/evidence.ts";
import {
  ExperimentChangeBody,
  ExperimentConfigBody,
  ExperimentSchema,
  ExperimentVersionSchema,
  HoldBody,
  StatusQuery,
} from "../schemas/experiment.ts";
import { GuardView } from "../schemas/guard.ts";
import { ExperimentHealth } from "../schemas/health.ts";
import { HoldbackView } from "../schemas/holdback.ts";
import { ConfigPlan, ConfigPlanRequest, ExperimentPlan, PlanRequest } from "../schemas/plan.ts";
import { ExperimentReplaySchema } from "../schemas/replay.ts";
import { LiveStats, ResultsSchema, TrafficSeries } from "../schemas/results.ts";
import { RunRequest } from "../schemas/runs.ts";
import { Id, OneOf } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const byId = Type.Object({ id: Id });

export const listExperiments = operation({
  operationId: "listExperiments",
  method: "GET",
  path: "/v1/experiments",
  plane: "dashboard",
  summary:
    "Lists the org's experiments in their latest version, newest first. Archived experiments are listed only with `status=archived`.",
  auth: member,
  query: StatusQuery,
  answers: { 200: { description: "The experiments.", schema: Type.Array(ExperimentSchema) } },
  problems: [],
});

export const createExperiment = operation({
  operationId: "createExperiment",
  method: "POST",
  path: "/v1/experiments",
  plane: "dashboard",
  summary: "Creates an experiment at version 1.",
  auth: member,
  body: ExperimentConfigBody,
  answers: {
    201: { description: "The stored experiment.", headers: ["Location", "ETag"], schema: ExperimentSchema },
  },
  problems: ["experiment-name-taken"],
});

export const getExperiment = operation({
  operationId: "getExperiment",
  method: "GET",
  path: "/v1/experiments/{id}",
  plane: "dashboard",
  summary: "Reads the latest version of an experiment.",
  auth: member,
  params: byId,
  answers: {
    200: {
      description: "The experiment. Its ETag is the version.",
      headers: ["ETag"],
      schema: ExperimentSchema,
    },
  },
  problems: ["experiment-not-found"],
});

export const updateExperiment = operation({
  operationId: "updateExperiment",
  method: "PUT",
  path: "/v1/experiments/{id}",
  plane: "dashboard",
  summary:
    "Creates a new version of an experiment. Absent fields keep their values. Users who may already have a variant keep it.",
  auth: member,
  params: byId,
  body: ExperimentChangeBody,
  headers: {
    "If-Match": "The version that the change is based on. If a newer version exists, the answer is 412.",
  },
  answers: { 200: { description: "The new version.", headers: ["ETag"], schema: ExperimentSchema } },
  problems: ["experiment-not-found", "experiment-name-taken", "version-mismatch"],
});

export const holdExperiment = operation({
  operationId: "holdExperiment",
  method: "POST",
  path: "/v1/experiments/{id}/hold",
  plane: "dashboard",
  summary:
    "Holds an experiment: nobody gets a variant until it is resumed, so everybody sees control behavior. Assignments do not change. If the experiment is already held, nothing changes.",
  auth: member,
  params: byId,
  body: HoldBody,
  answers: { 200: { description: "The held experiment.", headers: ["ETag"], schema: ExperimentSchema } },
  problems: ["experiment-not-found", "not-holdable"],
});

export const resumeExperiment = operation({
  operationId: "resumeExperiment",
  method: "POST",
  path: "/v1/experiments/{id}/resume",
  plane: "dashboard",
  summary: "Ends the hold: users get their variants again. If the experiment is not held, nothing changes.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The experiment.", headers: ["ETag"], schema: ExperimentSchema } },
  problems: ["experiment-not-found", "not-holdable"],
});

export const getGuard = operation({
  operationId: "getExperimentGuard",
  method: "GET",
  path: "/v1/experiments/{id}/guard",
  plane: "dashboard",
  summary:
    "Reads what the guard found at its last look: each signal's value in both arms, and the evidence that the harm is larger than acceptable. The evidence is valid at any look.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The last look.", schema: GuardView } },
  problems: ["experiment-not-found"],
});

export const getHoldback = operation({
  operationId: "getExperimentHoldback",
  method: "GET",
  path: "/v1/experiments/{id}/holdback",
  plane: "dashboard",
  summary:
    "Reads whether a shipped variant's lift lasted. Compares its users with the users who kept control, by week and over all weeks, and reports how the lift changed since the experiment.",
  auth: member,
  params: byId,
  answers: { 200: { description: "What the holdback has shown so far.", schema: HoldbackView } },
  problems: ["experiment-not-found"],
});

export const endHoldback = operation({
  operationId: "endExperimentHoldback",
  method: "POST",
  path: "/v1/experiments/{id}/holdback/end",
  plane: "dashboard",
  summary:
    "Ends the holdback: the users who kept control get the shipped variant too. If no holdback is running, nothing changes.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The experiment.", headers: ["ETag"], schema: ExperimentSchema } },
  problems: ["experiment-not-found"],
});

export const deleteExperiment = operation({
  operationId: "deleteExperiment",
  method: "DELETE",
  path: "/v1/experiments/{id}",
  plane: "dashboard",
  summary:
    "Permanently deletes a draft or archived experiment, with its versions, results, labels and events. Metered usage stays.",
  auth: { kind: "session", role: "admin" },
  params: byId,
  answers: { 204: { description: "Deleted." } },
  problems: ["experiment-not-found", "experiment-not-deletable"],
});

export const listVersions = operation({
  operationId: "listExperimentVersions",
  method: "GET",
  path: "/v1/experiments/{id}/versions",
  plane: "dashboard",
  summary: "Lists every version of an experiment, newest first.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The versions.", schema: Type.Array(ExperimentVersionSchema) } },
  problems: ["experiment-not-found"],
});

export const getResults = operation({
  operationId: "getResults",
  method: "GET",
  path: "/v1/experiments/{id}/results",
  plane: "dashboard",
  summary:
    "Reads a run's results. Without `day`: the newest night, withheld or not, or a manual run whose window ends later than every night's.",
  auth: member,
  params: byId,
  query: Type.Object(
    {
      day: Type.Optional(Type.String({ maxLength: 40, description: "A UTC day, or manual-<ISO instant>." })),
      revision: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: "Default: the newest." }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: { description: "The results.", schema: ResultsSchema } },
  problems: ["experiment-not-found", "results-not-ready", "run-not-found"],
});

export const getEvidence = operation({
  operationId: "getEvidence",
  method: "GET",
  path: "/v1/experiments/{id}/results/{day}/evidence",
  plane: "dashboard",
  summary:
    "Downloads the per-user data behind one row of a run, with hashed user ids, or the script that recomputes the row. Audit-logged.",
  auth: member,
  params: Type.Object({
    id: Id,
    day: Type.String({ maxLength: 40, description: "A UTC day, or manual-<ISO instant>." }),
  }),
  query: Type.Object(
    {
      metric: Type.String({ minLength: 1, maxLength: 64 }),
      treatment: Type.String({ minLength: 1, maxLength: 100, description: "Key of the variant." }),
      revision: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: "Default: the newest." }),
      ),
      format: Type.Optional(
        OneOf(EVIDENCE_FORMATS, {
          description: "Default csv. python: the script, which is the same for every row.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: {
      description: "The file, described in docs/statistics.md.",
      files: Object.values(EVIDENCE_MEDIA_TYPES),
    },
  },
  problems: [
    "experiment-not-found",
    "run-not-found",
    "results-not-ready",
    "row-not-found",
    "evidence-gone",
    "rate-limited",
  ],
});

export const listResultsSummary = operation({
  operationId: "listResultsSummary",
  method: "GET",
  path: "/v1/results/summary",
  plane: "dashboard",
  summary:
    "Lists each experiment's current run, unless that run has no rows. Archived experiments are listed only with `status=archived`.",
  auth: member,
  query: StatusQuery,
  answers: { 200: { description: "One entry per experiment.", schema: Type.Array(ResultsSchema) } },
  problems: [],
});

export const analyzeExperiment = operation({
  operationId: "analyzeExperiment",
  method: "POST",
  path: "/v1/experiments/{id}/analyze",
  plane: "dashboard",
  summary: "Runs a preliminary analysis over a window that ends now, and stores it permanently.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The preliminary results.", schema: ResultsSchema } },
  problems: ["experiment-not-found", "rate-limited"],
});

export const runNightAgain = operation({
  operationId: "runNightAgain",
  method: "POST",
  path: "/v1/experiments/{id}/runs",
  plane: "dashboard",
  summary:
    "Runs a past night again, on the events up to the end of that UTC day. Stores the result as the night's next revision, or as its first if the night had no run.",
  auth: member,
  params: byId,
  body: RunRequest,
  answers: { 200: { description: "The new revision.", schema: ResultsSchema } },
  problems: ["experiment-not-found", "results-not-ready", "rate-limited"],
});

export const replayExperiment = operation({
  operationId: "replayExperiment",
  method: "POST",
  path: "/v1/experiments/{id}/replay",
  plane: "dashboard",
  summary:
    "Tests an experiment's metrics on its own traffic: splits the control arm at random a thousand times and reports how often the halves differ significantly. Takes a few seconds to a minute. Replaces the previous replay.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The replay.", schema: ExperimentReplaySchema } },
  problems: ["experiment-not-found", "replay-under-way", "rate-limited"],
});

export const getReplay = operation({
  operationId: "getExperimentReplay",
  method: "GET",
  path: "/v1/experiments/{id}/replay",
  plane: "dashboard",
  summary: "Reads the newest replay of an experiment.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The replay.", schema: ExperimentReplaySchema } },
  problems: ["experiment-not-found", "replay-not-found"],
});

export const planExperiment = operation({
  operationId: "planExperiment",
  method: "POST",
  path: "/v1/experiments/{id}/plan",
  plane: "dashboard",
  summary:
    "Estimates how many users and days each comparison needs, and the smallest effect that can be found in a given number of days. Also works before the experiment starts.",
  auth: member,
  params: byId,
  body: PlanRequest,
  answers: { 200: { description: "One row per metric and treatment.", schema: ExperimentPlan } },
  problems: ["experiment-not-found"],
});

export const planConfig = operation({
  operationId: "planConfig",
  method: "POST",
  path: "/v1/plan",
  plane: "dashboard",
  summary:
    "Makes the same estimate as `POST /v1/experiments/{id}/plan`, for an experiment that is not stored. Nothing is saved.",
  auth: member,
  body: ConfigPlanRequest,
  answers: { 200: { description: "One row per metric and treatment.", schema: ConfigPlan } },
  problems: [],
});

export const postTestEvent = operation({
  operationId: "postTestEvent",
  method: "POST",
  path: "/v1/experiments/{id}/test-event",
  plane: "dashboard",
  summary: "Sends one exposure of a test user to the control arm through the real ingest queue.",
  auth: member,
  params: byId,
  answers: { 202: { description: "Accepted." } },
  problems: ["experiment-not-found", "test-event-limit", "allowance-exhausted", "queue-full"],
});

export const getLive = operation({
  operationId: "getLiveStats",
  method: "GET",
  path: "/v1/experiments/{id}/live",
  plane: "dashboard",
  summary: "Reads current uncorrected counts and distributions. Do not base decisions on them.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The live view.", schema: LiveStats } },
  problems: ["experiment-not-found"],
});

export const getTraffic = operation({
  operationId: "getTraffic",
  method: "GET",
  path: "/v1/experiments/{id}/traffic",
  plane: "dashboard",
  summary: "Reads exposures per day and variant, oldest first.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The series.", schema: TrafficSeries } },
  problems: ["experiment-not-found"],
});

export const getHealth = operation({
  operationId: "getExperimentHealth",
  method: "GET",
  path: "/v1/experiments/{id}/health",
  plane: "dashboard",
  summary:
    "Checks the current quality of an experiment's data. Also returns the remarks from the latest run.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The checks.", schema: ExperimentHealth } },
  problems: ["experiment-not-found"],
});
