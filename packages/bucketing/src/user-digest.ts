import type { BucketingInputs } from "./bucket.ts";
import { murmur3 } from "./murmur3.ts";

/**
 * Returns 16 hex digits that stand for a user of an experiment: MurmurHash3 with the seeds 1 and 2 of the same text
 * that the bucket is computed from. Every client library computes the same.
 */
export function userDigest({ salt, id }: Omit<BucketingInputs, "bucketCount">, userId: string): string {
  const halves = [1, 2].map((seed) => murmur3(`${salt}:${id}:${userId}`, seed));
  return halves.map((half) => half.toString(16).padStart(8, "0")).join("");
}
