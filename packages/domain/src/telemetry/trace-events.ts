import type { RawEvent } from "../event/check-event.ts";
import type { ExperimentUnit } from "../experiment/unit.ts";
import {
  type AgentEndFact,
  type CallFact,
  type EvaluationFact,
  factKey,
  type ScoreFact,
  type ToolFact,
} from "./facts.ts";

/** An experiment that a flag names. */
export interface FlaggedExperiment {
  readonly id: string;
  readonly unit: ExperimentUnit;
}

/** An evaluation of an experiment's flag. */
export type KnownEvaluation = EvaluationFact & { readonly experiment: FlaggedExperiment };

/** The user and the unit that an event is about. */
export interface Subjects {
  readonly userId: string;
  /** Null if the unit is the user. */
  readonly unitId: string | null;
}

/** Where a call or a score belongs. */
export interface Place extends Subjects {
  readonly experimentId: string;
  readonly variant: string;
}

/** Builds an exposure. */
export function exposure(traceId: string, evaluation: KnownEvaluation, subjects: Subjects): RawEvent {
  const { experiment, variant, at, spanId } = evaluation;
  return {
    event_id: eventId(traceId, experiment.id, factKey(evaluation)),
    type: "exposure",
    ...{ experiment_id: experiment.id, ...namesOf(subjects), variant, timestamp: Math.trunc(at) },
    ...samplingOf(evaluation),
    metadata: { trace_id: traceId, ...(spanId === null ? {} : { span_id: spanId }) },
  };
}

function namesOf({ userId, unitId }: Subjects): RawEvent {
  return { user_id: userId, ...(unitId !== null && { unit_id: unitId }) };
}

/** Builds the event of a call. Its run is the trace. */
export function callEvent(
  traceId: string,
  call: CallFact | ToolFact,
  { experimentId, variant, ...subjects }: Place,
): RawEvent {
  return {
    ...call.fields,
    event_id: eventId(traceId, experimentId, factKey(call)),
    type: call.kind === "tool" ? "tool_call" : "model_call",
    ...{ experiment_id: experimentId, ...namesOf(subjects), run_id: traceId },
    ...{ variant, timestamp: Math.trunc(call.at) },
  };
}

/** Builds the end of a run. Unless its span failed, the run counts as completed. */
export function endEvent(
  traceId: string,
  end: AgentEndFact,
  { experimentId, variant, ...subjects }: Place,
): RawEvent {
  return {
    event_id: eventId(traceId, experimentId, factKey(end)),
    type: "run_end",
    ...{ experiment_id: experimentId, ...namesOf(subjects), run_id: traceId },
    ...{ variant, timestamp: Math.trunc(end.at), completed: !end.isFailed },
    ...samplingOf(end),
    metadata: { trace_id: traceId, span_id: end.spanId },
  };
}

/** Builds the event of a score. */
export function scoreEvent(
  traceId: string,
  score: ScoreFact,
  { experimentId, variant, ...subjects }: Place,
): RawEvent {
  return {
    event_id: eventId(traceId, experimentId, factKey(score)),
    type: "business_event",
    ...{ experiment_id: experimentId, ...namesOf(subjects), variant, timestamp: Math.trunc(score.at) },
    business_metric: score.name,
    value: score.value,
    ...samplingOf(score),
    metadata: { ...score.metadata, trace_id: traceId },
  };
}

function samplingOf({ samplingProbability }: EvaluationFact | ScoreFact | AgentEndFact): RawEvent {
  return samplingProbability === undefined ? {} : { sampling_probability: samplingProbability };
}

/**
 * At most 107 characters: trace, experiment and the fact's key, whose first letter the event store reads (`FACT_LETTER`). The same fact
 * of the same trace always becomes the same event, however often it is sent.
 */
const eventId = (traceId: string, experimentId: string, key: string) => `${traceId}-${experimentId}-${key}`;

/** Returns the key of the fact from which a row was made. */
export function factOf(traceId: string, { event_id, experiment_id }: RawEvent): string {
  return (event_id as string).slice(eventId(traceId, experiment_id as string, "").length);
}
