import {
  type Answer,
  type AnswerFile,
  type AnswerOf,
  type BodyOf,
  fromWire,
  notFoundKind,
  type Operation,
  type ParamsOf,
  type QueryOf,
  toWire,
} from "@assay/contract";
import { type Caller, DomainError, type FieldFault, type PlatformCaller } from "@assay/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { authenticatePlatformOwner, authenticateSession, type Exchange } from "./authenticate.ts";
import { leaveBodies } from "./follow-connection.ts";
import { textFault } from "./json-body.ts";
import { sendFile } from "./send-file.ts";
import { sendRows } from "./send-rows.ts";
import { coerceIntegers, compileCheck, rejectBody, rejectQuery, rejectRepeated } from "./validate.ts";

/** What a handler gets: validated values in camelCase, and the caller. */
export interface Call<O> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A route: an operation of the contract and the function that answers it. */
export interface Route {
  readonly operation: Operation;
  register(app: FastifyInstance, deps: Deps): void;
}

type Handler<O extends Operation, C> = (
  call: Call<O> & { readonly caller: C },
  deps: Deps,
) => Promise<AnswerOf<O>>;

/**
 * Binds a handler to an operation of the dashboard plane. The handler returns the answer's values. The operation's
 * schema converts them to the wire format and leaves out unknown fields.
 */
export function defineRoute<O extends Operation>(operation: O, handle: Handler<O, Caller>): Route {
  const { auth } = operation;
  if (auth.kind !== "session") throw new Error(`${operation.path} takes no session of an org.`);
  return bind(operation, (exchange, deps) => authenticateSession(exchange, auth, deps), handle);
}

/** Binds a handler to an operation of the platform-owner plane, whose caller may belong to no org. */
export function definePlatformRoute<O extends Operation>(
  operation: O,
  handle: Handler<O, PlatformCaller>,
): Route {
  const { auth } = operation;
  if (auth.kind !== "platform-owner") throw new Error(`${operation.path} is no route of platform owners.`);
  return bind(operation, (exchange, deps) => authenticatePlatformOwner(exchange, auth, deps), handle);
}

function bind<O extends Operation, C>(
  operation: O,
  authenticate: (exchange: Exchange, deps: Deps) => Promise<C>,
  handle: Handler<O, C>,
): Route {
  const read = compileReaders(operation);
  const successes = successesOf(operation);
  const [status] = successes.keys();
  const callers = new WeakMap<FastifyRequest, C>();
  if (status === undefined) throw new Error(`${operation.path} has no answer for success.`);
  return {
    operation,
    register(app, deps) {
      const addTo = (plane: FastifyInstance) =>
        plane.route({
          method: operation.method,
          url: fastifyPath(operation),
          // Before the body is read, so that strangers cannot make the service parse megabytes.
          onRequest: async (request, reply) => {
            callers.set(request, await authenticate({ request, reply }, deps));
          },
          handler: async (request, reply) => {
            const caller = callers.get(request);
            const call = { ...read(request), request, reply, caller } as Call<O> & { caller: C };
            reply.code(status);
            const answer = await handle(call, deps);
            const { schema, rows, files } = successes.get(reply.statusCode) ?? {};
            if (files !== undefined) return sendFile(reply, answer as AnswerFile);
            if (rows !== undefined) return sendRows(reply, rows, answer as AsyncIterable<never>);
            return reply.send(schema && toWire(schema, answer));
          },
        });
      if (operation.mediaTypes === undefined) addTo(app);
      else
        app.register(async (plane) => {
          leaveBodies(plane);
          addTo(plane);
        });
    },
  };
}

/** Converts `{id}` to Fastify's form. */
export function fastifyPath({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** The success answers by status. The first is the default; a handler that returns another one sets its status. */
function successesOf({ answers }: Operation): ReadonlyMap<number, Answer> {
  const successes = Object.entries(answers).filter(([status]) => status.startsWith("2"));
  return new Map(successes.map(([status, answer]) => [Number(status), answer]));
}

/** Makes the function that reads and validates a request. It throws the operation's 404, `invalid-query` and `invalid-body`. */
export function compileReaders(operation: Operation) {
  const { params, query, body, mediaTypes } = operation;
  const checkParams = params && compileCheck(params);
  const checkQuery = query && compileCheck(query);
  // An operation that takes files reads the body in its handler.
  const isFile = mediaTypes !== undefined;
  const checkBody = body && !isFile ? compileCheck(body) : undefined;
  return (request: FastifyRequest) => {
    const asked = query ? coerceIntegers(request.query as Record<string, unknown>, query) : {};
    const [stray] = checkParams?.(request.params) ?? [];
    if (stray) {
      const name = stray.pointer.slice(1);
      throw new DomainError(notFoundKind(operation, name), `${name}: ${stray.detail}`);
    }
    rejectRepeated(asked);
    rejectQuery(checkQuery?.(asked) ?? []);
    rejectQuery(textFaults(asked));
    const sent = request.body === undefined ? {} : request.body;
    rejectBody(checkBody?.(sent) ?? []);
    return {
      params: params ? fromWire(params, request.params) : {},
      query: query ? fromWire(query, asked) : {},
      body: body && !isFile ? fromWire(body, sent) : null,
    };
  };
}

/** The rules for text in a body apply to a query too. */
function textFaults(query: Readonly<Record<string, unknown>>): readonly FieldFault[] {
  return Object.entries(query).flatMap(([name, value]) => {
    const fault = typeof value === "string" ? textFault(value) : null;
    return fault === null ? [] : [{ ...fault, pointer: `/${name}` }];
  });
}
