import { randomBytes } from "node:crypto";
import { org as operations } from "@assay/contract";
import { DomainError, type KeyScope, type StoredKey } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { hashKey, keyPrefixOf } from "../../config/key-ring.ts";
import { defineRoute } from "../../http/define-route.ts";

/** Literal prefixes of the spec (§2). */
const PREFIX: Readonly<Record<KeyScope, string>> = { publishable: "svc_pk_", secret: "svc_sk_" };

export const listKeys = defineRoute(operations.listKeys, async ({ caller }, { control, sealer }) =>
  (await control.keys.list(caller.orgId)).map(({ scope, createdAt, sealed, lastUsedAt }) => ({
    scope,
    createdAt,
    revealable: sealed !== null,
    prefix: sealed === null ? null : keyPrefixOf(sealer.open(sealed) ?? "") || null,
    lastUsedAt,
  })),
);

export const rotateKey = defineRoute(operations.rotateKey, async ({ body, caller, reply }, deps) => {
  const raw = PREFIX[body.scope] + randomBytes(32).toString("base64url");
  const createdAt = deps.clock.now();
  const key: StoredKey = {
    orgId: caller.orgId,
    scope: body.scope,
    hash: hashKey(raw),
    sealed: deps.sealer.seal(raw),
    createdAt,
  };
  const before = await deps.control.transaction(async ({ keys, audit }) => {
    const replaced = await keys.find(key.orgId, key.scope);
    await keys.rotate(key);
    await audit.record(auditEntry(caller, keyEntry("key.rotate", body.scope, "Made a new"), deps));
    return replaced;
  });
  deps.keyRing.forget(caller.orgId);
  // Once this is answered, the previous key is dead in every process.
  if (before !== null) await deps.changes.untilPropagated();
  reply.header("cache-control", "no-store");
  return { scope: body.scope, key: raw, createdAt };
});

export const revealKey = defineRoute(operations.revealKey, async ({ params, caller, reply }, deps) => {
  const stored = await deps.control.keys.find(caller.orgId, params.scope);
  const raw = stored?.sealed ? deps.sealer.open(stored.sealed) : null;
  if (!stored || raw === null) {
    throw new DomainError(
      "key-not-revealable",
      `No ${params.scope} key can be revealed: make a new one with POST /v1/keys.`,
    );
  }
  await deps.control.audit.record(
    auditEntry(caller, keyEntry("key.reveal", params.scope, "Revealed the"), deps),
  );
  reply.header("cache-control", "no-store");
  return { scope: params.scope, key: raw, createdAt: stored.createdAt };
});

function keyEntry(action: string, scope: KeyScope, did: string) {
  return { action, targetType: "key", targetId: scope, summary: `${did} ${scope} key.` };
}
