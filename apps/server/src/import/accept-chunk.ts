import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "@assay/domain";
import type { Acceptance } from "../ingest/accept-batch.ts";
import type { RowChunk } from "./row-collector.ts";

/** Rows at most 1,000 at a time: stored and counted, or only checked. */
export type AcceptRows = (
  rows: readonly unknown[],
  body: Buffer,
) => Promise<Pick<Acceptance, "accepted" | "refused">>;

export interface Patience {
  /** How long the queue may stay full before the import gives up. */
  readonly patienceMs: number;
  readonly retryMs: number;
  readonly signal: AbortSignal;
}

const GIVEN_UP = "The ingest queue stayed full, so this row was not taken: send it again.";

/**
 * Creates the function that accepts chunks in order. While the queue is full, it waits for room. If that takes too
 * long, it refuses the chunk's rows, and every later chunk at once.
 */
export function patientAccept(accept: AcceptRows, { patienceMs, retryMs, signal }: Patience) {
  let hasGivenUp = false;

  async function acceptUntilRoom(rows: readonly unknown[], body: Buffer) {
    for (const startedAt = performance.now(); !hasGivenUp; ) {
      try {
        return await accept(rows, body);
      } catch (error) {
        if (!(error instanceof DomainError && error.kind === "queue-full")) throw error;
        hasGivenUp = performance.now() - startedAt >= patienceMs;
        await sleep(retryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
    return { accepted: 0, refused: rows.map(refuse) };
  }

  return ({ body }: RowChunk) => {
    const bytes = Buffer.from(body.buffer);
    return acceptUntilRoom(JSON.parse(bytes.toString("utf8")) as unknown[], bytes);
  };
}

function refuse(row: unknown, index: number) {
  const id = (row as { event_id?: unknown } | null)?.event_id;
  return { index, event_id: typeof id === "string" ? id : null, detail: GIVEN_UP };
}
