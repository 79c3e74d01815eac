import type { FastifyRequest } from "fastify";
import { SESSION_IDLE_MS } from "../identity/session-tokens.ts";
import { isLoopback } from "./is-loopback.ts";

const SESSION_COOKIE = "__session";
/** Browsers accept a cookie with this prefix only over TLS and from this very host, so no other host of the domain can set it. */
const HOST_PREFIX = "__Host-";
const SECURE_SESSION_COOKIE = `${HOST_PREFIX}session`;
const FLOW_COOKIE = "assay-sign-in";
/** How long a person may take to sign in at the provider. */
export const FLOW_MS = 10 * 60_000;

/** Reads one cookie from the header. Null when it is missing. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? "").split(";")) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return null;
}

/** Finds the session's token, or null. The cookie without the prefix is used by Clerk, over plain HTTP and by earlier versions. */
export function readSessionCookie(header: string | undefined): string | null {
  return readCookie(header, SECURE_SESSION_COOKIE) ?? readCookie(header, SESSION_COOKIE);
}

/** Writes the session cookie: hidden from scripts, same site only, and over TLS bound to TLS and to this host. */
export function sessionCookie(token: string, request: FastifyRequest): readonly string[] {
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${SESSION_IDLE_MS / 1000}`;
  if (!isSecure(request)) return [`${SESSION_COOKIE}=${token}; ${attributes}`];
  const former = readCookie(request.headers.cookie, SESSION_COOKIE) === null ? [] : [ended(SESSION_COOKIE)];
  return [`${SECURE_SESSION_COOKIE}=${token}; ${attributes}; Secure`, ...former];
}

/** Writes the cookies that end the session. */
export function endedSessionCookie(request: FastifyRequest): readonly string[] {
  const secure = isSecure(request) ? [`${ended(SECURE_SESSION_COOKIE)}; Secure`] : [];
  return [ended(SESSION_COOKIE), ...secure];
}

function ended(name: string): string {
  return `${name}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/** Writes the cookie of a sign-in at the provider. The browser must send it when it comes back from another site. */
export function flowCookie(sealed: string, request: FastifyRequest): string {
  const isOver = sealed === "";
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${isOver ? 0 : FLOW_MS / 1000}`;
  return isSecure(request)
    ? `${HOST_PREFIX}${FLOW_COOKIE}=${sealed}; ${attributes}; Secure`
    : `${FLOW_COOKIE}=${sealed}; ${attributes}`;
}

/** Reads the cookie of a sign-in at the provider, or null. Over TLS it reads only the cookie that no other host can set. */
export function readFlowCookie(request: FastifyRequest): string | null {
  const name = isSecure(request) ? `${HOST_PREFIX}${FLOW_COOKIE}` : FLOW_COOKIE;
  return readCookie(request.headers.cookie, name);
}

/**
 * Returns whether the page came over TLS. `ASSAY_PUBLIC_URL` decides if it is set. Otherwise the page's origin decides, or `Sec-Fetch-Site`, which browsers send
 * only over TLS and to loopback: a proxy that is not in ASSAY_TRUSTED_PROXIES may speak plain HTTP to us.
 */
function isSecure({ protocol, hostname, headers, server }: FastifyRequest): boolean {
  if (server.publicUrl !== null) return server.publicUrl.startsWith("https:");
  if (headers.origin !== undefined) return headers.origin.startsWith("https:");
  return protocol === "https" || (headers["sec-fetch-site"] !== undefined && !isLoopback(hostname));
}
