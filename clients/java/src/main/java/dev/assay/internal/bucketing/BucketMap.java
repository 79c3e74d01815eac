package dev.assay.internal.bucketing;

/**
 * A bucket map for fast look-up: run {@code i} ends before {@code ends[i]} and belongs to {@code
 * owners[i]}.
 */
public final class BucketMap {
    /** The owner of a bucket that has none. */
    public static final int NOBODY = -1;

    private final long[] ends;
    private final int[] owners;

    /** Takes the runs: ascending, the first from 0. */
    public BucketMap(long[] ends, int[] owners) {
        this.ends = ends;
        this.owners = owners;
    }

    /** Returns the index of the variant that owns the bucket, or {@link #NOBODY}. */
    public int ownerOf(long bucket) {
        int low = 0;
        int high = ends.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] <= bucket) low = middle + 1;
            else high = middle;
        }
        return low < owners.length ? owners[low] : NOBODY;
    }
}
