import { murmur3 } from "./murmur3.ts";

/** The inputs of a bucket besides the user: frozen when the experiment is created. */
export interface BucketingInputs {
  /** The canonical lower-case UUID, never the name. */
  readonly id: string;
  readonly salt: string;
  /** A positive integer. */
  readonly bucketCount: number;
}

/**
 * Computes the user's bucket, 0 to `bucketCount` - 1. Frozen forever: every client library computes the same.
 * The user id is hashed as given, neither trimmed nor normalized.
 */
export function bucketOf(experiment: BucketingInputs, userId: string): number {
  return murmur3(`${experiment.salt}:${experiment.id}:${userId}`, 0) % experiment.bucketCount;
}
