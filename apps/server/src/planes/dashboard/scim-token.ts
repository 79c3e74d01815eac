import { createHash, randomBytes } from "node:crypto";
import { scim as operations } from "@assay/contract";
import { auditEntry } from "../../audit-entry.ts";
import { defineRoute } from "../../http/define-route.ts";
import { ownOrigin } from "../../http/own-origin.ts";

/** How much of a token the security log shows. */
const PREFIX_LENGTH = 12;

export const getScimToken = defineRoute(operations.getScimToken, async ({ caller }, { control }) => {
  const createdAt = await control.scim.findTokenDate(caller.orgId);
  return { configured: createdAt !== null, createdAt };
});

export const rotateScimToken = defineRoute(
  operations.rotateScimToken,
  async ({ caller, request, reply }, deps) => {
    const { orgId, userId: actor } = caller;
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
    const subject = token.slice(0, PREFIX_LENGTH);
    deps.security.act({ name: "security.scim_token.rotated", orgId, actor, subject }, request);
    reply.header("cache-control", "no-store");
    return { token, url: `${ownOrigin(request)}/scim/v2`, createdAt };
  },
);

export const removeScimToken = defineRoute(operations.removeScimToken, async ({ caller, request }, deps) => {
  const { orgId, userId: actor } = caller;
  const entry = {
    action: "scim-token.remove",
    targetType: "scim-token",
    targetId: orgId,
    summary: "Revoked the SCIM token.",
  };
  const wasThere = await deps.control.transaction(async ({ scim, audit }) => {
    if (!(await scim.removeToken(orgId))) return false;
    await audit.record(auditEntry(caller, entry, deps));
    return true;
  });
  if (wasThere) deps.security.act({ name: "security.scim_token.revoked", orgId, actor }, request);
});
