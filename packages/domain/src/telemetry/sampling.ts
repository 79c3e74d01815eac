/** A threshold of up to 14 hex digits, without trailing zeros. A trace is kept if its 56-bit randomness is not below it. */
const THRESHOLD = /^[0-9a-f]{1,14}$/;
const DIGITS = 14;
const RANGE = 2n ** 56n;

/**
 * Returns the probability with which a span's trace was kept, as consistent probability sampling writes it into `tracestate`
 * (`ot=th:c`: a quarter); null if it contains none.
 */
export function samplingProbability(traceState: string): number | null {
  const own = traceState.split(",").find((member) => member.trim().startsWith("ot="));
  const threshold = own
    ?.trim()
    .slice("ot=".length)
    .split(";")
    .find((part) => part.startsWith("th:"))
    ?.slice("th:".length);
  if (threshold === undefined || !THRESHOLD.test(threshold)) return null;
  return Number(RANGE - BigInt(`0x${threshold.padEnd(DIGITS, "0")}`)) / Number(RANGE);
}
