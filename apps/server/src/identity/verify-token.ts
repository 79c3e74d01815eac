import { type Clock, DomainError } from "@assay/domain";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";

/** How far the signer's clock may differ from that of this machine. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** What a token must satisfy before its claims are read. */
export interface ExpectedToken {
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly audience: string;
  readonly key: JWTVerifyGetKey;
  /** How long after its `iat` a token is accepted, whatever its `exp`. No limit when absent. */
  readonly maxAgeSeconds?: number;
}

/**
 * Checks a token's algorithm, signature, issuer, audience and times, and returns its claims. Throws `invalid-credential` for a bad token;
 * a `DomainError` thrown by `key` passes through.
 */
export async function verifyToken(
  token: string,
  { algorithms, issuer, audience, key, maxAgeSeconds }: ExpectedToken,
  clock: Clock,
): Promise<JWTPayload> {
  const now = clock.now();
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ["sub", "exp", "iat"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
      ...(maxAgeSeconds === undefined ? {} : { maxTokenAge: maxAgeSeconds }),
    });
    rejectFuture(payload, now);
    return payload;
  } catch (error) {
    throw refusal(error);
  }
}

/** jose checks `iat` only when tokens have a maximum age. A token dated tomorrow would override every update of today. */
function rejectFuture({ iat }: JWTPayload, now: number): void {
  if (iat === undefined || iat < 0 || iat > now / 1000 + CLOCK_TOLERANCE_SECONDS)
    throw invalidToken("The session token's claim iat is in the future or not a valid time.");
}

function refusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return invalidToken("The session has expired: sign in again.");
  if (error instanceof errors.JWTClaimValidationFailed)
    return invalidToken(
      `The session token's claim ${error.claim} is missing or not what this installation expects.`,
    );
  // jose has no own error for a key that it considers too weak.
  if (error instanceof errors.JOSEError || error instanceof TypeError)
    return invalidToken(
      "The session token is not valid: its format, algorithm or signature is not accepted.",
    );
  return error;
}

/** Builds the error for a refused token; its holder sees the detail. */
export function invalidToken(detail: string): DomainError {
  return new DomainError("invalid-credential", detail);
}
