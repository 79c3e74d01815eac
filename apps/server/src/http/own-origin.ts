import type { FastifyRequest } from "fastify";

/**
 * Returns the origin under which the caller reaches this service, for links that lead back here: the browser's `Origin` when it
 * names this host, else the request's scheme and host as a trusted proxy forwards them.
 */
export function ownOrigin(request: FastifyRequest): string {
  const { origin } = request.headers;
  if (origin !== undefined && isOwnOrigin(request)) return origin;
  return `${request.protocol}://${request.host}`;
}

/** Returns whether the request's `Origin` is this service's own. */
export function isOwnOrigin(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  return origin !== undefined && request.host !== "" && URL.parse(origin)?.host === request.host;
}
