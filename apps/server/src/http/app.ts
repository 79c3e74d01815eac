import { operations } from "@assay/contract";
import { DomainError } from "@assay/domain";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Deps } from "../deps.ts";
import { isLangfusePath } from "../langfuse/errors.ts";
import { dashboardRoutes } from "../planes/dashboard/index.ts";
import { directAssign } from "../planes/ingest/assign.ts";
import { directConfig } from "../planes/ingest/config.ts";
import { directEvents } from "../planes/ingest/events.ts";
import { registerIngestPlane } from "../planes/ingest/index.ts";
import { platformOwnerRoutes } from "../planes/platform-owner/index.ts";
import { answerUnknownPage } from "../planes/public/dashboard.ts";
import { registerPublicPages } from "../planes/public/index.ts";
import { registerProbes } from "../planes/public/probes.ts";
import { registerScim } from "../planes/scim/index.ts";
import { registerWebhooks } from "../planes/webhooks/index.ts";
import type { Settings } from "../settings.ts";
import { noTracing } from "../tracing/tracing.ts";
import { limitBodyTime } from "./body-timeout.ts";
import { answerDirectly } from "./direct-answers.ts";
import { discardUnreadSlowly } from "./discard-slowly.ts";
import { readJsonBodies } from "./json-body.ts";
import { observeRequests, requestRecorder } from "./observe-requests.ts";
import { problemSender, type SendProblem } from "./problem-response.ts";
import { rejectHosts } from "./reject-hosts.ts";
import { requestIdOf } from "./request-id.ts";
import { DATA_HEADERS, EVERY_ANSWER, setHeaders } from "./security-headers.ts";

const CLOSE_IDLE_MS = 20;
const CLOSE_ALL_MS = 10_000;
const DASHBOARD_BODY_BYTES = 2 * 1024 * 1024;

interface AppSettings extends Pick<Settings, "role" | "trustedProxies" | "publicUrl" | "allowedHosts"> {
  /** How long the body of an ordinary route may take to arrive. */
  readonly bodyTimeoutMs: number;
}

/**
 * Builds the HTTP application from its dependencies, without listening yet. It trusts only `trustedProxies` to report
 * the caller's address. A worker answers probes and nothing else.
 */
export function buildApp(
  deps: Deps,
  { role, trustedProxies, publicUrl, allowedHosts, bodyTimeoutMs }: AppSettings,
): FastifyInstance {
  const sendProblem = problemSender(deps);
  const app = createApp(deps, { trustedProxies, sendProblem });
  app.decorate("publicUrl", publicUrl);
  deps.tracing.traceRequests(app);
  const recordRoute = requestRecorder(deps);
  observeRequests(app, recordRoute);
  rejectHosts(app, allowedHosts);
  limitBodyTime(app, bodyTimeoutMs);
  discardUnreadSlowly(app);
  if (role === "worker") serveProbes(app, deps, sendProblem);
  else serveEverything(app, deps, sendProblem);
  // With tracing on, requests go through the framework, whose steps the trace shows.
  if (role !== "worker" && deps.tracing === noTracing)
    answerDirectly(app, [directAssign(deps), directEvents(deps), directConfig(deps)], {
      recordRoute,
      allowedHosts,
    });
  return app;
}

interface AppParts {
  readonly trustedProxies: readonly string[];
  readonly sendProblem: SendProblem;
}

function createApp(deps: Deps, { trustedProxies, sendProblem }: AppParts): FastifyInstance {
  const app = Fastify({
    loggerInstance: withoutChildren(deps.log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: DASHBOARD_BODY_BYTES,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    // In UTF-16 units: a user's id has up to 256 characters of two units each.
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    forceCloseConnections: "idle",
    // A request whose address cannot be decoded reaches no route and no hooks.
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply.headers(DATA_HEADERS)),
    // An import of 100 MiB over a slow line takes minutes to arrive. Other bodies get less time (`limitBodyTime`). Slow headers are cut off by Node after a minute.
    requestTimeout: 15 * 60_000,
    return503OnClosing: false,
  });
  endConnectionsOnClose(app);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.decorateRequest("span", null);
  app.decorateRequest("principal", null);
  return app;
}

