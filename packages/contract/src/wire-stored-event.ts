import {
  EVENT_FIELD_LIST,
  type EventPreview,
  type EventSummary,
  type FieldKind,
  type FieldProperty,
  type Judgement,
  type MetricDefinition,
  type Outcome,
  type PropertyOf,
  type StoredEvent,
  TEST_USER_PREFIX,
  toInstant,
} from "@assay/domain";
import type { Static, TSchema } from "typebox";
import { listedFields, objectFields, textFields } from "./schemas/event-fields.ts";
import type { CallScore, StoredEventDetail, StoredEventSummary } from "./schemas/stored-events.ts";
import { toWireJudgement } from "./wire-judge.ts";

/** Writes an entry of a list of raw events, with the call's judgements under the experiment's metrics. */
export function toWirePreview(
  event: EventPreview,
  judgements: readonly Judgement[],
  metrics: readonly MetricDefinition[],
): Static<typeof StoredEventSummary> {
  return {
    ...toWireSummary(event),
    ...toWirePreviews(event),
    scores: judgements.map((judgement) => toWireCallScore(judgement, metrics)),
  };
}

interface AboutEvent {
  /** When the texts go (epoch milliseconds); null: never. */
  readonly expiresAt: number | null;
  readonly outcomes: readonly Outcome[];
  readonly judgements: readonly Judgement[];
}

/** Writes a raw event with its texts. */
export function toWireStoredEvent(
  event: StoredEvent,
  { expiresAt, outcomes, judgements }: AboutEvent,
): Static<typeof StoredEventDetail> {
  return {
    ...toWireSummary(event),
    ...toWireFields(event, textFields),
    ...toWireFields(event, objectFields),
    raw_expires_at: expiresAt === null ? null : toInstant(expiresAt),
    judgements: judgements.map(toWireJudgement),
    outcomes: outcomes.map(({ businessMetric, value, occurredAt }) => ({
      business_metric: businessMetric,
      value,
      occurred_at: toInstant(occurredAt),
    })),
  };
}

function toWireSummary(event: EventSummary) {
  const { event_id, type, occurred_at, received_at, user_id, variant, ...values } = toWireFields(
    event,
    listedFields,
  );
  return {
    ...{ event_id, type, occurred_at, received_at, user_id, variant },
    is_test: event.userId.startsWith(TEST_USER_PREFIX),
    ...values,
  };
}

/** Writes the fields that `schemas` names. */
function toWireFields<S extends Readonly<Record<string, TSchema>>>(event: Partial<StoredEvent>, schemas: S) {
  const fields = EVENT_FIELD_LIST.filter(({ name }) => name in schemas);
  return Object.fromEntries(
    fields.map(({ name, property, kind }) => [name, toWireValue(event[property] ?? null, kind)]),
  ) as { [N in keyof S]: Static<S[N]> };
}

function toWireValue(value: StoredEvent[FieldProperty], kind: FieldKind): unknown {
  if (kind === "instant") return toInstant(value as number);
  return kind === "object" && value !== null ? JSON.parse(value as string) : value;
}

function toWirePreviews(event: EventPreview) {
  const texts = EVENT_FIELD_LIST.filter(({ kind }) => kind === "text");
  const previews = texts.map(({ name, property }) => [
    `${name}_preview`,
    event[`${property as PropertyOf<"text">}Preview`],
  ]);
  return Object.fromEntries(previews) as { [N in keyof typeof textFields as `${N}_preview`]: string | null };
}

/** The scale is known while the metric is still of the version that was judged. */
function toWireCallScore(
  { metric: name, metricVersion, state, score, labelScore }: Judgement,
  metrics: readonly MetricDefinition[],
): Static<typeof CallScore> {
  const metric = metrics.find((known) => known.name === name && known.metricVersion === metricVersion);
  const scale = metric?.judge?.scale ?? null;
  return { metric: name, metric_version: metricVersion, scale, state, score, label: labelScore };
}
