import type { Attributes, Span } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** The request's span; null when tracing is off. */
    span: Span | null;
  }
}

/** What is known about a span when it starts. Never a key, a payload or a user. */
export interface SpanFacts {
  readonly attributes?: Attributes;
  /** The W3C `traceparent`s of the work that caused it. */
  readonly links?: readonly (string | undefined)[];
}

/** Records what the service does and how long each step takes. */
export interface Tracing {
  /** Runs `work` in a child span of the current work; a rejection marks the span as failed. */
  span<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
  /** Returns the W3C `traceparent` of the current work; undefined when tracing is off. */
  traceparent(): string | undefined;
  /** Makes a span for every request, in the trace that the caller's `traceparent` names. */
  traceRequests(app: FastifyInstance): void;
}

/** The tracing of an installation without tracing. */
export const noTracing: Tracing = {
  span: (_name, _facts, work) => work(),
  traceparent: () => undefined,
  traceRequests: () => undefined,
};
