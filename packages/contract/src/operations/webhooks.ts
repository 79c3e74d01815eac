import { operation } from "../operation.ts";
import { IngestAck } from "../schemas/ingest.ts";
import { ClerkEvent } from "../schemas/members.ts";
import { BusinessEvent, WebhookSecret, WebhookSecretStatus } from "../schemas/webhooks.ts";

export const postBusinessEvent = operation({
  operationId: "ingestBusinessEvent",
  method: "POST",
  path: "/v1/business-events",
  plane: "webhooks",
  summary:
    "Accepts one business event, signed with the org's webhook secret; at most 256 KiB, optionally gzipped. A repeat counts once.",
  auth: { kind: "signature", by: "org" },
  headers: {
    "webhook-id": "Identifies the delivery; the same for every attempt.",
    "webhook-timestamp": "When the attempt was signed, in seconds since 1970; at most five minutes away.",
  },
  body: BusinessEvent,
  answers: { 202: { description: "The event is on disk.", schema: IngestAck } },
  problems: ["rate-limited", "allowance-exhausted", "queue-full"],
});

export const postClerkWebhook = operation({
  operationId: "syncIdentity",
  method: "POST",
  path: "/v1/webhooks/clerk",
  plane: "webhooks",
  summary:
    "Applies Clerk's changes to users, organizations and memberships. Other events are acknowledged and ignored. Events may arrive in any order and more than once.",
  auth: { kind: "signature", by: "identity" },
  headers: {
    "svix-id": "Identifies the delivery (or `webhook-id`).",
    "svix-timestamp": "When it was signed, in seconds since 1970; at most five minutes away.",
  },
  body: ClerkEvent,
  answers: { 204: { description: "Applied, or ignored." } },
  problems: ["rate-limited"],
});

export const getWebhookSecret = operation({
  operationId: "getWebhookSecret",
  method: "GET",
  path: "/v1/webhook-secrets",
  plane: "dashboard",
  summary: "Reads whether the org has a secret that signs business events, without the secret itself.",
  auth: { kind: "session", role: "member" },
  answers: {
    200: { description: "Whether there is a secret, and since when.", schema: WebhookSecretStatus },
  },
  problems: [],
});

export const rotateWebhookSecret = operation({
  operationId: "rotateWebhookSecret",
  method: "POST",
  path: "/v1/webhook-secrets",
  plane: "dashboard",
  summary:
    "Creates a new secret that signs business events. The previous secret stops working at once. Needs a sign-in within the last 15 minutes.",
  auth: { kind: "session", role: "admin", isSignInRecent: true },
  answers: { 201: { description: "The secret, shown only once.", schema: WebhookSecret } },
  problems: [],
});
