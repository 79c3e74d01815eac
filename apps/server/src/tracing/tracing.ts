import type { Attributes, Span } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Where traces are kept: the request's span. */
    span: Span | null;
  }
}

/** What is known of a span when it begins. Never a key, a payload or a user. */
export interface SpanFacts {
  readonly attributes?: Attributes;
  /** W3C `traceparent`s of what led to it. */
  readonly links?: readonly (string | undefined)[];
}

/** Where the service tells what it does and how long each step takes. */
export interface Tracing {
  /** Does `work` as a span of what is under way; a rejection marks it as failed. */
  span<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
  /** The W3C `traceparent` of what is under way; undefined when nobody keeps it. */
  traceparent(): string | undefined;
  /** Makes a span of every request, in the trace that its caller's `traceparent` names. */
  traceRequests(app: FastifyInstance): void;
}

/** The tracing of an installation that keeps none. */
export const noTracing: Tracing = {
  span: (_name, _facts, work) => work(),
  traceparent: () => undefined,
  traceRequests: () => undefined,
};
