import { randomUUID } from "node:crypto";
import { operations } from "@assay/contract";
import { DomainError } from "@assay/domain";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Deps } from "../deps.ts";
import { dashboardRoutes } from "../planes/dashboard/index.ts";
import { registerIngestPlane } from "../planes/ingest/index.ts";
import { platformOwnerRoutes } from "../planes/platform-owner/index.ts";
import { registerPublicPages } from "../planes/public/index.ts";
import { sendProblem } from "./problem-response.ts";

const CLOSE_IDLE_MS = 20;
const CLOSE_ALL_MS = 10_000;
const DASHBOARD_BODY_BYTES = 2 * 1024 * 1024;

/** Builds the HTTP application over its dependencies; it does not listen yet. */
export function buildApp(deps: Deps): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = deps.log;
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // Not UUIDv7: Node keeps random bytes for this one in stock, and 12 % of assign went into drawing them.
    genReqId: () => randomUUID(),
    bodyLimit: DASHBOARD_BODY_BYTES,
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: false },
    forceCloseConnections: "idle",
    // An import of 100 MiB over a slow line takes minutes to arrive. Slow headers are still cut off, after Node's minute.
    requestTimeout: 15 * 60_000,
    return503OnClosing: false,
  });
  endConnectionsOnClose(app);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(notFound(request.method, request.url), request, reply),
  );
  readEmptyBodies(app);
  app.addHook("onRequest", (_request, reply, done) => {
    reply.header("x-content-type-options", "nosniff");
    done();
  });
  for (const route of [...dashboardRoutes, ...platformOwnerRoutes]) route.register(app, deps);
  registerIngestPlane(app, deps);
  registerPublicPages(app, deps);
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

/** Lets a POST without a body carry a JSON content type, as many clients send it. Prototype keys are refused. */
function readEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body: string, done) => {
    if (body === "") done(null, undefined);
    else parse(request, body, done);
  });
}

/** A known address with another method answers 405 with what it takes, the rest 404. */
function notFound(method: string, url: string): DomainError {
  const path = url.split("?")[0] ?? url;
  const methods = operations
    .filter((declared) => pathPattern(declared.path).test(path))
    .map((declared) => declared.method);
  if (methods.length === 0) return new DomainError("not-found", `There is nothing at ${path}. See /docs.`);
  return new DomainError("method-not-allowed", `${path} takes ${methods.join(" and ")}, not ${method}.`);
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}
