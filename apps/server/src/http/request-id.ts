import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** What a log line and a problem's `instance` may repeat of a stranger's text: no line of its own, and no key or secret of ours. */
const SOUND = /^(?!svc_|whsec_)[A-Za-z0-9._-]{8,64}$/;

/** The id that a proxy gave the request in `X-Request-Id`, when it is a sound one; else a new one. */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const given = headers["x-request-id"];
  // Not UUIDv7: Node keeps random bytes for this one in stock, and 12 % of assign went into drawing them.
  return typeof given === "string" && SOUND.test(given) ? given : randomUUID();
}
