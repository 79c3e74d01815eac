import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { RecordAnswer, RecordRoute } from "./observe-requests.ts";
import { isHostAllowed } from "./reject-hosts.ts";
import { requestIdOf } from "./request-id.ts";
import { EVERY_ANSWER } from "./security-headers.ts";
import { JSON_CONTENT } from "./send-wire.ts";

/** An answer that was made without the framework. */
export interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | string | null;
}

/** Makes an answer with a body that is already in the form of the wire. */
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
   * Answers from memory, or with a promise what has to be on disk first. Null for everything else, also when the promise rejects: then it
   * has stored nothing, and the framework takes the request as it came in. `body` is empty on a GET.
   */
  answer(headers: IncomingHttpHeaders, body: Buffer): DirectAnswer | null | Promise<DirectAnswer | null>;
}

interface DirectSettings {
  readonly recordRoute: RecordRoute;
  /** The names that a request may call this service; null: any. */
  readonly allowedHosts: readonly string[] | null;
}

const NO_BODY = Buffer.alloc(0);

/**
 * Answers the usual requests to these routes before the framework, whose hooks and objects cost more than such an answer itself. Whatever is
 * refused, waits for something or is out of the ordinary goes through the framework, so what holds for that is said there alone.
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
      // A small body is in the same packet as its headers: the parser has passed it on by the next tick.
      process.nextTick(direct.answer, request, response, since);
    } else if (hasBody(request.headers)) framework(request, response);
    else direct.answer(request, response, since);
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
    // A request that was read to its end could not be left to the framework later.
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

/** Returns the body when all of it is here; else null, and nothing was read. */
function readWhole(request: IncomingMessage): Buffer | null {
  const length = Number(request.headers["content-length"]);
  return length > 0 && request.readableLength === length ? request.read() : null;
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}
