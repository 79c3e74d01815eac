import { DomainError } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import { DATA_HEADERS } from "./security-headers.ts";

/**
 * Refuses requests with several `Host` headers (RFC 9112 §3.2), of which Node takes the first: a proxy before it may have taken
 * another.
 */
export function requireOneHost(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw: { rawHeaders } }, reply, done) => {
    if (countHosts(rawHeaders) < 2) return done();
    reply.headers(DATA_HEADERS);
    done(new DomainError("ambiguous-host", "Send one Host header: this request has several."));
  });
}

/** Names and values alternate in raw headers. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === "host".length && name.toLowerCase() === "host") count += 1;
  }
  return count;
}
