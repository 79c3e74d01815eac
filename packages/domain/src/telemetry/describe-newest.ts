import type { NewestFacts } from "../ports/waiting-traces.ts";

/** The newest model call that OpenTelemetry reported. */
export interface NewestCall {
  /** Name and version of the instrumentation. */
  readonly scope: string;
  readonly dialect: string | null;
  readonly model: string | null;
  /** The probability with which its trace was kept; null when it does not say. */
  readonly samplingProbability: number | null;
  /** Number of attributes that no dialect reads; they are kept in the call's metadata. */
  readonly unreadAttributes: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly traceId: string;
  readonly outcome: NonNullable<NewestFacts["call"]>["outcome"];
}

/** The newest evaluation of an experiment's flag that OpenTelemetry reported. */
export interface NewestEvaluation {
  readonly flag: string;
  readonly variant: string;
  readonly userId: string | null;
  readonly evaluatedAt: number;
  readonly traceId: string;
  /** Whether a log record reported it instead of a span. */
  readonly isLogged: boolean;
}

/** Describes the newest facts of an org's traces. */
export function describeNewest({ call, evaluation }: NewestFacts): {
  readonly lastCall: NewestCall | null;
  readonly lastEvaluation: NewestEvaluation | null;
} {
  return {
    lastCall: call && {
      scope: call.fact.scope,
      ...fieldsOf(call.fact.fields),
      ...{ startedAt: call.fact.at, traceId: call.traceId, outcome: call.outcome },
    },
    lastEvaluation: evaluation && {
      ...{ flag: evaluation.fact.flag, variant: evaluation.fact.variant, userId: evaluation.fact.userId },
      ...{ evaluatedAt: evaluation.fact.at, traceId: evaluation.traceId },
      // Facts that the previous version stored lack it.
      isLogged: evaluation.fact.isLogged === true,
    },
  };
}

function fieldsOf({
  model,
  requested_model,
  sampling_probability: probability,
  metadata,
}: NonNullable<NewestFacts["call"]>["fact"]["fields"]) {
  const { dialect, attributes } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    ...{ dialect: text(dialect), model: text(model) ?? text(requested_model) },
    samplingProbability: typeof probability === "number" ? probability : null,
    unreadAttributes: Object.keys(attributes ?? {}).length,
  };
}
