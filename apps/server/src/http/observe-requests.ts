import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { runAs } from "../current-work.ts";
import type { Deps } from "../deps.ts";
import { createLogThrottle } from "./log-throttle.ts";

/** A request that takes longer is logged. */
const SLOW_MS = 2_000;
/** Routes with bodies of up to 100 MiB. Their duration depends on the client's connection. */
const MAY_BE_SLOW = ["/v1/events/import"];
const LOG_INTERVAL_MS = 1_000;
/** Labels of all requests without a route. */
const NO_ROUTE = { method: "any", route: "none" } as const;

declare module "fastify" {
  interface FastifyRequest {
    /** How long the request waited because its client asked for it. Not part of its duration. */
    waitedMs: number;
  }
}

interface Labels {
  readonly method: string;
  readonly route: string;
}

/** Records an answer: its status, its duration, and the request's id in case it is logged. */
export type RecordAnswer = (status: number, ms: number, idOf: () => string) => void;

/** Makes the function that records a route's answers: it times them, and logs slow ones. */
export type RecordRoute = (labels: Labels) => RecordAnswer;

/** Labels are looked up once per route, not per request. */
export function requestRecorder({
  metrics,
  log,
  clock,
}: Pick<Deps, "log" | "clock"> & { readonly metrics: Pick<Deps["metrics"], "requestTimes"> }): RecordRoute {
  const throttle = createLogThrottle(LOG_INTERVAL_MS, clock);
  return (labels) => {
    const { method, route } = labels;
    const time = metrics.requestTimes.of(labels);
    const mayBeSlow = MAY_BE_SLOW.includes(route);
    return (status, ms, idOf) => {
      time(status, ms / 1000);
      if (ms <= SLOW_MS || mayBeSlow) return;
      const leftOut = throttle(`${method} ${route}`);
      if (leftOut !== null)
        log.warn({ requestId: idOf(), method, route, status, ms, leftOut }, "a request was slow");
    };
  };
}

type Observe = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Records every request by its route's pattern, and gives log lines and traces the request's id. */
export function observeRequests(app: FastifyInstance, recordRoute: RecordRoute): void {
  app.decorateRequest("waitedMs", 0);
  const observeNone = observer(recordRoute(NO_ROUTE));
  app.addHook("onRoute", (route: RouteOptions & { readonly routePath: string }) => {
    const labels = { method: String(route.method), route: route.url };
    const own = observer(recordRoute(labels));
    const others = route.onResponse === undefined ? [] : [route.onResponse].flat();
    route.onResponse = [own, ...others];
  });
  app.addHook("onResponse", (request, reply, done) => {
    if (request.is404) observeNone(request, reply, done);
    else done();
  });
  // After the body was read, because its events come from the socket, which belongs to no request.
  app.addHook("preValidation", (request, _reply, done) =>
    runAs({ requestId: request.id, span: request.span ?? undefined }, done),
  );
}

function observer(record: RecordAnswer): Observe {
  return (request, reply, done) => {
    record(reply.statusCode, reply.elapsedTime - request.waitedMs, () => request.id);
    done();
  };
}
