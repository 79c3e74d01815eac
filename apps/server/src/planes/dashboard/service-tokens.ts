import { serviceTokens as operations } from "@assay/contract";
import {
  type Caller,
  type ControlStores,
  DomainError,
  MAX_TOKENS,
  refusalOfToken,
  type ServiceToken,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { newServiceToken } from "../../identity/service-tokens.ts";

const DAY_MS = 86_400_000;

export const listServiceTokens = defineRoute(
  operations.listServiceTokens,
  async ({ caller }, { control, clock }) => {
    const now = clock.now();
    const items = (await control.serviceTokens.list(caller.orgId)).map((token) => ({
      ...token,
      madeBy: token.makerEmail,
      refusedBecause: refusalOfToken(token, now),
    }));
    return { items };
  },
);

export const createServiceToken = defineRoute(
  operations.createServiceToken,
  async ({ body, caller, request, reply }, deps) => {
    const { name, role, expiresInDays, runsNights = false } = body;
    if (runsNights) rejectOthers(caller);
    const { raw, prefix, hash } = newServiceToken();
    const createdAt = deps.clock.now();
    const token: ServiceToken = {
      ...{ id: deps.newId(), orgId: caller.orgId, name, role, runsNights, prefix, hash },
      ...{
        madeBy: caller.userId,
        createdAt,
        expiresAt: createdAt + expiresInDays * DAY_MS,
        lastUsedAt: null,
      },
    };
    await deps.control.transaction(async (stores) => {
      // Prevents two simultaneous requests from both creating the last one.
      await stores.orgs.lock(caller.orgId);
      const { length } = await stores.serviceTokens.list(caller.orgId);
      if (length >= MAX_TOKENS) throw tooMany();
      await stores.serviceTokens.create(token);
      await stores.audit.record(auditEntry(caller, madeEntry(token), deps));
    });
    const { orgId, userId: actor } = caller;
    deps.security.act({ name: "security.token.created", orgId, actor, subject: prefix }, request);
    reply.header("cache-control", "no-store");
    return { ...token, token: raw };
  },
);

export const revokeServiceToken = defineRoute(
  operations.revokeServiceToken,
  async ({ params, caller, request }, deps) => {
    const { prefix } = await deps.control.transaction((stores) =>
      revoke(params.id, caller, { stores, deps }),
    );
    const { orgId, userId: actor } = caller;
    deps.security.act({ name: "security.token.revoked", orgId, actor, subject: prefix }, request);
  },
);

async function revoke(
  id: string,
  caller: Caller,
  { stores, deps }: { readonly stores: ControlStores; readonly deps: Deps },
): Promise<ServiceToken> {
  const token = await stores.serviceTokens.revoke(caller.orgId, id);
  if (token === null)
    throw new DomainError("token-not-found", "No service token of your organization has this id.");
  const summary = `Revoked the service token ${token.name} (${token.prefix}…).`;
  const entry = { ...ENTRY, action: "token.revoke", targetId: token.id, summary };
  await stores.audit.record(auditEntry(caller, entry, deps));
  return token;
}

const ENTRY = { targetType: "token" };

function madeEntry({ id, name, prefix, role, runsNights, expiresAt }: ServiceToken) {
  const until = new Date(expiresAt).toISOString().slice(0, 10);
  const nights = runsNights ? " that may run nights" : "";
  return {
    ...ENTRY,
    action: "token.create",
    targetId: id,
    summary: `Made the service token ${name} (${prefix}…) as ${role}${nights}, valid until ${until}.`,
  };
}

function rejectOthers({ isPlatformOwner }: Caller): void {
  if (isPlatformOwner) return;
  throw new DomainError(
    "platform-owner-required",
    "Nights run for every organization: only a platform owner makes a token that may run them.",
  );
}

function tooMany(): DomainError {
  return new DomainError(
    "too-many-tokens",
    `Your organization has ${MAX_TOKENS} service tokens: revoke one that is no longer used.`,
  );
}
