import { DomainError } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import { isLoopback } from "./is-loopback.ts";
import { DATA_HEADERS } from "./security-headers.ts";

/** Load balancers ask these by address. */
const PROBES = ["/healthz", "/readyz", "/metrics"];

/**
 * Refuses requests with several `Host` headers (RFC 9112 §3.2), of which a proxy and Node might each believe another, and those that name a
 * host that is not allowed. A page of another name that resolves to this machine (DNS rebinding) reaches nothing then. Null allows every host.
 */
export function rejectHosts(app: FastifyInstance, allowed: readonly string[] | null): void {
  app.addHook("onRequest", ({ hostname, url, raw }, reply, done) => {
    const isOne = countHosts(raw.rawHeaders) < 2;
    const isAllowed = allowed === null || allowed.includes(hostname.toLowerCase()) || isLoopback(hostname);
    if (isOne && (isAllowed || PROBES.includes(url))) return done();
    reply.headers(DATA_HEADERS);
    const detail = isOne
      ? "This host name is not one of ASSAY_ALLOWED_HOSTS: use the service's own address."
      : "Send one Host header: this request has several.";
    done(new DomainError("invalid-host", detail));
  });
}

/** Names and values alternate in raw headers. */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
}
