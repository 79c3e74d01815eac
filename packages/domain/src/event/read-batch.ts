/** Takes the rows out of an ingest body, `{"events": [...]}` or a bare array; null when it is neither. */
export function rowsOfBody(body: unknown): readonly unknown[] | null {
  if (Array.isArray(body)) return body;
  const events = typeof body === "object" && body !== null ? (body as { events?: unknown }).events : null;
  return Array.isArray(events) ? events : null;
}