/**
 * Log lines within a request have its id anyway (`observeRequests`), so requests need no loggers of their own. With a
 * `childLoggerFactory`, Fastify would check at each request that the result is a logger.
 */
function withoutChildren(log: FastifyBaseLogger): FastifyBaseLogger {
  const shared: FastifyBaseLogger = Object.create(log, { child: { value: () => shared } });
  return shared;
}

function serveProbes(app: FastifyInstance, deps: Deps, sendProblem: SendProblem): void {
  setHeaders(app, DATA_HEADERS);
  app.setNotFoundHandler((request, reply) => {
    sendProblem(
      notFound(request, "This is a worker: it answers /healthz, /readyz and /metrics."),
      request,
      reply,
    );
  });
  registerProbes(app, deps);
}

function serveEverything(app: FastifyInstance, deps: Deps, sendProblem: SendProblem): void {
  const answerWithoutRoute = (request: FastifyRequest, reply: FastifyReply) => {
    if (!answerUnknownPage(request, reply)) sendProblem(withoutRoute(request, reply), request, reply);
  };
  app.setNotFoundHandler(answerWithoutRoute);
  readJsonBodies(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(EVERY_ANSWER);
    // Answered here, because Fastify would otherwise reject the body first.
    if (request.is404 || isOfAnotherPattern(request)) answerWithoutRoute(request, reply);
    else done();
  });
  registerIngestPlane(app, deps);
  app.register(async (plane) => {
    setHeaders(plane, DATA_HEADERS);
    for (const route of [...dashboardRoutes, ...platformOwnerRoutes]) route.register(plane, deps);
    registerWebhooks(plane, deps);
    registerPublicPages(plane, deps);
    plane.register(async (scim) => registerScim(scim, deps));
  });
}

/** Lets running requests finish and closes their connections. After a while it also closes the connections of slow clients. */
function endConnectionsOnClose(app: FastifyInstance): void {
  app.addHook("preClose", (done) => {
    const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS);
    const all = setTimeout(() => app.server.closeAllConnections(), CLOSE_ALL_MS);
    app.server.once("close", () => {
      clearInterval(idle);
      clearTimeout(all);
    });
    done();
  });
}

/** The operations whose paths have no parameters. As OpenAPI requires, such a path takes precedence over a pattern. */
const LITERAL = Map.groupBy(
  operations.filter(({ path }) => !path.includes("{")),
  ({ path }) => path,
);

/** Whether a path without parameters matched the route of a pattern, because the pattern takes other methods. */
function isOfAnotherPattern(request: FastifyRequest): boolean {
  const path = pathOf(request);
  return LITERAL.has(path) && request.routeOptions.url !== path;
}

const AND = new Intl.ListFormat("en");

/** A known address with another method gets 405 with the methods it takes, anything else 404. */
function withoutRoute(request: FastifyRequest, reply: FastifyReply): DomainError {
  const path = pathOf(request);
  const declared = LITERAL.get(path) ?? operations.filter((one) => pathPattern(one.path).test(path));
  const taken = declared.map(({ method }) => method).sort();
  reply.headers(DATA_HEADERS);
  if (taken.length === 0) return notFound(request, hintAt(path));
  reply.header("allow", taken.join(", "));
  return new DomainError("method-not-allowed", `${path} takes ${AND.format(taken)}, not ${request.method}.`);
}

/** Where OpenTelemetry exporters send if their endpoint lacks `/v1/otlp` or is used as the whole address. */
const OTLP_PATH = /^\/v1\/(?:traces|logs|otlp(?:\/(?:traces|logs|metrics))?)$/;

function hintAt(path: string): string {
  if (isLangfusePath(path)) return "See docs/langfuse.md for what is.";
  if (OTLP_PATH.test(path)) return "Set OTEL_EXPORTER_OTLP_ENDPOINT to the service's address with /v1/otlp.";
  return "See /docs.";
}

const pathOf = ({ url }: FastifyRequest): string => url.split("?")[0] ?? url;

const notFound = (request: FastifyRequest, hint: string): DomainError =>
  new DomainError("not-found", `There is nothing at ${pathOf(request)}. ${hint}`);

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}
