import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { runAs } from "../current-work.ts";
import type { Deps } from "../deps.ts";
import { createLogThrottle, type LogThrottle } from "./log-throttle.ts";

/** A request that takes longer is logged. */
const SLOW_MS = 2_000;
/** Routes with bodies of up to 100 MiB: their duration depends on the client's line. */
const MAY_BE_SLOW = ["/v1/events/import"];
const LOG_INTERVAL_MS = 1_000;
/** Labels of all requests without a route. */
const NO_ROUTE = { method: "any", route: "none" } as const;

declare module "fastify" {
  interface FastifyRequest {
    /** How long it waited because its client asked for that: no part of its duration. */
    waitedMs: number;
  }
}

type ObserveDeps = Pick<Deps, "metrics" | "log" | "clock">;
type Observe = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Times every request by its route's pattern, logs slow ones, and gives log lines and traces the request's id. */
export function observeRequests(app: FastifyInstance, deps: ObserveDeps): void {
  app.decorateRequest("waitedMs", 0);
  const throttle = createLogThrottle(LOG_INTERVAL_MS, deps.clock);
  const observeNone = observer(NO_ROUTE, throttle, deps);
  // Labels are looked up once per route, not per request.
  app.addHook("onRoute", (route: RouteOptions & { readonly routePath: string }) => {
    const labels = { method: String(route.method), route: route.url };
    const own = observer(labels, throttle, deps);
    const others = route.onResponse === undefined ? [] : [route.onResponse].flat();
    route.onResponse = [own, ...others];
  });
  app.addHook("onResponse", (request, reply, done) => {
    if (request.is404) observeNone(request, reply, done);
    else done();
  });
  // After the body was read: its events come from the socket, which belongs to no request.
  app.addHook("preValidation", (request, _reply, done) =>
    runAs({ requestId: request.id, span: request.span ?? undefined }, done),
  );
}

function observer(
  labels: { readonly method: string; readonly route: string },
  throttle: LogThrottle,
  { metrics, log }: ObserveDeps,
): Observe {
  const { method, route } = labels;
  const time = metrics.requestTimes.of(labels);
  return (request, reply, done) => {
    const ms = reply.elapsedTime - request.waitedMs;
    time(reply.statusCode, ms / 1000);
    if (ms > SLOW_MS && !MAY_BE_SLOW.includes(route)) {
      const suppressed = throttle(`${method} ${route}`);
      const { id: requestId } = request;
      if (suppressed !== null)
        log.warn(
          { requestId, method, route, status: reply.statusCode, ms, leftOut: suppressed },
          "a request was slow",
        );
    }
    done();
  };
}
