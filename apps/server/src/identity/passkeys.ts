import { createHash } from "node:crypto";
import { isIP } from "node:net";
import {
  type Caller,
  CHALLENGE_MS,
  type ChallengePurpose,
  DomainError,
  invalidBody,
  isCounterRollback,
  type JsonObject,
  MAX_PASSKEYS,
  type Passkey,
} from "@assay/domain";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { ownOrigin } from "../http/own-origin.ts";

/** An answer has a few hundred bytes, or a few thousand with an attestation. */
const MAX_CREDENTIAL_CHARS = 16 * 1024;
/** An address of this service can be this long. Authenticators make ids of 16 to 200 bytes. */
const MAX_ID_CHARS = 512;

/** COSE's EdDSA, ES256 and RS256. Every authenticator supports one of them. */
const SUPPORTED_ALGORITHMS = [-8, -7, -257];

/** Loaded with the first passkey: most people have none, and it loads every certificate that an authenticator may use. */
const loadLibrary = () => import("@simplewebauthn/server");

type PasskeyDeps = Pick<Deps, "control" | "clock" | "identity">;

/** A person at a browser that can ask their authenticator. */
export interface Holder {
  readonly caller: Caller;
  readonly request: FastifyRequest;
}

/** Throws `members-elsewhere` where a provider signs people in, because their second factors are kept there. */
export function rejectPasskeysElsewhere({ identity }: Pick<Deps, "identity">): void {
  if (identity.kind === "local") return;
  throw new DomainError(
    "members-elsewhere",
    `People sign in at ${identity.issuer}: set up second factors there. Assay keeps no passkeys for them.`,
  );
}

/** Throws `passkey-required` when the org requires a passkey that the person has not used in this session. */
export function rejectMissingPasskey({ isPasskeyMissing }: Pick<Caller, "isPasskeyMissing">): void {
  if (isPasskeyMissing)
    throw passkeyRequired("Use your passkey, or add one if you have none: the dashboard asks for it.");
}

/** Makes the error for a session in which the person must use a passkey first. */
export function passkeyRequired(detail: string): DomainError {
  return new DomainError("passkey-required", detail);
}

/** Creates what a browser needs to add a passkey. Throws `too-many-passkeys` and `passkey-address`. */
export async function startRegistration({ caller, request }: Holder, deps: PasskeyDeps): Promise<JsonObject> {
  const { id: rpID } = relyingParty(request);
  const known = await deps.control.passkeys.list(caller);
  // Otherwise anybody who got hold of a link could add a passkey.
  if (known.length > 0) rejectMissingPasskey(caller);
  rejectTooMany(known.length);
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    ...{ rpName: "Assay", rpID, userName: caller.email, userDisplayName: caller.name },
    // The same person's passkeys of other orgs stay, because an authenticator keeps one for each of these ids.
    userID: createHash("sha256").update(`${caller.orgId} ${caller.userId}`).digest(),
    ...{ timeout: CHALLENGE_MS, attestationType: "none", excludeCredentials: known.map(toDescriptor) },
    supportedAlgorithmIDs: SUPPORTED_ALGORITHMS,
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  });
  await putChallenge(caller, { purpose: "registration", value: options.challenge }, deps);
  return options as unknown as JsonObject;
}

/** Verifies the answer to `startRegistration` and returns the passkey to store. Throws `passkey-refused`. */
export async function finishRegistration(
  { name, credential }: { readonly name: string; readonly credential: JsonObject },
  { caller, request }: Holder,
  deps: PasskeyDeps,
): Promise<Passkey> {
  rejectLong(credential);
  const expected = await takeExpected({ caller, request }, "registration", deps);
  const response = credential as unknown as RegistrationResponseJSON;
  const { verifyRegistrationResponse } = await loadLibrary();
  const { verified, registrationInfo } = await refusing(() =>
    verifyRegistrationResponse({
      ...{ ...expected, response, requireUserVerification: true },
      supportedAlgorithmIDs: SUPPORTED_ALGORITHMS,
    }),
  );
  if (!verified || registrationInfo.credential.id.length > MAX_ID_CHARS) throw refused();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  return {
    ...{ orgId: caller.orgId, userId: caller.userId, id, name, counter },
    ...{ publicKey: Buffer.from(publicKey).toString("base64url"), transports: transports.map(String) },
    isBackedUp: registrationInfo.credentialBackedUp,
    ...{ createdAt: deps.clock.now(), lastUsedAt: null },
  };
}

