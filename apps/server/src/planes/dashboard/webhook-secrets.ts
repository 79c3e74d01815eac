import { randomBytes } from "node:crypto";
import { webhooks as operations } from "@assay/contract";
import { webhookBinding } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { defineRoute } from "../../http/define-route.ts";

export const getWebhookSecret = defineRoute(operations.getWebhookSecret, async ({ caller }, { control }) => {
  const stored = await control.webhookSecrets.find(caller.orgId);
  return { configured: stored !== null, createdAt: stored?.createdAt ?? null };
});

export const rotateWebhookSecret = defineRoute(
  operations.rotateWebhookSecret,
  async ({ caller, request, reply }, deps) => {
    const { orgId, userId } = caller;
    // The format of Standard Webhooks, whose libraries read the secret unchanged.
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    const createdAt = deps.clock.now();
    const entry = {
      action: "webhook-secret.rotate",
      targetType: "webhook-secret",
      targetId: orgId,
      summary: "Made a new secret for business events.",
    };
    await deps.control.transaction(async ({ webhookSecrets, audit }) => {
      await webhookSecrets.rotate({
        orgId,
        sealed: deps.sealer.seal(secret, webhookBinding(orgId)),
        createdAt,
      });
      await audit.record(auditEntry(caller, entry, deps));
    });
    deps.security.act({ name: "security.webhook_secret.rotated", orgId, actor: userId }, request);
    reply.header("cache-control", "no-store");
    return { secret, createdAt };
  },
);
