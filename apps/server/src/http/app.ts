import { randomUUID } from "node:crypto";
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
import { dashboardRoutes } from "../planes/dashboard/index.ts";
import { registerIngestPlane } from "../planes/ingest/index.ts";
import { platformOwnerRoutes } from "../planes/platform-owner/index.ts";
import { registerPublicPages } from "../planes/public/index.ts";
import { registerWebhooks } from "../planes/webhooks/index.ts";
import { readJsonBodies } from "./json-body.ts";
import { sendProblem } from "./problem-response.ts";
import { DATA_HEADERS, setHeaders } from "./security-headers.ts";

const CLOSE_IDLE_MS = 20;
const CLOSE_ALL_MS = 10_000;
const DASHBOARD_BODY_BYTES = 2 * 1024 * 1024;

/** Builds the HTTP application over its dependencies; it does not listen yet. Only `trustedProxies` are believed about the caller's address. */
export function buildApp(deps: Deps, trustedProxies: readonly string[]): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = deps.log;
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // Not UUIDv7: Node keeps random bytes for this one in stock, and 12 % of assign went into drawing them.
    genReqId: () => randomUUID(),
    bodyLimit: DASHBOARD_BODY_BYTES,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: false },
    forceCloseConnections: "idle",
    // An address that cannot be read has neither route nor hooks.
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply.headers(DATA_HEADERS)),
    // An import of 100 MiB over a slow line takes minutes to arrive. Slow headers are still cut off, after Node's minute.
    requestTimeout: 15 * 60_000,
    return503OnClosing: false,
  });
  endConnectionsOnClose(app);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler(answerWithoutRoute);
  readJsonBodies(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-content-type-options", "nosniff");
    // Here already: Fastify would look at the body first, and find fault with it.
    if (request.is404) answerWithoutRoute(request, reply);
    else done();
  });
  registerIngestPlane(app, deps);
  app.register(async (plane) => {
    setHeaders(plane, DATA_HEADERS);
    for (const route of [...dashboardRoutes, ...platformOwnerRoutes]) route.register(plane, deps);
    registerWebhooks(plane, deps);
    registerPublicPages(plane, deps);
  });
  return app;
}

/** Requests under way may finish; then their connections end, and after a while those of clients that dawdle. */
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

/** A known address with another method answers 405 with what it takes, the rest 404. */
function answerWithoutRoute(request: FastifyRequest, reply: FastifyReply): void {
  const path = request.url.split("?")[0] ?? request.url;
  const taken = operations
    .filter((declared) => pathPattern(declared.path).test(path))
    .map((declared) => declared.method);
  reply.headers(DATA_HEADERS);
  if (taken.length === 0) {
    sendProblem(new DomainError("not-found", `There is nothing at ${path}. See /docs.`), request, reply);
    return;
  }
  const detail = `${path} takes ${taken.join(" and ")}, not ${request.method}.`;
  reply.header("allow", taken.join(", "));
  sendProblem(new DomainError("method-not-allowed", detail), request, reply);
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}
