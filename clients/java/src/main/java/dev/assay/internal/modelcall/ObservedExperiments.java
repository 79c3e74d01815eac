package dev.assay.internal.modelcall;

import java.util.HashSet;
import java.util.Set;

/**
 * The experiments for which this thread's calls are being recorded already, by any client. Threads
 * that the call starts do not inherit them.
 */
final class ObservedExperiments {
    private static final ThreadLocal<Set<String>> OBSERVED = new ThreadLocal<>();

    private ObservedExperiments() {}

    static boolean contains(String experimentId) {
        Set<String> observed = OBSERVED.get();
        return observed != null && observed.contains(experimentId);
    }

    /** From here on, calls are recorded for the experiment. It must not be in the set yet. */
    static void enter(String experimentId) {
        Set<String> observed = OBSERVED.get();
        if (observed == null) {
            observed = new HashSet<>();
            OBSERVED.set(observed);
        }
        observed.add(experimentId);
    }

    /** The call is over. Leaves nothing behind on pool threads. */
    static void leave(String experimentId) {
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
