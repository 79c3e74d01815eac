import { bucketOf } from "@assay/bucketing";
import { assignAt, type Clock, type ControlPlane, type Subject } from "@assay/domain";
import type { SnapshotExperiment, Snapshots } from "./snapshots.ts";

/** Claims buckets for units that get a variant before any client library has seen the experiment (contract §5). */
export interface BucketClaims {
  /** Whether no claim is needed because the unit's bucket can no longer move to another variant. */
  isSettled(entry: SnapshotExperiment, subject: Subject): boolean;
  /** Claims the units' buckets in one commit. False means that the snapshot is stale: get a new one and assign again. */
  claim(entry: SnapshotExperiment, unitIds: readonly string[]): Promise<boolean>;
}

interface Group {
  readonly buckets: Set<number>;
  readonly done: Promise<boolean>;
}

/** Makes the bucket claims. Claims that arrive in one turn of the event loop share a commit. */
export function createBucketClaims(deps: {
  readonly control: Pick<ControlPlane, "experiments">;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
}): BucketClaims {
  const groups = new Map<string, Group>();

  async function commit(entry: SnapshotExperiment, groupKey: string, buckets: Set<number>): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    groups.delete(groupKey);
    const { id, orgId, version } = entry.experiment;
    const claim = { version, buckets: [...buckets], now: deps.clock.now() };
    const held = await deps.control.experiments.claimBuckets(orgId, id, claim);
    if (held) for (const bucket of buckets) entry.claimed.add(bucket);
    else deps.snapshots.invalidate(orgId);
    return held;
  }

  return {
    isSettled(entry, subject) {
      if (entry.experiment.servedAt !== null) return true;
      const { timeline, claimed } = entry;
      return (
        claimed.has(bucketOf(timeline, subject.unitId)) ||
        assignAt(timeline, subject, deps.clock.now()).owner === null
      );
    },
    claim(entry, unitIds) {
      const groupKey = `${entry.experiment.id}:${entry.experiment.version}`;
      let group = groups.get(groupKey);
      if (!group) {
        const buckets = new Set<number>();
        group = { buckets, done: commit(entry, groupKey, buckets) };
        groups.set(groupKey, group);
      }
      for (const unitId of unitIds) group.buckets.add(bucketOf(entry.timeline, unitId));
      return group.done;
    },
  };
}
