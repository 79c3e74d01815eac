import { type Clock, DomainError } from "@assay/domain";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";

/** How far the clocks of the one who signs and of this machine may differ. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** What a token must be to be looked at further. */
export interface ExpectedToken {
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly audience: string;
  readonly key: JWTVerifyGetKey;
}

/**
 * Checks a token's algorithm, signature, issuer, audience and times, and returns its claims. Throws `invalid-credential` for
 * any fault of the token; what `key` throws as a `DomainError` passes through.
 */
export async function verifyToken(
  token: string,
  { algorithms, issuer, audience, key }: ExpectedToken,
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
    });
    rejectFuture(payload, now);
    return payload;
  } catch (error) {
    throw refusal(error);
  }
}

/** jose looks at `iat` only where tokens have a greatest age. A word of tomorrow would outrank everything said today. */
function rejectFuture({ iat }: JWTPayload, now: number): void {
  if (iat === undefined || iat < 0 || iat > now / 1000 + CLOCK_TOLERANCE_SECONDS)
    throw invalidToken("The session token's claim iat is in the future, or no time at all.");
}

function refusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return invalidToken("The session has expired: sign in again.");
  if (error instanceof errors.JWTClaimValidationFailed)
    return invalidToken(
      `The session token's claim ${error.claim} is missing, or not what this installation expects.`,
    );
  // jose has no error of its own for a key that it holds too weak.
  if (error instanceof errors.JOSEError || error instanceof TypeError)
    return invalidToken("The session token is not valid: its form, algorithm or signature is not accepted.");
  return error;
}

/** Builds the error of a token that lets nobody in; the detail goes to its holder. */
export function invalidToken(detail: string): DomainError {
  return new DomainError("invalid-credential", detail);
}
