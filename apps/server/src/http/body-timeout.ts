import { DomainError } from "@assay/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The body may take as long as a request may: a large file over a slow line. */
    readonly isSlowBody?: boolean;
  }
}

/** 5 MiB arrive in this time at 2 Mbit/s. */
export const BODY_TIMEOUT_MS = 20_000;

/**
 * Ends requests whose body does not arrive within `timeoutMs`, with 408: a sender that drips bytes holds a connection and what it
 * has sent. Routes with `isSlowBody` have the time of the whole request.
 */
export function limitBodyTime(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (hasBody(request) && request.routeOptions.config.isSlowBody !== true)
      endLate(request, reply, timeoutMs);
    done();
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

function endLate({ raw }: FastifyRequest, reply: FastifyReply, timeoutMs: number): void {
  const timer = setTimeout(() => {
    // Refused long since, and the rest of the body still drips in.
    if (reply.sent) raw.destroy();
    else {
      reply.header("connection", "close");
      raw.emit("error", tooSlow(timeoutMs));
    }
  }, timeoutMs);
  const stop = () => clearTimeout(timer);
  raw.once("end", stop).once("close", stop);
}

function tooSlow(timeoutMs: number): DomainError {
  return new DomainError(
    "body-timeout",
    `The body did not arrive within ${timeoutMs / 1000} s: send it again over a faster line, or in smaller parts.`,
  );
}
