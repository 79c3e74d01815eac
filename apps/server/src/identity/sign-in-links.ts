import { createHash, randomBytes } from "node:crypto";
import { type Access, type ControlStores, changeOrder, DomainError, type SignInLink } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { rejectEnded, takeSeat } from "./admit-person.ts";
import type { LocalIdentity, SessionSubject } from "./identity-provider.ts";
import { localSubject, orgName } from "./local-identity.ts";
import { membershipEntry, roleOf } from "./membership-entry.ts";

const MINUTE_MS = 60_000;
export const TICKET_MS = 60 * MINUTE_MS;
export const INVITATION_MS = 7 * 24 * 60 * MINUTE_MS;

export type LinkSubject = Omit<SessionSubject, "session">;

interface LinkDeps extends Pick<Deps, "clock" | "newId"> {
  /** The control plane, or the stores of a transaction. */
  readonly control: Pick<ControlStores, "signInLinks">;
}

/** Creates a one-time sign-in link for a person; only the token's hash is stored. */
export async function createSignInLink(
  subject: LinkSubject,
  { kind, lifetimeMs }: { readonly kind: SignInLink["kind"]; readonly lifetimeMs: number },
  { control, clock, newId }: LinkDeps,
): Promise<{ readonly token: string; readonly link: SignInLink }> {
  const token = randomBytes(32).toString("base64url");
  const createdAt = clock.now();
  const link: SignInLink = {
    ...subject,
    id: newId(),
    kind,
    tokenHash: hashToken(token),
    email: subject.email.toLowerCase(),
    createdAt,
    expiresAt: createdAt + lifetimeMs,
  };
  await control.signInLinks.create(link);
  return { token, link };
}

/** Creates the token of a ticket, which the service prints at start-up. */
export async function createSignInToken(
  subject: LinkSubject,
  lifetimeMs: number,
  deps: LinkDeps,
): Promise<string> {
  return (await createSignInLink(subject, { kind: "ticket", lifetimeMs }, deps)).token;
}

type RedeemDeps = Pick<Deps, "control" | "clock" | "newId" | "plans"> & { readonly identity: LocalIdentity };

/**
 * Exchanges a one-time token for a session token and makes the person a member with a seat. Throws `invalid-credential` when the token is
 * unknown, used or expired, or the person was removed after the link was created. Throws `seats-exhausted`, which leaves the link valid.
 */
export async function redeemSignInToken(token: string, deps: RedeemDeps): Promise<string> {
  const { link, access } = await deps.control.transaction((stores) => redeem(token, stores, deps));
  const { email, externalOrgId } = link;
  const { role } = access;
  return deps.identity.issue({ email, name: access.name || email, role, externalOrgId });
}

/** Finds the link of a token without using it up; null when it is unknown or expired. */
export function findSignInLink(
  token: string,
  { control, clock }: Pick<Deps, "control" | "clock">,
): Promise<SignInLink | null> {
  return control.signInLinks.find(hashToken(token), clock.now());
}

async function redeem(
  token: string,
  stores: ControlStores,
  deps: RedeemDeps,
): Promise<{ readonly link: SignInLink; readonly access: Access }> {
  const [hash, now] = [hashToken(token), deps.clock.now()];
  const link = await stores.signInLinks.find(hash, now);
  if (link === null) throw invalidLink();
  const member = { externalUserId: localSubject(link.email), externalOrgId: link.externalOrgId };
  const before = await stores.people.findAccess(member);
  await applyLink(link, stores, deps);
  // Only now: removing a person or withdrawing their link also locks the org first and then the link.
  if ((await stores.signInLinks.redeem(hash, now)) === null) throw invalidLink();
  const access = await stores.people.findAccess(member);
  if (access === null) throw new Error("A membership that was just put is not there.");
  rejectEnded(access);
  if (!(await takeSeat(access, stores, deps))) throw noSeat();
  const entry = linkEntry(link, { before, after: access }, deps);
  if (entry !== null) await stores.audit.record(entry);
  return { link, access };
}

/**
 * Applies a link as an identity update dated by its creation, so that a later removal or role change wins. The org comes first, so that
 * its row is locked before any other.
 */
async function applyLink(
  { externalOrgId, email, name, role, createdAt }: SignInLink,
  { people }: ControlStores,
  { clock }: Pick<Deps, "clock">,
): Promise<void> {
  const [order, now] = [changeOrder(createdAt, "updated"), clock.now()];
  const externalUserId = localSubject(email);
  // An invitation without a name uses the email as the name, which must not replace a real name.
  const givenName = name.toLowerCase() === email ? null : name;
  await people.putOrg(
    { externalId: externalOrgId, order, name: orgName(externalOrgId), isDeleted: false },
    now,
  );
  await people.putUser({ externalId: externalUserId, order, email, name: givenName, isDeleted: false }, now);
  await people.putMembership({ externalUserId, externalOrgId, order, role, isRemoved: false }, now);
}

function invalidLink(): DomainError {
  return new DomainError(
    "invalid-credential",
    "The link was used before or has expired. Restart Assay to get a new one, or ask an admin for an invitation.",
  );
}

function noSeat(): DomainError {
  return new DomainError(
    "seats-exhausted",
    "All seats of the organization's plan are taken. Ask an admin to remove a member or to choose a larger plan. The link stays valid.",
  );
}

/** The person who opens the link is the actor. */
function linkEntry(
  { email, kind }: SignInLink,
  { before, after }: { readonly before: Access | null; readonly after: Access },
  deps: Pick<Deps, "clock" | "newId">,
) {
  const action = roleOf(before) === null ? "member.join" : "member.role";
  const actor = { userId: after.userId, email, name: after.name || email };
  return membershipEntry({ before, after, action, actor, way: kind, externalUserId: email }, deps);
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
