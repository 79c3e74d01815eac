import { DomainError } from "@assay/domain";
import type { FastifyInstance, FastifyReply } from "fastify";
import { hasNoBody } from "./follow-connection.ts";

/** 5 MiB arrive in this time at 2 Mbit/s. */
export const BODY_TIMEOUT_MS = 20_000;
/** How many times per timeout late requests are looked for. A timer for each request would cost more than reading a small body. */
const LOOKS = 20;

/**
 * Answers 408 to requests whose body does not arrive within `timeoutMs` plus up to a twentieth of it. Otherwise a sender that drips
 * bytes would hold a connection and memory. A route that reads the body itself has the time of the whole request.
 */
export function limitBodyTime(app: FastifyInstance, timeoutMs: number): void {
  const waiting = new Set<FastifyReply>();
  let isTimed = false;

  function lookLater(): void {
    isTimed = true;
    setTimeout(look, timeoutMs / LOOKS).unref();
  }

  function look(): void {
    for (const reply of waiting) {
      const { complete, destroyed } = reply.request.raw;
      const isOver = complete || destroyed;
      if (!isOver && reply.elapsedTime < timeoutMs) continue;
      waiting.delete(reply);
      if (!isOver) endLate(reply, timeoutMs);
    }
    isTimed = false;
    if (waiting.size > 0) lookLater();
  }

  app.addHook("onRequest", (request, reply, done) => {
    if (!hasNoBody(request)) {
      waiting.add(reply);
      if (!isTimed) lookLater();
    }
    done();
  });
  // The body was read, or the route reads it.
  app.addHook("preValidation", (_request, reply, done) => {
    waiting.delete(reply);
    done();
  });
}

function endLate(reply: FastifyReply, timeoutMs: number): void {
  const { raw } = reply.request;
  // The answer was sent earlier, and the rest of the body is still dripping in.
  if (reply.sent) raw.destroy();
  else {
    reply.header("connection", "close");
    raw.emit("error", tooSlow(timeoutMs));
  }
}

function tooSlow(timeoutMs: number): DomainError {
  return new DomainError(
    "body-timeout",
    `The body did not arrive within ${timeoutMs / 1000} s: send it again over a faster connection, or in smaller parts.`,
  );
}
