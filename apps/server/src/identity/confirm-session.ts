import type { ExternalMember, Identity, Person } from "@assay/domain";
import type { Grant } from "./oidc-client.ts";
import { readMembership, readOrgId, readPerson } from "./read-claims.ts";
import { checkSession, endSession, type SessionDeps } from "./sessions.ts";

/** Checks the session. If its provider was queried, applies what the provider now says about the person and their role. */
export async function confirmIdentity(identity: Identity, deps: SessionDeps): Promise<Identity> {
  return confirm(identity, deps, ({ claims }, names) => ({
    ...readPerson(claims, names),
    ...readMembership(claims, names),
  }));
}

/** Does the same for somebody who needs no org. */
export function confirmPerson(
  person: Person & Partial<ExternalMember>,
  deps: SessionDeps,
): Promise<Person & Partial<ExternalMember>> {
  return confirm(person, deps, ({ claims }, names) => ({
    ...readPerson(claims, names),
    ...readOrgId(claims, names),
  }));
}

type Names = Parameters<typeof readPerson>[1];

/** A person to whom the provider no longer gives an org or a role stays out, not only for this request. */
async function confirm<P extends Person>(
  person: P,
  deps: SessionDeps,
  read: (grant: Grant, names: Names) => Omit<P, "session">,
): Promise<P> {
  const grant = await checkSession(person, deps);
  const { session } = person;
  if (grant === null || session === null || deps.identity.kind === "local") return person;
  try {
    return { ...read(grant, deps.identity.claims), session } as P;
  } catch (error) {
    await endSession(session, deps);
    throw error;
  }
}
