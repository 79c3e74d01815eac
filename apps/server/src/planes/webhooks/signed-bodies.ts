import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { readRawBodies } from "../../http/raw-request.ts";

interface SignedBodies {
  readonly maxBytes: number;
  /** Throws `invalid-signature` when the headers alone show that nothing can be verified. The body is then not read. */
  readonly check: (headers: IncomingHttpHeaders) => unknown;
}

/**
 * Makes a plane read signed bodies as received bytes. Each request takes one from the sender's rate of failed
 * signatures; the handler gives it back once the signature verifies.
 */
export function readSignedBodies(
  plane: FastifyInstance,
  { maxBytes, check }: SignedBodies,
  { rateLimits: { signatures } }: Pick<Deps, "rateLimits">,
): void {
  readRawBodies(plane, maxBytes);
  plane.addHook("onRequest", (request, _reply, done) => {
    signatures.take(request.ip);
    check(request.headers);
    done();
  });
}
