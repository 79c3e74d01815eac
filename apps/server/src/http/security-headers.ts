import type { FastifyInstance } from "fastify";

type HeaderSet = Readonly<Record<string, string>>;

/** One year. The host's owner decides about subdomains. */
const STRICT_TRANSPORT = "max-age=31536000";

/** For every answer of any kind. */
export const EVERY_ANSWER = { "x-content-type-options": "nosniff" } as const;

const EVERYWHERE: HeaderSet = {
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** For answers that are data of one caller: never cached, never rendered as a page. */
export const DATA_HEADERS: HeaderSet = {
  ...EVERYWHERE,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/**
 * Headers of pages and their files. The policy allows only a page's own scripts, styles, images and calls, plus the
 * `grants`.
 */
export function pageHeaders(grants: HeaderSet = {}): HeaderSet {
  const policy = { ...PAGE_POLICY, ...grants };
  const directives = Object.entries(policy).map(([name, sources]) => `${name} ${sources}`);
  return {
    ...EVERYWHERE,
    "cache-control": "no-cache",
    "content-security-policy": directives.join("; "),
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  };
}

const PAGE_POLICY: HeaderSet = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

/** Adds these headers to every answer of the plane, including errors. Over TLS it adds HSTS too. */
export function setHeaders(plane: FastifyInstance, headers: HeaderSet): void {
  plane.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    if (request.protocol === "https") reply.header("strict-transport-security", STRICT_TRANSPORT);
    done();
  });
}
