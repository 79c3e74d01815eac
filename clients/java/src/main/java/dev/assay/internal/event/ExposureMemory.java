package dev.assay.internal.event;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers which exposures were recorded recently, because each one is billed. Keeps at most {@code capacity}
 * exposures, and at least the most recently used half of that number, each for {@code windowMs}. Times are epoch
 * milliseconds and may go backward, as in a replay. Thread-safe. Looking up a recent user takes no lock and
 * allocates nothing.
 */
public final class ExposureMemory {
    /**
     * When each user's exposure was recorded, by arm. A single map would need a new key string for every
     * look-up.
     */
    private static final class Generation {
        final Map<String, Map<String, Long>> arms = new ConcurrentHashMap<>();

        Long find(String arm, String user) {
            Map<String, Long> users = arms.get(arm);
            return users == null ? null : users.get(user);
        }
    }

    private final long windowMs;
    private final int capacity;

    /** Two generations instead of an exact order: looking up a frequent user costs no write. */
    private volatile Generation young = new Generation();

    private Generation old = young;
    private int size;

    /** Makes an empty one. */
    public ExposureMemory(long windowMs, int capacity) {
        this.windowMs = windowMs;
        this.capacity = capacity;
    }

    /**
     * Claims the recording of the user's exposure to the arm. Returns true for exactly one of the threads
     * that ask; false if the exposure was recorded within the window around {@code now}.
     */
    public boolean claim(String arm, String user, long now) {
        return !isRecent(young.find(arm, user), now) && claimSlowly(arm, user, now);
    }

    /** Withdraws a claim, so that an exposure that could not be recorded is tried again. */
    public synchronized void release(String arm, String user) {
        for (Generation generation : new Generation[] {young, old}) {
            Map<String, Long> users = generation.arms.get(arm);
            if (users != null && users.remove(user) != null && generation == young) size--;
        }
    }

    private synchronized boolean claimSlowly(String arm, String user, long now) {
        Long at = young.find(arm, user);
        if (isRecent(at, now)) return false;
        if (at == null) at = old.find(arm, user);
        boolean isClaimed = !isRecent(at, now);
        // An exposure found in the old generation is still in use, so it is kept longer.
        put(arm, user, isClaimed ? (Long) now : at);
        return isClaimed;
    }

    private void put(String arm, String user, Long at) {
        if (size * 2 >= capacity) {
            old = young;
            young = new Generation();
            size = 0;
        }
        if (young.arms.computeIfAbsent(arm, key -> new ConcurrentHashMap<>()).put(user, at) == null) size++;
    }

    private boolean isRecent(Long at, long now) {
        return at != null && Math.abs(now - at) < windowMs;
    }
}
