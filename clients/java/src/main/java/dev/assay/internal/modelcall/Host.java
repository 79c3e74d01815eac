package dev.assay.internal.modelcall;

import dev.assay.Mask;
import dev.assay.internal.config.Assignment;
import java.util.Map;

/** What recording model calls needs from the client. */
public interface Host {
    /**
     * Finds the variant of the user, or of the unit if the experiment assigns other units than users. Does not
     * record an exposure. Null for none.
     *
     * @param unit null: the unit of the context
     */
    Assignment findAssignment(String experiment, String user, String unit);

    /** Enqueues an event. */
    void track(String event, Map<String, ?> payload);

    /** Returns the client's mask, or null for none. */
    Mask mask();

    /** Logs the message once. */
    void warnOnce(String message);

    /** Runs {@code settle} before each flush, as long as something else refers to it. It must not throw. */
    default void beforeFlush(Runnable settle) {}
}
