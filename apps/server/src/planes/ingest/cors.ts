import { ofrep } from "@assay/contract";
import type { FastifyInstance } from "fastify";
import { fastifyPath } from "../../http/define-route.ts";

const PATHS = [
  ...["/v1/assign", "/v1/events", "/v1/config"],
  ...[ofrep.postFlags, ofrep.postFlag].map(fastifyPath),
];
/** Two hours, the most that Chromium caches a preflight. */
const PREFLIGHT_SECONDS = "7200";

/**
 * Lets browsers on any origin call the routes of publishable keys: the key, not the origin, is the credential (contract §6). A
 * preflight names no key, so `admit.ts` refuses origins that a key does not allow. Any page may read that refusal.
 */
export function allowAnyOrigin(plane: FastifyInstance): void {
  plane.addHook("onRequest", (request, reply, done) => {
    if (request.headers.origin !== undefined) {
      reply.header("access-control-allow-origin", "*");
      reply.header("access-control-expose-headers", "Date, ETag, Retry-After, RateLimit, RateLimit-Policy");
    }
    done();
  });
  for (const path of PATHS) {
    plane.options(path, (_request, reply) =>
      reply
        .headers({
          "access-control-allow-origin": "*",
          "access-control-allow-methods": "GET, POST",
          "access-control-allow-headers":
            "X-API-Key, Authorization, Content-Type, Content-Encoding, If-None-Match",
          "access-control-max-age": PREFLIGHT_SECONDS,
        })
        .code(204)
        .send(),
    );
  }
}
