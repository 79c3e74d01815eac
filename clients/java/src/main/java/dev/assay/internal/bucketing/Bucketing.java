package dev.assay.internal.bucketing;

/**
 * The part of the bucket hash that does not depend on the user, precomputed. Fixed when the
 * experiment is created.
 */
public final class Bucketing {
    private final Murmur3 prefix;
    private final long bucketCount;

    /** Takes the canonical lower-case id, never the name, and a positive number of buckets. */
    public Bucketing(String salt, String experimentId, long bucketCount) {
        this.prefix = new Murmur3(salt + ":" + experimentId + ":", 0);
        this.bucketCount = bucketCount;
    }

    /**
     * Computes the user's bucket, 0 to the number of buckets - 1. This must never change: every
     * client library computes the same. The user id is hashed as given, neither trimmed nor
     * normalized.
     */
    public long bucketOf(String user) {
        return Integer.toUnsignedLong(prefix.hash(user)) % bucketCount;
    }
}
