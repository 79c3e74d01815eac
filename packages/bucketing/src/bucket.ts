import { murmur3 } from "./murmur3.ts";

/** The inputs of a user's hashes besides the user: frozen when the experiment is created. */
export interface HashInputs {
  /** The canonical lower-case UUID, never the name. */
  readonly id: string;
  readonly salt: string;
}

/** The inputs of a bucket besides the user: frozen when the experiment is created. */
export interface BucketingInputs extends HashInputs {
  /** A positive integer. */
  readonly bucketCount: number;
}

/** Hashes the user within the experiment. The user id is hashed as given, neither trimmed nor normalized. */
function hashOf({ salt, id }: HashInputs, userId: string, seed: number): number {
  return murmur3(`${salt}:${id}:${userId}`, seed);
}

/**
 * Computes the user's bucket, 0 to `bucketCount` - 1. Frozen forever: every client library computes the same.
 */
export function bucketOf(experiment: BucketingInputs, userId: string): number {
  return hashOf(experiment, userId, 0) % experiment.bucketCount;
}

/**
 * Returns 16 hex digits that stand for a user of an experiment: the hashes with the seeds 1 and 2 of what the bucket is computed from.
 * Every client library computes the same.
 */
export function userDigest(experiment: HashInputs, userId: string): string {
  return [1, 2].map((seed) => hashOf(experiment, userId, seed).toString(16).padStart(8, "0")).join("");
}
