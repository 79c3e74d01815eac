import { Type } from "typebox";
import { operation } from "../operation.ts";
import { ExperimentSchema } from "../schemas/experiment.ts";
import { RehearsalPickBody, RehearsalPickQueue, RehearsalPickSchema } from "../schemas/rehearsal-picks.ts";
import {
  PairPage,
  PairsQuery,
  RehearsalBody,
  RehearsalPage,
  RehearsalSchema,
} from "../schemas/rehearsals.ts";
import {
  RehearsalExperimentBody,
  RehearsalForecast,
  RehearsalLedger,
} from "../schemas/rehearsed-experiments.ts";
import { Id, PageQuery, strict } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const byId = Type.Object({ id: Id });

export const createRehearsal = operation({
  operationId: "createRehearsal",
  method: "POST",
  path: "/v1/rehearsals",
  plane: "dashboard",
  summary: "Starts a rehearsal: arms answer the inputs of a dataset, and a judge compares the answers.",
  auth: member,
  body: RehearsalBody,
  answers: { 201: { description: "The running rehearsal.", schema: RehearsalSchema } },
  problems: [
    "dataset-not-found",
    "experiment-not-found",
    "judge-not-available",
    "model-without-price",
    "too-many-rehearsals",
  ],
});

export const listRehearsals = operation({
  operationId: "listRehearsals",
  method: "GET",
  path: "/v1/rehearsals",
  plane: "dashboard",
  summary: "Lists rehearsals, newest first.",
  auth: member,
  query: PageQuery,
  answers: { 200: { description: "The rehearsals.", schema: RehearsalPage } },
  problems: [],
});

export const getRehearsal = operation({
  operationId: "getRehearsal",
  method: "GET",
  path: "/v1/rehearsals/{id}",
  plane: "dashboard",
  summary: "Reads a rehearsal with its progress, its cost and its report so far.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The rehearsal.", schema: RehearsalSchema } },
  problems: ["rehearsal-not-found"],
});

export const pauseRehearsal = operation({
  operationId: "pauseRehearsal",
  method: "POST",
  path: "/v1/rehearsals/{id}/pause",
  plane: "dashboard",
  summary: "Pauses a running rehearsal. Requests in flight are finished.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The paused rehearsal.", schema: RehearsalSchema } },
  problems: ["rehearsal-not-found", "rehearsal-state"],
});

export const resumeRehearsal = operation({
  operationId: "resumeRehearsal",
  method: "POST",
  path: "/v1/rehearsals/{id}/resume",
  plane: "dashboard",
  summary: "Resumes a paused rehearsal.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The running rehearsal.", schema: RehearsalSchema } },
  problems: ["rehearsal-not-found", "rehearsal-state"],
});

export const stopRehearsal = operation({
  operationId: "stopRehearsal",
  method: "POST",
  path: "/v1/rehearsals/{id}/stop",
  plane: "dashboard",
  summary: "Stops a rehearsal for good. Its results so far are kept.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The stopped rehearsal.", schema: RehearsalSchema } },
  problems: ["rehearsal-not-found", "rehearsal-state"],
});

export const listRehearsalPairs = operation({
  operationId: "listRehearsalPairs",
  method: "GET",
  path: "/v1/rehearsals/{id}/pairs",
  plane: "dashboard",
  summary:
    "Lists inputs with the arms' answers side by side and the judge's judgements. A page may have fewer inputs than `limit`.",
  auth: member,
  params: byId,
  query: PairsQuery,
  answers: { 200: { description: "The inputs.", schema: PairPage } },
  problems: ["rehearsal-not-found"],
});

export const getRehearsalPickQueue = operation({
  operationId: "getRehearsalPickQueue",
  method: "GET",
  path: "/v1/rehearsals/{id}/picks/queue",
  plane: "dashboard",
  summary:
    "Draws pairs of answers from a rehearsal that has ended, for people to pick the better one. The arms are hidden.",
  auth: member,
  params: byId,
  query: Type.Object({ limit: PairsQuery.properties.limit }, strict),
  answers: {
    200: { description: "The next pairs, and how many picks are needed.", schema: RehearsalPickQueue },
  },
  problems: ["rehearsal-not-found", "rehearsal-state"],
});

export const createRehearsalPick = operation({
  operationId: "createRehearsalPick",
  method: "POST",
  path: "/v1/rehearsals/{id}/picks",
  plane: "dashboard",
  summary:
    "Stores which of two answers a person found better. Replaces an earlier pick of the same pair. Once a treatment has 50 picks, they correct the judge.",
  auth: member,
  params: byId,
  body: RehearsalPickBody,
  answers: { 201: { description: "The pick.", schema: RehearsalPickSchema } },
  problems: ["rehearsal-not-found", "rehearsal-state"],
});

export const getRehearsalForecast = operation({
  operationId: "getRehearsalForecast",
  method: "GET",
  path: "/v1/rehearsals/{id}/forecast",
  plane: "dashboard",
  summary:
    "Forecasts what an experiment would find, and how many users and days it would need, from a rehearsal that has ended.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The forecast.", schema: RehearsalForecast } },
  problems: ["rehearsal-not-found", "rehearsal-state", "rate-limited"],
});

export const startRehearsedExperiment = operation({
  operationId: "startRehearsedExperiment",
  method: "POST",
  path: "/v1/rehearsals/{id}/experiments",
  plane: "dashboard",
  summary:
    "Creates a draft experiment with control and the named treatments of a rehearsal (default: those that are not worse), and records that it comes from the rehearsal.",
  auth: member,
  params: byId,
  body: RehearsalExperimentBody,
  answers: {
    201: { description: "The draft.", headers: ["Location", "ETag"], schema: ExperimentSchema },
  },
  problems: ["rehearsal-not-found", "rehearsal-state", "experiment-name-taken"],
});

export const getRehearsalLedger = operation({
  operationId: "getRehearsalLedger",
  method: "GET",
  path: "/v1/rehearsal-ledger",
  plane: "dashboard",
  summary:
    "Lists the experiments that come from rehearsals, with the effects that both found, and summarizes how well they agreed.",
  auth: member,
  answers: { 200: { description: "The ledger.", schema: RehearsalLedger } },
  problems: [],
});
