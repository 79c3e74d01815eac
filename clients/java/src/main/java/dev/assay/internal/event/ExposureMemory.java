package dev.assay.internal.event;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers which exposures were recorded lately, since each one is billed: at most {@code
 * capacity} of them, and always the half of that used last, each for {@code windowMs}. Instants are
 * epoch milliseconds and may go backwards, as in a replay. Safe for any number of threads; a user
 * seen lately takes neither a lock nor an object.
 */
public final class ExposureMemory {
    /**
     * When each user's exposure was recorded, by arm: one map of both would make a new text for
     * every look-up.
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

    /** Two generations instead of an exact order: what is looked up often costs no write. */
    private volatile Generation young = new Generation();

    private Generation old = young;
    private int size;

    /** Makes an empty one. */
    public ExposureMemory(long windowMs, int capacity) {
        this.windowMs = windowMs;
        this.capacity = capacity;
    }

    /**
     * Takes it upon the caller to record the user's exposure to the arm: true, for one of all
     * threads that ask, unless it was recorded within the window around {@code now}.
     */
    public boolean claim(String arm, String user, long now) {
        return !isRecent(young.find(arm, user), now) && claimSlowly(arm, user, now);
    }

    /** Takes a claim back: what could not be recorded is tried again. */
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
        // What the old generation knows is used still, and so is kept longer.
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
