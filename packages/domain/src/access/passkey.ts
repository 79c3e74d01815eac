/** The maximum number of passkeys of a person in an org. */
export const MAX_PASSKEYS = 20;
/** How long a passkey challenge is valid. */
export const CHALLENGE_MS = 5 * 60_000;

/**
 * Whether a passkey's signature counter did not grow, which suggests that the passkey was copied. Passkeys synchronized between
 * devices do not count signatures: their counter is always 0.
 */
export function isCounterRollback(stored: number, seen: number): boolean {
  return (stored > 0 || seen > 0) && seen <= stored;
}
