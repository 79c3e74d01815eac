import type { FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** `ASSAY_PUBLIC_URL`; null without it. */
    readonly publicUrl: string | null;
  }
}

/**
 * Returns the origin under which people reach this service, for links that lead back here: `ASSAY_PUBLIC_URL`, or else the browser's
 * `Origin` when it names this host, or else the request's scheme and host as a trusted proxy forwards them.
 */
export function ownOrigin(request: FastifyRequest): string {
  const { publicUrl } = request.server;
  if (publicUrl !== null) return publicUrl;
  const { origin } = request.headers;
  if (origin !== undefined && isOwnOrigin(request)) return origin;
  return `${request.protocol}://${request.host}`;
}

/** Returns whether the request's `Origin` is this service's own. */
export function isOwnOrigin(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  if (origin === request.server.publicUrl) return true;
  return request.host !== "" && URL.parse(origin)?.host === request.host;
}
