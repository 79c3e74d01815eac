/**
 * Reads a Retry-After header (seconds, or a date) as milliseconds to wait; null when there is none or it makes no
 * sense. A date counts from the response's own Date header, since this machine's clock may be wrong.
 */
export function parseRetryAfter(retryAfter: string | null, date: string | null): number | null {
  if (retryAfter === null) return null;
  const text = retryAfter.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const waitMs = Date.parse(text) - Date.parse(date ?? "");
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
