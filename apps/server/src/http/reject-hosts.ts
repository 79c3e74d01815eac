import type { IncomingMessage } from "node:http";
import { DomainError } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopback } from "./is-loopback.ts";
import { DATA_HEADERS } from "./security-headers.ts";

const HOST = "host";
/** Load balancers call these by address. */
const PROBES = ["/healthz", "/readyz", "/metrics"];

/**
 * Refuses requests for a host that is not allowed, so that a page under another name that resolves to this machine (DNS
 * rebinding) reaches nothing. Also refuses requests with several `Host` headers (RFC 9112 §3.2), because a proxy and
 * Node might each use a different one. Null allows every host.
 */
export function rejectHosts(app: FastifyInstance, allowed: readonly string[] | null): void {
  const isAllowed = ({ hostname, url }: FastifyRequest, names: readonly string[]) =>
    names.includes(hostname.toLowerCase()) || isLoopback(hostname) || PROBES.includes(url);
  app.addHook("onRequest", (request, reply, done) => {
    const isOne = countHosts(request.raw.rawHeaders) < 2;
    if (isOne && (allowed === null || isAllowed(request, allowed))) return done();
    reply.headers(DATA_HEADERS);
    const detail = isOne
      ? "This installation does not answer to this host name: use its own address, or add the name to ASSAY_ALLOWED_HOSTS."
      : "Send one Host header: this request has several.";
    done(new DomainError("invalid-host", detail));
  });
}

/**
 * Whether a direct request to a route would pass `rejectHosts`. It also returns false for requests that only
 * `rejectHosts` can judge: those for a proxy's host name or for an address of this machine.
 */
export function isHostAllowed(
  { headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">,
  allowed: readonly string[] | null,
): boolean {
  if (countHosts(rawHeaders) !== 1) return false;
  if (allowed === null) return true;
  const [hostname = ""] = headers.host!.split(":", 1);
  return headers["x-forwarded-host"] === undefined && allowed.includes(hostname.toLowerCase());
}

/** Names and values alternate in raw headers. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count += 1;
  }
  return count;
}
