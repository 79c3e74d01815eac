import { problems, problemType } from "@assay/contract";
import { DomainError, type FieldFault } from "@assay/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { isLangfusePath, langfuseError } from "../langfuse/errors.ts";
import { createLogThrottle, type LogThrottle } from "./log-throttle.ts";

const LOG_INTERVAL_MS = 1_000;

/** Answers an error as problem details (RFC 9457). */
export type SendProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Makes the function that answers errors. Anything but a `DomainError` is a bug: a bare 500, its cause only in the log. */
export function problemSender({ clock, security }: Pick<Deps, "clock" | "security">): SendProblem {
  const throttle = createLogThrottle(LOG_INTERVAL_MS, clock);
  return (error, request, reply) => {
    const problem = toDomainError(error);
    if (problem.kind === "internal")
      request.log.error({ err: error, ...identify(request, reply) }, "a request failed");
    else if (problems[problem.kind].status >= 500) logUnavailable(problem, { request, reply, throttle });
    security.refuse(problem, request);
    send(problem, request, reply);
  };
}

interface Refusal {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly throttle: LogThrottle;
}

/** While an engine is down, every request fails for the same reason. One line per second and route is enough. */
function logUnavailable(problem: DomainError, { request, reply, throttle }: Refusal): void {
  const suppressed = throttle(`${problem.kind} ${request.method} ${routeOf(request)}`);
  if (suppressed === null) return;
  const cause = problem.cause === undefined ? {} : { err: problem.cause };
  request.log.warn(
    { ...cause, problem: problem.kind, ...identify(request, reply), leftOut: suppressed },
    "a service that this one needs failed",
  );
}

/** Identifies a failed request in the log by its route's pattern, because the address may contain secrets. */
function identify(request: FastifyRequest, reply: FastifyReply) {
  const { id: requestId, method } = request;
  return { requestId, method, route: routeOf(request), ms: Math.round(reply.elapsedTime) };
}

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? "none";

function send(problem: DomainError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, title } = problems[problem.kind];
  if (problem.retryAfterSeconds !== null) reply.header("retry-after", String(problem.retryAfterSeconds));
  if (problem.limit !== null) setLimitHeaders(problem.limit, reply);
  if (problem.kind === "invalid-credential") reply.header("www-authenticate", 'Bearer realm="assay"');
  if (isLangfusePath(request.url)) {
    reply
      .code(status)
      .header("content-type", "application/json; charset=utf-8")
      .serializer((payload: unknown) => JSON.stringify(payload))
      .send(langfuseError(status, problem.message));
    return;
  }
  reply
    .code(status)
    .header("content-type", "application/problem+json; charset=utf-8")
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send({
      type: problemType(problem.kind),
      title,
      status,
      detail: problem.message,
      instance: `urn:request:${request.id}`,
      ...(problem.faults.length > 0 ? { errors: problem.faults } : {}),
    });
}

/** Sets the IETF rate limit fields of a reached limit: nothing remains, and when there is room again. */
function setLimitHeaders(
  { policy, quota, windowSeconds, resetSeconds }: NonNullable<DomainError["limit"]>,
  reply: FastifyReply,
): void {
  reply.header("ratelimit-policy", `"${policy}";q=${quota};w=${windowSeconds}`);
  reply.header("ratelimit", `"${policy}";r=0;t=${resetSeconds}`);
}

/** Converts the errors that Fastify raises before a handler runs. */
function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new DomainError("body-too-large", "The body is larger than this address takes.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new DomainError("unsupported-media-type", "Send the body as application/json.");
    case "FST_ERR_BAD_URL":
      return new DomainError("not-found", "There is nothing at this address: it cannot be decoded.");
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new DomainError("not-found", "There is nothing at this address: a part of it is too long.");
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return invalid("The body is empty: send JSON.");
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalid("The body is not valid JSON, or its length differs from Content-Length.");
  }
  if (error instanceof SyntaxError && statusCode === 400)
    return invalid(`The body is not JSON: ${message ?? ""}`);
  if (statusCode === 400) return invalid("The request could not be read.");
  // The file server's answer to a path that leaves its folder.
  if (statusCode === 403 || statusCode === 404)
    return new DomainError("not-found", "There is nothing at this address.");
  return new DomainError("internal", "The request failed on our side. Its id is in the log.");
}

function invalid(detail: string): DomainError {
  const faults: FieldFault[] = [{ pointer: "", detail }];
  return new DomainError("invalid-body", detail, { faults });
}
