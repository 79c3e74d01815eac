import type { IncomingHttpHeaders } from "node:http";
import { webhooks } from "@assay/contract";
import { DomainError } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { parseJson, readBody } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { applyIdentityUpdates } from "../../identity/apply-identity-updates.ts";
import { parseClerkEvent } from "../../identity/clerk-event.ts";
import type { IdentityProvider } from "../../identity/identity-provider.ts";
import { readSignedBodies } from "./signed-bodies.ts";
import { isSigned, type SignatureHeaders, signatureHeaders } from "./standard-webhook.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** Clerk sends through Svix, whose header names are older than the standard's. */
const PREFIXES = ["svix", "webhook"];

/** Applies Clerk's changes of users, organizations and memberships (contract §3). */
export function registerClerk(plane: FastifyInstance, deps: Deps): void {
  const { signatures } = deps.rateLimits;
  const check = (headers: IncomingHttpHeaders): void => {
    secretOf(deps.identity);
    headersOf(headers);
  };
  readSignedBodies(plane, { maxBytes: MAX_BODY_BYTES, check }, deps);
  plane.post(webhooks.postClerkWebhook.path, async (request, reply) => {
    const headers = headersOf(request.headers);
    const body = await readBody(request, MAX_BODY_BYTES);
    if (!isSigned(body, headers, secretOf(deps.identity))) throw invalidSignature();
    signatures.giveBack(request.ip);
    const deliveredAt = Number.parseInt(headers["webhook-timestamp"], 10) * 1000;
    const updates = parseClerkEvent(parseJson(body), deliveredAt);
    const deletedOrgs = updates === null ? [] : await applyIdentityUpdates(updates, deps);
    // Their keys stop working with the next request.
    for (const orgId of deletedOrgs) deps.keyRing.forget(orgId);
    return sendWire<typeof webhooks.postClerkWebhook>(reply, { status: 204 });
  });
}

function headersOf(headers: IncomingHttpHeaders): SignatureHeaders {
  return signatureHeaders(headers, invalidSignature, PREFIXES);
}

function secretOf(identity: IdentityProvider): string {
  if (identity.kind !== "local" && identity.webhookSecret !== null) return identity.webhookSecret;
  throw new DomainError(
    "invalid-signature",
    "This installation takes no identity webhooks: it needs ASSAY_IDENTITY=clerk (or oidc) and ASSAY_IDENTITY_WEBHOOK_SECRET.",
  );
}

function invalidSignature(): DomainError {
  return new DomainError(
    "invalid-signature",
    "The signature could not be verified. Check that ASSAY_IDENTITY_WEBHOOK_SECRET is this endpoint's signing secret, that " +
      "svix-id, svix-timestamp and svix-signature arrive unchanged, and that the timestamp is at most five minutes away.",
  );
}
