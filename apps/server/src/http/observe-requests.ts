import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { runAs } from "../current-work.ts";
import type { Deps } from "../deps.ts";
import { sparingly } from "./sparingly.ts";

/** A request that took longer is told to the log. */
const SLOW_MS = 2_000;
/** Bodies of 100 MiB over a slow line: what they take says nothing. */
const MAY_BE_SLOW = ["/v1/events/import"];
const LOG_INTERVAL_MS = 1_000;
/** What requests without a route share, whatever they asked for. */
const NO_ROUTE = { method: "any", route: "none" } as const;
const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

type ObserveDeps = Pick<Deps, "metrics" | "log" | "clock">;
type Observe = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Times every request by its route's pattern, tells slow ones to the log, and lets what it logs and traces carry its id. */
export function observeRequests(app: FastifyInstance, deps: ObserveDeps): void {
  const passes = sparingly(LOG_INTERVAL_MS, deps.clock);
  const observeNone = observer(NO_ROUTE, passes, deps);
  // The labels belong to the route: looked up once, when it is made, and not for each request.
  app.addHook("onRoute", (route: RouteOptions & { readonly routePath: string }) => {
    const labels = { method: String(route.method), route: route.url };
    const own = observer(labels, passes, deps);
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
  passes: (key: string) => number | null,
  { metrics, log }: ObserveDeps,
): Observe {
  const { method, route } = labels;
  const timers = STATUS_CLASSES.map((status) => metrics.httpSeconds.labels(method, route, status));
  return (request, reply, done) => {
    const ms = reply.elapsedTime;
    timers[Math.floor(reply.statusCode / 100) - 1]?.observe(ms / 1000);
    if (ms > SLOW_MS && !MAY_BE_SLOW.includes(route)) {
      const leftOut = passes(`${method} ${route}`);
      const { id: requestId } = request;
      if (leftOut !== null)
        log.warn({ requestId, method, route, status: reply.statusCode, ms, leftOut }, "a request was slow");
    }
    done();
  };
}
