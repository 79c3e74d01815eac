import { randomBytes } from "node:crypto";
import { type KeySummary, org as operations, type ValueOf } from "@assay/contract";
import {
  type Caller,
  DomainError,
  dayOf,
  endOfDay,
  firstDayOfUse,
  invalidBody,
  isWebOrigin,
  type KeyScope,
  keyBinding,
  type ListedKey,
  type SecurityEventName,
  startOfDay,
  unusualDays,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { hashKey, KEY_PREFIX, keyPrefixOf } from "../../config/key-ring.ts";
import type { Sealer } from "../../data-folder/seal.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";
import type { SecurityAct } from "../../security/security-log.ts";

export const listKeys = defineRoute(operations.listKeys, async ({ caller }, { control, sealer }) =>
  (await control.keys.list(caller.orgId)).map((key) => summaryOf(key, sealer)),
);

export const putPublishableKey = defineRoute(operations.putPublishableKey, async ({ body, caller }, deps) => {
  const origins = body.allowedOrigins && distinctOrigins(body.allowedOrigins);
  const key = await deps.control.transaction(async ({ keys, audit }) => {
    const before = (await keys.list(caller.orgId)).find(({ scope }) => scope === "publishable");
    if (before === undefined)
      throw new DomainError("not-found", "There is no publishable key yet: make one with POST /v1/keys.");
    await keys.putAllowedOrigins(caller.orgId, origins);
    const diff = fieldDiff({ allowed_origins: before.allowedOrigins }, { allowed_origins: origins }, [
      "allowed_origins",
    ]);
    await audit.record(auditEntry(caller, { ...ORIGINS_ENTRY, diff }, deps));
    return { ...before, allowedOrigins: origins };
  });
  deps.keyRing.forget(caller.orgId);
  // Once this is answered, every process checks the new origins.
  await deps.changes.untilPropagated();
  return summaryOf(key, deps.sealer);
});

export const listUnusualDays = defineRoute(operations.listUnusualDays, async ({ caller }, deps) => {
  const today = dayOf(deps.clock.now());
  const range = { from: startOfDay(firstDayOfUse(today)), until: endOfDay(today) };
  return { items: unusualDays(await deps.events.countPublicByDay(caller.orgId, range), today) };
});

export const rotateKey = defineRoute(operations.rotateKey, async ({ body, caller, request, reply }, deps) => {
  const raw = KEY_PREFIX[body.scope] + randomBytes(32).toString("base64url");
  const createdAt = deps.clock.now();
  const key = {
    orgId: caller.orgId,
    scope: body.scope,
    hash: hashKey(raw),
    sealed: deps.sealer.seal(raw, keyBinding(caller.orgId, body.scope)),
    createdAt,
  };
  const before = await deps.control.transaction(async ({ keys, audit }) => {
    const replaced = await keys.find(key.orgId, key.scope);
    await keys.rotate(key);
    await audit.record(auditEntry(caller, keyEntry("key.rotate", body.scope, "Made a new"), deps));
    return replaced;
  });
  deps.keyRing.forget(caller.orgId);
  // Once this is answered, the previous key is invalid in every process.
  if (before !== null) await deps.changes.untilPropagated();
  deps.security.act(actOf("security.key.rotated", caller, raw), request);
  reply.header("cache-control", "no-store");
  return { scope: body.scope, key: raw, createdAt };
});

export const revealKey = defineRoute(
  operations.revealKey,
  async ({ params, caller, request, reply }, deps) => {
    const { scope } = params;
    const stored = await deps.control.keys.find(caller.orgId, scope);
    const raw = stored?.sealed ? deps.sealer.open(stored.sealed, keyBinding(caller.orgId, scope)) : null;
    if (!stored || raw === null) {
      throw new DomainError(
        "key-not-revealable",
        `No ${scope} key can be revealed: make a new one with POST /v1/keys.`,
      );
    }
    await deps.control.audit.record(auditEntry(caller, keyEntry("key.reveal", scope, "Revealed the"), deps));
    deps.security.act(actOf("security.key.revealed", caller, raw), request);
    reply.header("cache-control", "no-store");
    return { scope, key: raw, createdAt: stored.createdAt };
  },
);

const ORIGINS_ENTRY = {
  action: "key.allowed-origins",
  targetType: "key",
  targetId: "publishable",
  summary: "Changed the allowed origins of the publishable key.",
};

/** Throws `invalid-body` for a text that is not an origin, because no page would ever match it. */
function distinctOrigins(origins: readonly string[]): readonly string[] {
  const faults = origins.flatMap((origin, index) =>
    isWebOrigin(origin)
      ? []
      : [
          {
            pointer: `/allowed_origins/${index}`,
            detail:
              "must be an origin as browsers send it, such as https://app.example.com: in lower case, without a path, without a wildcard and without the default port.",
          },
        ],
  );
  if (faults.length > 0) throw invalidBody(faults);
  return [...new Set(origins)];
}

function summaryOf(
  { orgId, scope, createdAt, sealed, lastUsedAt, lastBrowserUseAt, allowedOrigins }: ListedKey,
  sealer: Sealer,
): ValueOf<typeof KeySummary> {
  const prefix =
    sealed === null ? null : keyPrefixOf(sealer.open(sealed, keyBinding(orgId, scope)) ?? "") || null;
  return {
    scope,
    createdAt,
    revealable: sealed !== null,
    prefix,
    allowedOrigins,
    lastUsedAt,
    lastBrowserUseAt,
  };
}

function actOf(name: SecurityEventName, { orgId, userId }: Caller, raw: string): SecurityAct {
  return { name, orgId, actor: userId, subject: keyPrefixOf(raw) };
}

function keyEntry(action: string, scope: KeyScope, did: string) {
  return { action, targetType: "key", targetId: scope, summary: `${did} ${scope} key.` };
}
