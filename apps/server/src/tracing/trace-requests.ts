import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import { runAs } from "../current-work.ts";
import type { SpanFacts } from "./tracing.ts";

/** Begins the span of a request; `traceparent` is what its caller sent. */
type StartSpan = (name: string, facts: SpanFacts & { readonly traceparent: unknown }) => Span;

/** Probes come every few seconds and say nothing. */
const QUIET = ["/healthz", "/readyz", "/metrics"];

/** Makes a span of every request but the probes, named by its route's pattern. */
export function traceRequests(app: FastifyInstance, start: StartSpan): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const route = request.routeOptions.url;
    if (route !== undefined && QUIET.includes(route)) return done();
    const { method, id } = request;
    const attributes = {
      "http.request.method": method,
      ...(route === undefined ? {} : { "http.route": route }),
      "assay.request_id": id,
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = start(name, { attributes, traceparent: request.headers.traceparent });
    request.span = span;
    runAs({ requestId: id, span }, done);
  });
  app.addHook("onResponse", ({ span }, { statusCode }, done) => {
    span?.setAttribute("http.response.status_code", statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
