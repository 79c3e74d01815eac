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
    "Lists where every experiment of the org stands, newest first; archived ones only when asked for. The list of the dashboard.",
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
  summary: "Reads where an experiment stands.",
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
  summary: "Reads the effects of the nightly runs, night after night.",
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
  summary: "Lists what the nightly pipeline did for an experiment, and when it comes next.",
  auth: member,
  params: byId,
  answers: { 200: { description: "The runs, failed and collecting ones too.", schema: NightlyRuns } },
  problems: ["experiment-not-found"],
});

export const loadDemo = operation({
  operationId: "loadDemo",
  method: "POST",
  path: "/v1/demo",
  plane: "dashboard",
  summary:
    "Loads a bundled experiment with its traffic and its nightly runs, the recorded one unless the body names another. Loaded already: answers it.",
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
    "Removes the demo experiments, or the named one, and everything that belongs to them. Not loaded: nothing happens.",
  auth: member,
  query: DemoQuery,
  answers: { 204: { description: "It is gone." } },
  problems: [],
});
