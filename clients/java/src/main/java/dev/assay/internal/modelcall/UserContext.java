package dev.assay.internal.modelcall;

import dev.assay.CallOptions;
import dev.assay.Work;

/** The user for whom this thread runs. Threads started by the code do not inherit it. */
public final class UserContext {
    private static final ThreadLocal<CallOptions> CURRENT = new ThreadLocal<>();

    private UserContext() {}

    /** Returns the user of this thread's innermost {@code withUser}; null outside. */
    static CallOptions current() {
        return CURRENT.get();
    }

    /** Runs code as a user. */
    public static <T, E extends Exception> T run(CallOptions options, Work<T, E> work) throws E {
        CallOptions before = CURRENT.get();
        CURRENT.set(options);
        try {
            return work.run();
        } finally {
            // Leaves nothing behind on pool threads.
            if (before == null) CURRENT.remove();
            else CURRENT.set(before);
        }
    }
}
