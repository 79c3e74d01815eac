import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Context,
  DiagLogLevel,
  diag,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { currentWork, runAs } from "../current-work.ts";
import type { SamplerSetting, TracingSettings } from "../settings/tracing-settings.ts";
import { VERSION } from "../version.ts";
import { parseTraceparent, toTraceparent } from "./traceparent.ts";
import type { SpanFacts, Tracing } from "./tracing.ts";

/** Tracing that exports spans by OTLP over HTTP. */
export interface OpenTracing extends Tracing {
  /** Sends the remaining spans and stops, within a few seconds. */
  close(): Promise<void>;
}

const CLOSE_MS = 3_000;

/** Opens the tracing in the settings. This module is imported only when tracing is on, because it takes 10 MB of memory. */
export function openTracing(settings: TracingSettings, role: string, log: Logger): OpenTracing {
  logFaults(log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "assay",
      "service.version": VERSION,
      "service.instance.id": randomUUID(),
      "assay.role": role,
      ...settings.resource,
    }),
    sampler: toSampler(settings.sampler),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: settings.tracesUrl }) }),
    ],
  });
  const tracer = provider.getTracer("assay", VERSION);
  return {
    span: (name, facts, work) => spanOf(start(name, facts, tracer), work),
    traceparent: () => {
      const span = currentWork()?.span;
      return span && toTraceparent(span.spanContext());
    },
    traceRequests: (app) =>
      traceRequests(app, (name, { attributes = {}, traceparent }) =>
        tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, remoteParent(traceparent)),
      ),
    async close() {
      const sent = provider.shutdown().then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([sent, sleep(CLOSE_MS, false, { ref: false })])))
        log.warn("could not send the last spans");
    },
  };
}

function start(name: string, { attributes = {}, links = [] }: SpanFacts, tracer: Tracer): Span {
  const parent = currentWork()?.span;
  const context: Context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
  return tracer.startSpan(name, { attributes, links: toLinks(links) }, context);
}

async function spanOf<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await runAs({ ...currentWork(), span }, work);
  } catch (error) {
    // Only the error's class: its message may quote a request.
    span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Starts the span of a request; `traceparent` is what the caller sent. */
type StartSpan = (name: string, facts: SpanFacts & { readonly traceparent: unknown }) => Span;

/** Probes come every few seconds and are not worth tracing. */
const QUIET = ["/healthz", "/readyz", "/metrics"];

/** Makes a span for every request except probes, named by its route's pattern. */
function traceRequests(app: FastifyInstance, start: StartSpan): void {
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

function remoteParent(traceparent: unknown): Context {
  const parent = parseTraceparent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

function toLinks(traceparents: readonly (string | undefined)[]): Link[] {
  const contexts = [...new Set(traceparents)].map(parseTraceparent);
  return contexts.filter((context) => context !== null).map((context) => ({ context }));
}

function toSampler({ name, ratio }: SamplerSetting): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[name.kind]();
  return name.isParentBased ? new ParentBasedSampler({ root }) : root;
}

/** Logs the library's errors as warnings: lost spans are not an error of the service. */
function logFaults(log: Logger): void {
  const warn = (message: string) => log.warn({ detail: message.slice(0, 500) }, "tracing reported a problem");
  const nothing = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
