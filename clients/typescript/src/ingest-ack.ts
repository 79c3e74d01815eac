/** What the client reads of an answer to `POST /v1/events`. */
export interface IngestAck {
  readonly configVersion: number | null;
  /** How many rows were rejected, by reason. */
  readonly rejected: ReadonlyMap<string, number>;
}

/** Reads an acknowledgement; whatever is missing or malformed counts as absent, since the batch is accepted anyway. */
export function parseAck(body: unknown): IngestAck {
  const rejected = new Map<string, number>();
  if (typeof body !== "object" || body === null) return { configVersion: null, rejected };
  const rows: unknown[] = "rejected" in body && Array.isArray(body.rejected) ? body.rejected : [];
  for (const row of rows) {
    const reason = detailOf(row);
    rejected.set(reason, (rejected.get(reason) ?? 0) + 1);
  }
  const version = "config_version" in body ? body.config_version : null;
  return { configVersion: typeof version === "number" ? version : null, rejected };
}

function detailOf(row: unknown): string {
  if (typeof row !== "object" || row === null || !("detail" in row)) return "no reason given";
  return typeof row.detail === "string" ? row.detail : "no reason given";
}
