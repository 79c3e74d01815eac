import type { BatchHeader, IngestQueue, QueuedBatch } from "@assay/domain";
import { expect } from "vitest";

/** Opens a queue on a persistent store. A second call after `close` is a restart; before it, a second process. */
export type OpenQueue = (options?: { maxBytes?: number; maxBatches?: number }) => Promise<IngestQueue>;

/** More than any claim of a test. */
export const ALL_BYTES = 1e9;

/** A header with every part. */
export const header = (receivedAt: number): BatchHeader => ({
  orgId: "org-1",
  receivedAt,
  rejected: [1, 3],
  experiments: { "checkout 'copy'": "0190-exp" },
  configVersion: 7,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
});

export const bodyOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

/** Claims exactly `count` batches, because a consumer may see a batch a moment after its append. */
export async function claimFrom(queue: IngestQueue, count: number): Promise<readonly QueuedBatch[]> {
  const batches: QueuedBatch[] = [];
  for (let turn = 0; batches.length < count && turn < 100; turn += 1) {
    await queue.waitForBatch(100);
    batches.push(...(await queue.claim(count - batches.length, ALL_BYTES)));
  }
  expect(batches.length).toBe(count);
  return batches;
}
