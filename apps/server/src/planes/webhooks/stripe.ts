import type { IncomingHttpHeaders } from "node:http";
import { billing as operations } from "@assay/contract";
import { DomainError } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import { applyBillingEvent } from "../../billing/apply-billing-event.ts";
import type { Deps } from "../../deps.ts";
import { readBody } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { readSignedBodies } from "./signed-bodies.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** Receives the events of the billing provider, signed with the secret of its webhook endpoint. */
export function registerStripe(plane: FastifyInstance, deps: Deps): void {
  const { billing } = deps;
  const { signatures } = deps.rateLimits;
  readSignedBodies(plane, { maxBytes: MAX_BODY_BYTES, check: signatureOf }, deps);
  plane.post(operations.postStripeEvent.path, async (request, reply) => {
    if (billing === null) throw new DomainError("invalid-signature", "This installation has no billing.");
    const body = await readBody(request, MAX_BODY_BYTES);
    const event = billing.readEvent(body, signatureOf(request.headers));
    signatures.giveBack(request.ip);
    if (event !== null) await applyBillingEvent(event, billing, deps);
    return sendWire<typeof operations.postStripeEvent>(reply, { status: 204 });
  });
}

/** Reads the signature from the interface's header (spec §5) or Stripe's own. */
function signatureOf(headers: IncomingHttpHeaders): string {
  const signature = headers["billing-signature"] ?? headers["stripe-signature"];
  if (typeof signature === "string" && signature !== "") return signature;
  throw new DomainError(
    "invalid-signature",
    "Sign the request in the header Billing-Signature or Stripe-Signature.",
  );
}
