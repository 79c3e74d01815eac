import type { FastifyRequest } from "fastify";

/**
 * The origin under which the caller reaches this service, for links that lead back here: a browser's own word where it names
 * this host, else the request's scheme and host, as a trusted proxy tells them.
 */
export function ownOrigin(request: FastifyRequest): string {
  const { origin } = request.headers;
  if (origin !== undefined && isOwnOrigin(request)) return origin;
  return `${request.protocol}://${request.host}`;
}

/** Tells whether the request's `Origin` is this service's own. */
export function isOwnOrigin(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  return origin !== undefined && request.host !== "" && URL.parse(origin)?.host === request.host;
}
