import { Type } from "typebox";
import { operation } from "../operation.ts";
import { DemoBody, DemoQuery } from "../schemas/demo.ts";
import { ExperimentSchema, StatusQuery } from "../schemas/experiment.ts";
import { ExperimentOverview, Overview } from "../schemas/overview.ts";
import { NightlyRuns, ResultsHistory } from "../schemas/runs.ts";
import { Id } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const byId = Type.Object({ id: Id });

export const listOverview = operation({
  operationId: "listOverview",
  method: "GET",
  path: "/v1/overview",
  plane: "dashboard",
  summary:
    "Lists the state of each of the org's experiments, as the dashboard shows it, newest first. Archived experiments are listed only with `status=archived`.",
  auth: member,
  query: StatusQuery,
  answers: { 200: { description: "One entry per experiment.", schema: Overview } },
  problems: [],
});

export const getOverview = operation({
  operationId: "getExperimentOverview",
  method: "GET",
  path: "/v1/experiments/{id}/overview",
  plane: "dashboard",
  summary: "Reads an experiment's state.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The state and the figures behind it.", schema: ExperimentOverview } },
  problems: ["experiment-not-found"],
});

export const getResultsHistory = operation({
  operationId: "getResultsHistory",
  method: "GET",
  path: "/v1/experiments/{id}/results/history",
  plane: "dashboard",
  summary: "Reads the effects that an experiment's nightly runs found, oldest night first.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The series.", schema: ResultsHistory } },
  problems: ["experiment-not-found"],
});

export const listNightlyRuns = operation({
  operationId: "listNightlyRuns",
  method: "GET",
  path: "/v1/experiments/{id}/runs",
  plane: "dashboard",
  summary: "Lists the nightly runs of an experiment, and when the next one is due.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The runs, including failed and collecting ones.", schema: NightlyRuns } },
  problems: ["experiment-not-found"],
});

export const loadDemo = operation({
  operationId: "loadDemo",
  method: "POST",
  path: "/v1/demo",
  plane: "dashboard",
  summary:
    "Loads a bundled demo experiment with its traffic and nightly runs: `answer-style`, unless the body names another. If it is already loaded, the call returns it.",
  auth: member,
  body: DemoBody,
  answers: { 200: { description: "The demo experiment.", schema: ExperimentSchema } },
  problems: ["experiment-name-taken"],
});

export const removeDemo = operation({
  operationId: "removeDemo",
  method: "DELETE",
  path: "/v1/demo",
  plane: "dashboard",
  summary:
    "Removes all demo experiments, or only the named one, with everything that belongs to them. If none is loaded, nothing changes.",
  auth: member,
  query: DemoQuery,
  answers: { 204: { description: "Removed." } },
  problems: [],
});
