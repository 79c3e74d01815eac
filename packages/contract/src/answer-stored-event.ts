import {
  EVENT_FIELD_LIST,
  type EventPreview,
  type JsonObject,
  type Judgement,
  type MetricDefinition,
  type Outcome,
  type PropertyOf,
  type StoredEvent,
  TEST_USER_PREFIX,
  type UserEvent,
} from "@assay/domain";
import { judgementAnswer } from "./answer-judge.ts";
import type { CallScore, StoredEventDetail, StoredEventSummary } from "./schemas/stored-events.ts";
import type { UserEventSchema } from "./schemas/users.ts";
import type { ValueOf } from "./wire.ts";

interface AboutPreview {
  readonly arm: string | null;
  readonly judgements: readonly Judgement[];
  /** The experiment's metrics. */
  readonly metrics: readonly MetricDefinition[];
}

/** Builds one entry of a list of raw events, with the call's judgements for the experiment's metrics. */
export function previewAnswer(
  event: EventPreview,
  { arm, judgements, metrics }: AboutPreview,
): ValueOf<typeof StoredEventSummary> {
  return {
    ...event,
    arm,
    isTest: isTest(event),
    scores: judgements.map((judgement) => callScore(judgement, metrics)),
  };
}

interface AboutEvent {
  readonly arm: string | null;
  /** When the service deletes the texts (epoch milliseconds); null: never. */
  readonly expiresAt: number | null;
  readonly outcomes: readonly Outcome[];
  readonly judgements: readonly Judgement[];
}

/** Builds the response for a raw event with its texts. */
export function storedEventAnswer(
  event: StoredEvent,
  { arm, expiresAt, outcomes, judgements }: AboutEvent,
): ValueOf<typeof StoredEventDetail> {
  return {
    ...event,
    arm,
    isTest: isTest(event),
    ...parsedObjects(event),
    rawExpiresAt: expiresAt,
    judgements: judgements.map(judgementAnswer),
    outcomes,
  };
}

/** Builds one line of a user's stored events. */
export function userEventAnswer(
  event: UserEvent,
  judgements: readonly Judgement[],
): ValueOf<typeof UserEventSchema> {
  return { ...event, ...parsedObjects(event), judgements: judgements.map(judgementAnswer) };
}

/** Objects are stored as their JSON. */
function parsedObjects(event: StoredEvent) {
  const objects = EVENT_FIELD_LIST.filter(({ kind }) => kind === "object");
  const parsed = objects.map(({ property }) => {
    const json = event[property as PropertyOf<"object">];
    return [property, json === null ? null : JSON.parse(json)];
  });
  return Object.fromEntries(parsed) as Readonly<Record<PropertyOf<"object">, JsonObject | null>>;
}

const isTest = ({ userId, markedTest }: Pick<StoredEvent, "userId" | "markedTest">): boolean =>
  markedTest === true || userId.startsWith(TEST_USER_PREFIX);

/** Combines a judge's and a person's score of a call. Without the judged version of the metric, the scale is unknown. */
export function callScore(
  judgement: Judgement,
  metrics: readonly MetricDefinition[],
): ValueOf<typeof CallScore> {
  const metric = metrics.find(
    ({ name, metricVersion }) => name === judgement.metric && metricVersion === judgement.metricVersion,
  );
  return { ...judgement, scale: metric?.judge?.scale ?? null, label: judgement.labelScore };
}
