import { createHash, randomBytes } from "node:crypto";
import { scim as operations } from "@assay/contract";
import { auditEntry } from "../../audit-entry.ts";
import { defineRoute } from "../../http/define-route.ts";
import { ownOrigin } from "../../http/own-origin.ts";

export const getScimToken = defineRoute(operations.getScimToken, async ({ caller }, { control }) => {
  const createdAt = await control.scim.findTokenDate(caller.orgId);
  return { configured: createdAt !== null, createdAt };
});

export const rotateScimToken = defineRoute(
  operations.rotateScimToken,
  async ({ caller, request, reply }, deps) => {
    const { orgId } = caller;
    const token = `scim_${randomBytes(32).toString("base64url")}`;
    const hash = createHash("sha256").update(token).digest("hex");
    const createdAt = deps.clock.now();
    const entry = {
      action: "scim-token.rotate",
      targetType: "scim-token",
      targetId: orgId,
      summary: "Made a new SCIM token.",
    };
    await deps.control.transaction(async ({ scim, audit }) => {
      await scim.putToken({ orgId, hash, createdAt });
      await audit.record(auditEntry(caller, entry, deps));
    });
    reply.header("cache-control", "no-store");
    return { token, url: `${ownOrigin(request)}/scim/v2`, createdAt };
  },
);

export const removeScimToken = defineRoute(operations.removeScimToken, async ({ caller }, deps) => {
  const { orgId } = caller;
  const entry = {
    action: "scim-token.remove",
    targetType: "scim-token",
    targetId: orgId,
    summary: "Revoked the SCIM token.",
  };
  await deps.control.transaction(async ({ scim, audit }) => {
    if (await scim.removeToken(orgId)) await audit.record(auditEntry(caller, entry, deps));
  });
});
