import { passkeys as operations } from "@assay/contract";
import { type Caller, DomainError, mayChangeMember, type Passkey } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import {
  finishConfirmation,
  finishRegistration,
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
    // So that two requests at once cannot both add the last one.
    await stores.orgs.lock(caller.orgId);
    rejectTooMany((await stores.passkeys.list(caller)).length);
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
    // Whoever has a lost device may still be signed in with it.
    await endSessionsOf(owner, "all", deps);
    deps.security.act({ name: "security.passkey.removed", orgId, actor }, request);
  },
);

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
