import { DomainError } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopback } from "./is-loopback.ts";

/** Load balancers ask these by address. */
const PROBES = ["/healthz", "/readyz", "/metrics"];

/**
 * Refuses requests with more than one `Host`, of which a proxy and we might each believe another, and those that name a host that is not
 * allowed. A page of another name that resolves to this machine (DNS rebinding) reaches nothing then. Null allows every host.
 */
export function rejectHosts(app: FastifyInstance, allowed: readonly string[] | null): void {
  app.addHook("onRequest", async (request) => {
    if (countHosts(request) > 1) throw invalidHost("Send one Host header.");
    const { hostname } = request;
    const isAllowed = allowed === null || allowed.includes(hostname.toLowerCase()) || isLoopback(hostname);
    if (!isAllowed && !PROBES.includes(request.url))
      throw invalidHost("This host name is not one of ASSAY_ALLOWED_HOSTS: use the service's own address.");
  });
}

function countHosts({ raw }: FastifyRequest): number {
  return raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
}

function invalidHost(detail: string): DomainError {
  return new DomainError("invalid-host", detail);
}
