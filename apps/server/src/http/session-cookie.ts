import type { FastifyRequest } from "fastify";
import { SESSION_IDLE_MS } from "../identity/local-identity.ts";

export const SESSION_COOKIE = "__session";

/** Reads one cookie from the header; null when it is not there. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? "").split(";")) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return null;
}

/** Writes the session cookie: out of reach of scripts, same site only, and over TLS only where the page came over TLS. */
export function sessionCookie(token: string, request: FastifyRequest): string {
  const maxAge = SESSION_IDLE_MS / 1000;
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${isSecure(request) ? "; Secure" : ""}`;
}

/** Writes the cookie that ends the session. */
export function endedSessionCookie(): string {
  return `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/**
 * Returns whether the page came over TLS, even behind a proxy that speaks plain HTTP to us and is not in ASSAY_TRUSTED_PROXIES:
 * by the page's origin or, where the browser sends none, by `Sec-Fetch-Site`, which browsers send only over TLS and to loopback.
 */
function isSecure({ protocol, hostname, headers }: FastifyRequest): boolean {
  if (headers.origin !== undefined) return headers.origin.startsWith("https:");
  return protocol === "https" || (headers["sec-fetch-site"] !== undefined && !isLoopback(hostname));
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(hostname);
}
