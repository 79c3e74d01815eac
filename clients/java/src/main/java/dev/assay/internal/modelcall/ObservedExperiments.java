package dev.assay.internal.modelcall;

import java.util.HashSet;
import java.util.Set;

/**
 * The experiments for which the calls that this thread makes are being recorded already, by whichever client.
 * A thread that the call itself starts does not know them.
 */
final class ObservedExperiments {
    private static final ThreadLocal<Set<String>> OBSERVED = new ThreadLocal<>();

    private ObservedExperiments() {}

    static boolean contains(String experimentId) {
        Set<String> observed = OBSERVED.get();
        return observed != null && observed.contains(experimentId);
    }

    /** From here on calls are recorded for the experiment, which is not contained yet. */
    static void enter(String experimentId) {
        Set<String> observed = OBSERVED.get();
        if (observed == null) {
            observed = new HashSet<>();
            OBSERVED.set(observed);
        }
        observed.add(experimentId);
    }

    /** The call is over. Leaves nothing behind on threads of a pool. */
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
