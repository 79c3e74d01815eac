package dev.assay.internal.modelcall;

import dev.assay.Work;
import java.util.HashSet;
import java.util.Set;

/**
 * The experiments for which this thread's calls are being recorded already, by any client. Threads
 * that the call starts do not inherit them.
 */
public final class ObservedExperiments {
    private static final ThreadLocal<Set<String>> OBSERVED = new ThreadLocal<>();

    private ObservedExperiments() {}

    static boolean contains(String experimentId) {
        Set<String> observed = OBSERVED.get();
        return observed != null && observed.contains(experimentId);
    }

    /** Runs code whose calls are recorded for the experiment already. */
    public static <T, E extends Exception> T inside(String experimentId, Work<T, E> work) throws E {
        if (contains(experimentId)) return work.run();
        enter(experimentId);
        try {
            return work.run();
        } finally {
            leave(experimentId);
        }
    }

    /** From here on, calls are recorded for the experiment. It must not be in the set yet. */
    private static void enter(String experimentId) {
        Set<String> observed = OBSERVED.get();
        if (observed == null) {
            observed = new HashSet<>();
            OBSERVED.set(observed);
        }
        observed.add(experimentId);
    }

    /** The call is over. Leaves nothing behind on pool threads. */
    private static void leave(String experimentId) {
        Set<String> observed = OBSERVED.get();
        if (observed == null) {
            return;
        }
        observed.remove(experimentId);
        if (observed.isEmpty()) {
            OBSERVED.remove();
        }
    }
}
