/** The most passkeys that a person has in an org. */
export const MAX_PASSKEYS = 20;
/** How long a passkey's challenge can be answered. */
export const CHALLENGE_MS = 5 * 60_000;

/**
 * Whether a passkey's signature counter did not grow, so that somebody may have copied the passkey. Passkeys that are synchronized between
 * devices do not count: theirs is always 0.
 */
export function isCounterRollback(stored: number, seen: number): boolean {
  return (stored > 0 || seen > 0) && seen <= stored;
}
