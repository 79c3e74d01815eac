import type { ClientLog } from "./client-log.ts";

/** Events with further reasons are counted together. */
const MAX_REASONS = 100;

/**
 * Logs the events of a batch that the service refused, and adds them to the counts by reason. Pages load this file
 * after their start, so it imports nothing that they already have by then.
 */
export function countRejected(rows: unknown, counts: Map<string, number>, log: ClientLog): void {
  const added = new Map<string, number>();
  for (const row of Array.isArray(rows) ? rows : []) {
    const detail = (row as { readonly detail?: unknown } | null)?.detail;
    add(added, typeof detail === "string" ? detail : "no reason", 1);
  }
  for (const [detail, count] of added) {
    log.count(`event rejected, ${detail}`, count);
    add(counts, counts.has(detail) || counts.size < MAX_REASONS ? detail : "other reasons", count);
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
