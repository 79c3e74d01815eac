import { passkeys as operations } from "@assay/contract";
import { type Caller, type ControlStores, DomainError, mayChangeMember, type Passkey } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";
import {
  finishConfirmation,
  finishRegistration,
  passkeyRequired,
  rejectMissingPasskey,
  rejectPasskeysElsewhere,
  rejectTooMany,
  sessionOf,
  startConfirmation,
  startRegistration,
} from "../../identity/passkeys.ts";
import { endSessionsOf } from "../../identity/sessions.ts";

export const listPasskeys = defineRoute(operations.listPasskeys, async ({ caller }, deps) => {
  rejectPasskeysElsewhere(deps);
  return { items: await deps.control.passkeys.list(caller) };
});

export const createRegistrationOptions = defineRoute(
  operations.createRegistrationOptions,
  async (call, deps) => {
    rejectPasskeysElsewhere(deps);
    return { options: await startRegistration(call, deps) };
  },
);

export const createPasskey = defineRoute(operations.createPasskey, async (call, deps) => {
  rejectPasskeysElsewhere(deps);
  const { caller, request } = call;
  const passkey = await finishRegistration(call.body, call, deps);
  await deps.control.transaction(async (stores) => {
    // Prevents two simultaneous requests from both adding the last one.
    await stores.orgs.lock(caller.orgId);
    const { length } = await stores.passkeys.list(caller);
    if (length > 0) rejectMissingPasskey(caller);
    rejectTooMany(length);
    if (!(await stores.passkeys.add(passkey)))
      throw new DomainError("passkey-refused", "You have added this passkey already.");
    await stores.sessions.recordVerification(sessionOf(caller), passkey.createdAt);
    await stores.audit.record(auditEntry(caller, entryOf("passkey.add", passkey, "Added"), deps));
  });
  deps.security.act(actOf("security.passkey.added", caller, passkey), request);
  return passkey;
});

export const removePasskey = defineRoute(
  operations.removePasskey,
  async ({ params, caller, request }, deps) => {
    rejectPasskeysElsewhere(deps);
    const removed = await deps.control.transaction(async (stores) => {
      const passkey = await stores.passkeys.remove(caller, params.id);
      if (passkey === null) throw new DomainError("passkey-not-found", "You have no passkey with this id.");
      await stores.audit.record(auditEntry(caller, entryOf("passkey.remove", passkey, "Removed"), deps));
      return passkey;
    });
    deps.security.act(actOf("security.passkey.removed", caller, removed), request);
  },
);

export const createConfirmationOptions = defineRoute(
  operations.createConfirmationOptions,
  async (call, deps) => {
    rejectPasskeysElsewhere(deps);
    return { options: await startConfirmation(call, deps) };
  },
);

export const confirmWithPasskey = defineRoute(operations.confirmWithPasskey, async (call, deps) => {
  rejectPasskeysElsewhere(deps);
  await finishConfirmation(call.body.credential, call, deps);
  await deps.control.sessions.recordVerification(sessionOf(call.caller), deps.clock.now());
});

export const resetPasskeys = defineRoute(
  operations.resetPasskeys,
  async ({ params, caller, request }, deps) => {
    rejectPasskeysElsewhere(deps);
    const { orgId, userId: actor } = caller;
    const owner = { orgId, userId: params.id };
    await deps.control.transaction(async (stores) => {
      const member = await stores.people.findMember(orgId, owner.userId);
      if (member === null)
        throw new DomainError("member-not-found", "No member of your organization has this id.");
      if (!mayChangeMember(caller.role, { from: member.role, to: member.role }))
        throw new DomainError("role-required", `${member.email} is an owner: only an owner can change that.`);
      if ((await stores.passkeys.removeAll(owner)) === 0) return;
      const summary = `Removed all passkeys of ${member.email}.`;
      const entry = { action: "passkey.reset", targetType: "member", targetId: owner.userId, summary };
      await stores.audit.record(auditEntry(caller, entry, deps));
    });
    // The person may still be signed in on a lost device.
    await endSessionsOf(owner, "all", deps);
    deps.security.act({ name: "security.passkey.removed", orgId, actor }, request);
  },
);

/** The most members without a passkey that are named. */
const MAX_SHOWN = 100;

export const getPasskeyRequirement = defineRoute(
  operations.getPasskeyRequirement,
  async ({ caller }, deps) => {
    rejectPasskeysElsewhere(deps);
    return requirementOf(caller, deps);
  },
);

export const putPasskeyRequirement = defineRoute(
  operations.putPasskeyRequirement,
  async ({ body: { required }, caller }, deps) => {
    rejectPasskeysElsewhere(deps);
    await deps.control.transaction(async (stores) => {
      await stores.orgs.lock(caller.orgId);
      const before = await stores.orgs.requiresPasskey(caller.orgId);
      if (before === required) return;
      if (required) await rejectUnverified(caller, stores);
      await stores.orgs.putPasskeyRequirement(caller.orgId, required);
      const entry = {
        ...{ action: "org.passkey-requirement", targetType: "org", targetId: caller.orgId },
        summary: required ? "Required passkeys from everybody." : "No longer requires passkeys.",
        diff: fieldDiff({ required: before }, { required }, ["required"]),
      };
      await stores.audit.record(auditEntry(caller, entry, deps));
    });
    return requirementOf(caller, deps);
  },
);

async function requirementOf({ orgId }: Caller, { control }: Pick<Deps, "control">) {
  const required = await control.orgs.requiresPasskey(orgId);
  return { required, membersWithout: await control.passkeys.listWithout(orgId, MAX_SHOWN) };
}

/** Rejects an admin who requires passkeys without a working one, which could lock everybody out. */
async function rejectUnverified(
  caller: Caller,
  { sessions, passkeys }: Pick<ControlStores, "sessions" | "passkeys">,
): Promise<void> {
  const session = await sessions.find(sessionOf(caller));
  if (session?.verifiedAt && (await passkeys.list(caller)).length > 0) return;
  throw passkeyRequired(
    "Add a passkey on the Account page, or confirm with yours, before you require passkeys from everybody.",
  );
}

function entryOf(action: string, { name }: Passkey, verb: string) {
  return { action, targetType: "passkey", targetId: name, summary: `${verb} the passkey ${name}.` };
}

function actOf(
  name: "security.passkey.added" | "security.passkey.removed",
  { orgId, userId: actor }: Caller,
  { id }: Passkey,
): Parameters<Deps["security"]["act"]>[0] {
  return { name, orgId, actor, subject: id.slice(0, 12) };
}