/** Creates what a browser needs to request a passkey. Throws `passkey-not-found` when the person has none. */
export async function startConfirmation({ caller, request }: Holder, deps: PasskeyDeps): Promise<JsonObject> {
  const { id: rpID } = relyingParty(request);
  const known = await deps.control.passkeys.list(caller);
  if (known.length === 0)
    throw new DomainError("passkey-not-found", "You have no passkey yet: add one on the Account page.");
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    ...{
      rpID,
      allowCredentials: known.map(toDescriptor),
      timeout: CHALLENGE_MS,
      userVerification: "required",
    },
  });
  await putChallenge(caller, { purpose: "confirmation", value: options.challenge }, deps);
  return options as unknown as JsonObject;
}

/** Verifies the answer to `startConfirmation` and records the use of the passkey. Throws `passkey-refused`. */
export async function finishConfirmation(
  credential: JsonObject,
  { caller, request }: Holder,
  deps: PasskeyDeps,
): Promise<void> {
  rejectLong(credential);
  const expected = await takeExpected({ caller, request }, "confirmation", deps);
  const passkey = (await deps.control.passkeys.list(caller)).find(({ id }) => id === credential.id);
  if (passkey === undefined) throw refused("It is not one of yours, or was removed. Use another one.");
  const response = credential as unknown as AuthenticationResponseJSON;
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, "base64url"));
  const { verifyAuthenticationResponse } = await loadLibrary();
  // The library compares the counter before it checks the signature, but only a signed counter proves a copy.
  const { verified, authenticationInfo: info } = await refusing(() =>
    verifyAuthenticationResponse({
      ...{ ...expected, response, credential: { id: passkey.id, publicKey, counter: 0 } },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw refused();
  if (isCounterRollback(passkey.counter, info.newCounter))
    throw refused("Its counter went back, so there may be a copy of it. Remove it and add a new one.");
  const use = { counter: info.newCounter, isBackedUp: info.credentialBackedUp, at: deps.clock.now() };
  if (!(await deps.control.passkeys.recordUse(passkey, use)))
    throw refused("It was used somewhere else at the same time. Try again.");
}

/** Throws `too-many-passkeys` when a person who has this many cannot add one. */
export function rejectTooMany(count: number): void {
  if (count < MAX_PASSKEYS) return;
  throw new DomainError(
    "too-many-passkeys",
    `You have ${MAX_PASSKEYS} passkeys: remove one that you no longer use.`,
  );
}

/** Returns the session that a passkey counts for. Throws `invalid-credential` for a token of an earlier version, which has none. */
export function sessionOf({ sessionId }: Caller): string {
  if (sessionId !== null) return sessionId;
  throw new DomainError(
    "invalid-credential",
    "This session was made by an earlier version of Assay: sign in again.",
  );
}

interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * The relying party of the passkeys: the host name and origin under which people reach this service. Throws
 * `passkey-address`.
 */
function relyingParty(request: FastifyRequest): RelyingParty {
  const origin = ownOrigin(request);
  const { hostname: id } = new URL(origin);
  if (isIP(id.replace(/^\[|\]$/g, "")) === 0) return { id, origin };
  throw new DomainError(
    "passkey-address",
    `Browsers use passkeys only at a host name, not at ${id}. Open the dashboard at http://localhost with the same port if Assay runs on this machine; otherwise give it a name, with TLS, in ASSAY_PUBLIC_URL.`,
  );
}

async function putChallenge(
  caller: Caller,
  { purpose, value }: { readonly purpose: ChallengePurpose; readonly value: string },
  { control, clock }: PasskeyDeps,
): Promise<void> {
  const now = clock.now();
  const name = { sessionId: sessionOf(caller), purpose };
  await control.passkeyChallenges.put(name, { value, expiresAt: now + CHALLENGE_MS }, now);
}

/** Uses up the session's challenge and returns what the answer must match. */
async function takeExpected(
  { caller, request }: Holder,
  purpose: ChallengePurpose,
  { control, clock }: PasskeyDeps,
) {
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(request);
  const name = { sessionId: sessionOf(caller), purpose };
  const expectedChallenge = await control.passkeyChallenges.take(name, clock.now());
  if (expectedChallenge === null)
    throw refused(
      "The request for it was answered before, replaced, or is older than five minutes. Try again.",
    );
  return { expectedChallenge, expectedOrigin, expectedRPID };
}

function rejectLong(credential: JsonObject): void {
  if (JSON.stringify(credential).length <= MAX_CREDENTIAL_CHARS) return;
  throw invalidBody([{ pointer: "/credential", detail: "must have at most 16 KiB" }]);
}

/** The library throws for everything that does not verify, malformed answers included. */
async function refusing<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    throw refused(undefined, error);
  }
}

function refused(
  detail = "The authenticator's answer does not verify. Try again, at the address where you added the passkey.",
  cause?: unknown,
): DomainError {
  return new DomainError("passkey-refused", detail, { cause });
}

const toDescriptor = ({ id, transports }: Passkey) => ({ id, transports: [...transports] });
