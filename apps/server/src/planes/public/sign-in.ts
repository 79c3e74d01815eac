import { DomainError } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Deps } from "../../deps.ts";
import { rejectForeignOrigin } from "../../http/authenticate.ts";
import { endedSessionCookie, sessionCookie } from "../../http/session-cookie.ts";
import { compileCheck, rejectBody } from "../../http/validate.ts";
import { redeemSignInToken } from "../../identity/sign-in-links.ts";

const check = compileCheck(
  Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false }),
);

/** Trades a one-time ticket or invitation for a session cookie. A POST from the page, so that no link preview can spend the ticket. */
export function registerSignIn(app: FastifyInstance, deps: Deps): void {
  app.post("/auth/sign-in", async (request, reply) => {
    rejectForeignOrigin(request);
    const body = request.body ?? {};
    rejectBody(check(body));
    const token = await redeemSignInToken((body as { ticket: string }).ticket, deps);
    if (token === null) {
      throw new DomainError(
        "invalid-credential",
        "The link was used before or has expired. Restart Assay for a new one, or ask an admin for an invitation.",
      );
    }
    return reply
      .header("set-cookie", sessionCookie(token, isSecure(request)))
      .code(204)
      .send();
  });
  app.post("/auth/sign-out", async (request, reply) => {
    rejectForeignOrigin(request);
    return reply.header("set-cookie", endedSessionCookie()).code(204).send();
  });
}

/** The page's own scheme: behind a proxy the connection is plain although the page came over TLS. */
function isSecure(request: FastifyRequest): boolean {
  return request.headers.origin?.startsWith("https:") ?? false;
}
