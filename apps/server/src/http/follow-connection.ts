import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Leaves the bodies of a plane to its routes, which read them as streams. */
export function leaveBodies(plane: FastifyInstance): void {
  plane.removeAllContentTypeParsers();
  plane.addContentTypeParser("*", (_request, _body, done) => done(null));
}

/** Makes a signal that is aborted when the client disconnects before its answer, or the service stops. */
export function followConnection(reply: FastifyReply, closing: AbortSignal) {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return { signal: AbortSignal.any([gone.signal, closing]), isGone: () => gone.signal.aborted };
}

/**
 * Discards what the client still sends after the answer, so that the client gets to read it. Node does this only for a
 * body that nobody began to read.
 */
export function discardRest(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once("finish", () => request.raw.resume());
}

export function hasNoBody({ headers }: FastifyRequest): boolean {
  return headers["content-length"] === "0" || !(headers["content-length"] ?? headers["transfer-encoding"]);
}
