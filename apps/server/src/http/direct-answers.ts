import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../metrics.ts";
import type { TimeRequest } from "../request-times.ts";
import { isHostAllowed } from "./reject-hosts.ts";

/** An answer that was made from memory alone. */
export interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | string | null;
}

/** A route whose usual requests are answered without the framework. */
export interface DirectRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  /**
   * Answers from memory. Null for everything else: then it has counted and changed nothing, and the framework takes the request as it came
   * in. `body` is empty on a GET.
   */
  answer(headers: IncomingHttpHeaders, body: Buffer): DirectAnswer | null;
}

interface DirectSettings {
  /** The names that a request may call this service; null: any. */
  readonly allowedHosts: readonly string[] | null;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When it came in (`performance.now`). */
  readonly since: number;
}

const NO_BODY = Buffer.alloc(0);

/**
 * Answers the usual requests to these routes before the framework, whose hooks and objects cost more than such an answer itself. Whatever is
 * refused, waits for something or is out of the ordinary goes through the framework, so what holds for that is said there alone.
 */
export function answerDirectly(
  app: FastifyInstance,
  routes: readonly DirectRoute[],
  { metrics, allowedHosts }: DirectSettings & { readonly metrics: Pick<Metrics, "requestTimes"> },
): void {
  const [framework] = app.server.listeners("request") as [RequestListener];
  const byPath = new Map(
    routes.map((route) => {
      const time = metrics.requestTimes.of({ method: route.method, route: route.path });
      return [route.path, { route, answer: answerer(route, time, allowedHosts) }] as const;
    }),
  );

  const listener: RequestListener = (request, response) => {
    const direct = byPath.get(request.url!);
    if (direct === undefined || direct.route.method !== request.method) return framework(request, response);
    const exchange = { request, response, since: performance.now() };
    if (request.method === "GET") {
      if (hasBody(request.headers) || !direct.answer(exchange, NO_BODY)) framework(request, response);
      return;
    }
    // A small body is in the same packet as its headers: the parser has passed it on by the next tick.
    process.nextTick(() => {
      const body = readWhole(request);
      if (body !== null && direct.answer(exchange, body)) return void request.resume();
      if (body !== null) request.unshift(body);
      framework(request, response);
    });
  };

  replaceListener(app, framework, listener);
  // From then on each answer has to close its connection.
  app.addHook("preClose", (done) => {
    replaceListener(app, listener, framework);
    done();
  });
}

function replaceListener({ server }: FastifyInstance, old: RequestListener, next: RequestListener): void {
  server.off("request", old).on("request", next);
}

/** Makes the function that answers one exchange and says whether it did. */
function answerer(route: DirectRoute, time: TimeRequest, allowedHosts: readonly string[] | null) {
  return ({ request, response, since }: Exchange, body: Buffer): boolean => {
    if (!isHostAllowed(request, allowedHosts)) return false;
    const answer = answerSafely(route, request.headers, body);
    if (answer === null) return false;
    response.writeHead(answer.status, answer.headers).end(answer.body);
    time(answer.status, (performance.now() - since) / 1000);
    return true;
  };
}

/** What fails here fails in the framework too, which reports it. */
function answerSafely(route: DirectRoute, headers: IncomingHttpHeaders, body: Buffer): DirectAnswer | null {
  try {
    return route.answer(headers, body);
  } catch {
    return null;
  }
}

/** Returns the body when all of it is here; else null, and nothing was read. */
function readWhole(request: IncomingMessage): Buffer | null {
  const length = Number(request.headers["content-length"]);
  return length > 0 && request.readableLength === length ? request.read() : null;
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}
