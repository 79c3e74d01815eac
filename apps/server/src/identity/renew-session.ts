import type { Caller, Identity } from "@assay/domain";
import { decodeJwt } from "jose";
import type { Deps } from "../deps.ts";

/** A token younger than this is good enough: not every answer carries a cookie. */
const RENEW_AFTER_MS = 3_600_000;

interface UsedSession {
  /** A verified token. */
  readonly token: string;
  readonly identity: Identity;
  readonly caller: Caller;
}

/** Makes a fresh token of a session that is in use, with the role of now; null where the present one will do. */
export async function renewSession(
  { token, identity: { session, externalOrgId }, caller: { email, name, role } }: UsedSession,
  { identity, clock }: Pick<Deps, "identity" | "clock">,
): Promise<string | null> {
  if (identity.kind !== "local" || session === null) return null;
  const issuedAt = (decodeJwt(token).iat ?? 0) * 1000;
  if (clock.now() - issuedAt < RENEW_AFTER_MS) return null;
  return identity.issue({ email, name, role, externalOrgId, session });
}
