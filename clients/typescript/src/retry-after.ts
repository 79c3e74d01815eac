/**
 * Reads a Retry-After header (seconds or a date) as milliseconds to wait; 0 when it is missing or invalid. A
 * date is compared with the response's Date header, since this machine's clock may be wrong.
 */
export function parseRetryAfter(retryAfter: string | null, date: string | null): number {
  const text = `${retryAfter}`.trim();
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.parse(`${date}`);
  return Math.max(0, waitMs) || 0;
}
