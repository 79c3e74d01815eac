import { JUDGEMENT_STATES } from "@assay/domain";
import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  Agreement,
  JudgementPage,
  JudgesOverview,
  LabelBody,
  LabelPage,
  LabelQueue,
  LabelSchema,
  RetriedJudgements,
  TRIED_ANSWERS,
  TriedRubric,
  TryRubricBody,
} from "../schemas/judge.ts";
import { Id, OneOf, PageQuery, strict } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const byId = Type.Object({ id: Id });
const MetricName = Type.String({ minLength: 1, maxLength: 64 });

export const getJudges = operation({
  operationId: "getJudges",
  method: "GET",
  path: "/v1/judges",
  plane: "dashboard",
  summary: "Lists every judged metric with its backlog, failures, cost and agreement with people.",
  auth: member,
  answers: { 200: { description: "The state of judging.", schema: JudgesOverview } },
  problems: [],
});

export const tryRubric = operation({
  operationId: "tryRubric",
  method: "POST",
  path: "/v1/judges/try",
  plane: "dashboard",
  summary: `Has the judge score up to ${TRIED_ANSWERS} answers by a draft rubric. The scores count toward the month's evaluations, but appear in no results.`,
  auth: member,
  body: TryRubricBody,
  answers: { 200: { description: "The scores.", schema: TriedRubric } },
  problems: ["experiment-not-found", "judge-not-available"],
});

export const listJudgements = operation({
  operationId: "listJudgements",
  method: "GET",
  path: "/v1/experiments/{id}/judgements",
  plane: "dashboard",
  summary: "Lists an experiment's judgements, each with the judge's reason or, if it failed, the error.",
  auth: member,
  params: byId,
  query: Type.Object(
    {
      ...PageQuery.properties,
      metric: Type.Optional(MetricName),
      state: Type.Optional(OneOf(JUDGEMENT_STATES)),
    },
    strict,
  ),
  answers: {
    200: { description: "The judgements, for every version of the metrics.", schema: JudgementPage },
  },
  problems: ["experiment-not-found"],
});

export const retryJudgements = operation({
  operationId: "retryJudgements",
  method: "POST",
  path: "/v1/experiments/{id}/judgements/retry",
  plane: "dashboard",
  summary: "Retries a metric's failed judgements.",
  auth: member,
  params: byId,
  body: Type.Object({ metric: MetricName }, { ...strict, $id: "RetryJudgementsRequest" }),
  answers: { 202: { description: "How many judgements will be retried.", schema: RetriedJudgements } },
  problems: ["experiment-not-found"],
});

export const createLabel = operation({
  operationId: "createLabel",
  method: "POST",
  path: "/v1/experiments/{id}/labels",
  plane: "dashboard",
  summary: "Stores a person's score for a judged call. Replaces an earlier score for the same call.",
  auth: member,
  params: byId,
  body: LabelBody,
  answers: { 201: { description: "The label.", schema: LabelSchema } },
  problems: ["experiment-not-found"],
});

export const listLabels = operation({
  operationId: "listLabels",
  method: "GET",
  path: "/v1/experiments/{id}/labels",
  plane: "dashboard",
  summary: "Lists people's labels next to the judge's scores for the same calls, newest first.",
  auth: member,
  params: byId,
  query: Type.Object(
    {
      ...PageQuery.properties,
      metric: Type.Optional(MetricName),
      disagreeing: Type.Optional(
        OneOf(["true"], {
          description:
            "Only labels that differ from the judge's score: by more than 0.25 on the scale 0-1, by any amount on other scales.",
        }),
      ),
    },
    strict,
  ),
  answers: { 200: { description: "The labels.", schema: LabelPage } },
  problems: ["experiment-not-found"],
});

export const getLabelQueue = operation({
  operationId: "getLabelQueue",
  method: "GET",
  path: "/v1/experiments/{id}/labels/queue",
  plane: "dashboard",
  summary: "Draws judged calls for people to score. The variant and the judge's score are hidden.",
  auth: member,
  params: byId,
  query: Type.Object({ metric: MetricName, limit: PageQuery.properties.limit }, strict),
  answers: { 200: { description: "The next calls, and how many labels are needed.", schema: LabelQueue } },
  problems: ["experiment-not-found"],
});

export const getAgreement = operation({
  operationId: "getAgreement",
  method: "GET",
  path: "/v1/experiments/{id}/labels/agreement",
  plane: "dashboard",
  summary: "Reports how well a metric's judge agrees with people, per arm.",
  auth: member,
  params: byId,
  query: Type.Object({ metric: MetricName }, strict),
  answers: {
    200: { description: "Kappa with its interval, and the confusion matrices.", schema: Agreement },
  },
  problems: ["experiment-not-found"],
});
