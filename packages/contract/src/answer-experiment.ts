import {
  type ConfigInput,
  createMetric,
  DEFAULT_JUDGE_SCALE,
  DEFAULT_SAMPLE_RATE,
  type Decision,
  type Experiment,
  type HoldbackInput,
  type Judge,
  type MetricDefinition,
  type PlanInput,
  type RolloutInput,
  shareOfUsers,
} from "@assay/domain";
import type { Static } from "typebox";
import type { DecisionPlanBody } from "./schemas/decision-plan.ts";
import {
  type DecisionBody,
  type ExperimentChangeBody,
  type ExperimentConfigBody,
  type ExperimentSchema,
  MetricDefinitionBody,
} from "./schemas/experiment.ts";
import type { JudgeBody } from "./schemas/judge.ts";
import { toWire, type ValueOf } from "./wire.ts";

/** Converts the body of a create request to the domain's input. */
export function toConfigInput(body: ValueOf<typeof ExperimentConfigBody>): ConfigInput {
  return {
    ...body,
    plan: body.plan && toPlanInput(body.plan),
    rollout: body.rollout && toRolloutInput(body.rollout),
    metrics: body.metrics.map(toMetric),
    decision: body.decision && toDecision(body.decision),
  };
}

/** Converts the body of an update to the domain's change. Absent fields become undefined. */
export function toConfigChange({
  holds: _holds,
  ...body
}: ValueOf<typeof ExperimentChangeBody>): Partial<ConfigInput> {
  return {
    ...body,
    plan: body.plan && toPlanInput(body.plan),
    rollout: body.rollout && toRolloutInput(body.rollout),
    holdback: body.holdback && toHoldbackInput(body.holdback),
    metrics: body.metrics?.map(toMetric),
    decision: body.decision && toDecision(body.decision),
  };
}

/** Drops the fields that only responses carry. */
function toPlanInput({
  basis: _basis,
  expectedUsers: _users,
  ...plan
}: ValueOf<typeof DecisionPlanBody>): PlanInput {
  return plan;
}

function toRolloutInput({
  stages,
  minMinutes,
}: NonNullable<ValueOf<typeof ExperimentConfigBody>["rollout"]>): RolloutInput {
  return { stages, minMinutes };
}

function toHoldbackInput({
  percent,
}: NonNullable<ValueOf<typeof ExperimentChangeBody>["holdback"]>): HoldbackInput {
  return { percent };
}

function toDecision({ outcome, variant, note }: ValueOf<typeof DecisionBody>): Decision {
  return { outcome, variant: variant ?? null, note: note ?? null };
}

/** Converts a metric's body to the domain's definition. */
export function toMetric({ judge, ...metric }: ValueOf<typeof MetricDefinitionBody>): MetricDefinition {
  return createMetric({ ...metric, judge: judge ? toJudge(judge) : null });
}

function toJudge({ rubric, scale, sampleRate }: ValueOf<typeof JudgeBody>): Judge {
  return { rubric, scale: scale ?? DEFAULT_JUDGE_SCALE, sampleRate: sampleRate ?? DEFAULT_SAMPLE_RATE };
}

/** Builds the response for an experiment. */
export function experimentAnswer(experiment: Experiment): ValueOf<typeof ExperimentSchema> {
  const { id, version, config, createdAt, updatedAt, isDemo } = experiment;
  return {
    ...config,
    metrics: config.metrics.map(metricAnswer),
    ...{ id, version, createdAt, updatedAt, isDemo },
    effectiveAllocation: shareOfUsers(experiment),
  };
}

/** Builds the response for a metric. Only metrics of kind quantile carry a quantile. */
export function metricAnswer({
  quantile,
  ...metric
}: MetricDefinition): ValueOf<typeof MetricDefinitionBody> {
  return metric.kind === "quantile" ? { ...metric, quantile } : metric;
}

/** Converts a metric to its wire form. */
export function toWireMetric(metric: MetricDefinition): Static<typeof MetricDefinitionBody> {
  return toWire(MetricDefinitionBody, metricAnswer(metric));
}
