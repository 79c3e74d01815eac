import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { RecordAnswer, RecordRoute } from "./observe-requests.ts";
import { isHostAllowed } from "./reject-hosts.ts";
import { requestIdOf } from "./request-id.ts";
import { EVERY_ANSWER } from "./security-headers.ts";
import { JSON_CONTENT } from "./send-wire.ts";

/** An answer made without the framework. */
export interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | string | null;
}

/** Makes an answer whose body is already in the wire format. */
export function directJson(status: number, wire: unknown): DirectAnswer {
  const body = JSON.stringify(wire);
  return {
    status,
    headers: { ...EVERY_ANSWER, ...JSON_CONTENT, "content-length": Buffer.byteLength(body) },
    body,
  };
}

/** A route whose usual requests are answered without the framework. */
export interface DirectRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  /**
   * Answers from memory, or returns a promise when something must be on disk first. Null for everything else, and a rejected promise counts
   * as null: then nothing was stored, and the framework handles the request unchanged. `body` is empty on a GET.
   */
  answer(headers: IncomingHttpHeaders, body: Buffer): DirectAnswer | null | Promise<DirectAnswer | null>;
}

interface DirectSettings {
  readonly recordRoute: RecordRoute;
  /** The host names under which this service may be called. Null: any. */
  readonly allowedHosts: readonly string[] | null;
}

const NO_BODY = Buffer.alloc(0);

/**
 * Answers the usual requests to these routes without the framework, whose hooks and objects cost more than such an answer. Requests that are
 * refused, wait for something or are unusual go through the framework, so only the framework's code covers them.
 */
export function answerDirectly(
  app: FastifyInstance,
  routes: readonly DirectRoute[],
  { recordRoute, allowedHosts }: DirectSettings,
): void {
  const [framework] = app.server.listeners("request") as [RequestListener];
  const byPath = new Map(
    routes.map((route) => {
      const record = recordRoute({ method: route.method, route: route.path });
      return [route.path, { route, answer: answerer(route, { framework, record, allowedHosts }) }] as const;
    }),
  );

  const listener: RequestListener = (request, response) => {
    const direct = byPath.get(request.url!);
    if (direct === undefined || direct.route.method !== request.method) return framework(request, response);
    const since = performance.now();
    if (request.method === "POST") {
      // A small body is in the same packet as its headers. The parser has delivered it by the next tick.
      process.nextTick(direct.answer, request, response, since);
    } else if (hasBody(request.headers)) framework(request, response);
    else direct.answer(request, response, since);
  };

  replaceListener(app, framework, listener);
  // From then on, each answer must close its connection.
  app.addHook("preClose", (done) => {
    replaceListener(app, listener, framework);
    done();
  });
}

function replaceListener({ server }: FastifyInstance, old: RequestListener, next: RequestListener): void {
  server.off("request", old).on("request", next);
}

interface AnswererParts {
  readonly framework: RequestListener;
  readonly record: RecordAnswer;
  readonly allowedHosts: readonly string[] | null;
}

/** Makes the function that answers one exchange, or leaves it to the framework. */
function answerer(route: DirectRoute, { framework, record, allowedHosts }: AnswererParts) {
  const isPost = route.method === "POST";
  return (request: IncomingMessage, response: ServerResponse, since: number): void => {
    const body = isPost ? readWhole(request) : NO_BODY;
    const isUsual = body !== null && isHostAllowed(request, allowedHosts);
    const answer = isUsual ? answerSafely(route, request.headers, body) : null;
    const isLate = answer instanceof Promise;
    // The framework could not read a request that was already read to its end.
    if (isPost && body !== null && (isLate || answer === null)) request.unshift(body);
    const settle = (settled: DirectAnswer | null): void => {
      if (settled === null) framework(request, response);
      else {
        response.writeHead(settled.status, settled.headers).end(settled.body);
        record(settled.status, performance.now() - since, () => requestIdOf(request));
      }
    };
    if (isLate) void answer.then(settle, () => settle(null));
    else settle(answer);
  };
}

/** What fails here fails in the framework too, which reports it. */
function answerSafely(
  route: DirectRoute,
  headers: IncomingHttpHeaders,
  body: Buffer,
): ReturnType<DirectRoute["answer"]> {
  try {
    return route.answer(headers, body);
  } catch {
    return null;
  }
}

/** Returns the body if all of it has arrived. Otherwise returns null and reads nothing. */
function readWhole(request: IncomingMessage): Buffer | null {
  const length = Number(request.headers["content-length"]);
  return length > 0 && request.readableLength === length ? request.read() : null;
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}
