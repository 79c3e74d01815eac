/**
 * Reads a `Retry-After` header (RFC 9110 §10.2.3): seconds, which some servers send with decimals, or a date. Returns the milliseconds
 * to wait from `now`; null if the header is absent or says neither. For a date, `now` is best the answer's own `Date`, because clocks
 * differ.
 *
 * @example readRetryAfter("1.5", 0) // 1500
 */
export function readRetryAfter(header: string | null, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const wait = (/ GMT$/.test(text) ? Date.parse(text) : Number.NaN) - now;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
