import { bucketOf, variantAt } from "@assay/bucketing";
import { flattenEvent, type QueuedBatch, rowsOfBody, type StoredEvent, toStoredEvent } from "@assay/domain";
import type { OrgSnapshot, SnapshotExperiment } from "../config/snapshots.ts";

/** Reads a queued batch back into events. What the server decided when it accepted the batch stands in its header. */
export function toEvents(batch: QueuedBatch, snapshot: OrgSnapshot): readonly StoredEvent[] {
  const rows = rowsOfBody(JSON.parse(Buffer.from(batch.body).toString("utf8"))) ?? [];
  const rejected = new Set(batch.rejected);
  return rows.flatMap((raw, index) => {
    const row = rejected.has(index) ? null : flattenEvent(raw);
    if (row === null) return [];
    const experimentId = batch.experiments[String(row.experiment_id)];
    const entry = experimentId === undefined ? undefined : snapshot.experiments.get(experimentId);
    if (experimentId === undefined || entry === undefined) return [];
    const { orgId, receivedAt } = batch;
    return [
      toStoredEvent(row, { orgId, receivedAt, experimentId, variantOf: (userId) => ownerOf(entry, userId) }),
    ];
  });
}

/** The variant that owns the user's bucket, whatever the experiment's status is by now. */
function ownerOf({ assignable }: SnapshotExperiment, userId: string): string | null {
  return assignable.variants[variantAt(assignable.buckets, bucketOf(assignable, userId))]?.key ?? null;
}
