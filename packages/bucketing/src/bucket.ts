import { murmur3 } from "./murmur3.ts";

/** What a user's hashes are computed from, apart from the user. Frozen when the experiment is created. */
export interface HashInputs {
  /** The canonical lower-case UUID, never the name. */
  readonly id: string;
  readonly salt: string;
}

/** What a user's bucket is computed from, apart from the user. Frozen when the experiment is created. */
export interface BucketingInputs extends HashInputs {
  /** A positive integer. */
  readonly bucketCount: number;
}

/** Hashes the user within the experiment. The user id is hashed as given, neither trimmed nor normalized. */
function hashOf({ salt, id }: HashInputs, userId: string, seed: number): number {
  return murmur3(`${salt}:${id}:${userId}`, seed);
}

/**
 * Computes the user's bucket, 0 to `bucketCount` - 1. This function must never change: every client library computes the same.
 */
export function bucketOf(experiment: BucketingInputs, userId: string): number {
  return hashOf(experiment, userId, 0) % experiment.bucketCount;
}

/**
 * Returns 16 hex digits that stand for a user of an experiment. They are two hashes, with seeds 1 and 2, of the text that the
 * bucket is computed from. Every client library computes the same digits.
 */
export function userDigest(experiment: HashInputs, userId: string): string {
  return [1, 2].map((seed) => hashOf(experiment, userId, seed).toString(16).padStart(8, "0")).join("");
}
