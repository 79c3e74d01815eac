import { SESSION_SECONDS } from "../identity/local-identity.ts";

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
export function sessionCookie(token: string, isSecure: boolean): string {
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${SESSION_SECONDS}${isSecure ? "; Secure" : ""}`;
}

/** Writes the cookie that ends the session. */
export function endedSessionCookie(): string {
  return `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}
